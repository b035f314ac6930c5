/**
 * What the service reports to an OpenTelemetry collector: a span per request, per attempt of a delivery, per call of a
 * language model, and per statement within one of these. Without a configured exporter the library is not even loaded.
 */

import type { StatementObserver } from '../db/database.ts'

/** The attributes of a span: ids, routes, counts and outcomes; never a secret, never text that a user wrote. */
export type Attributes = Record<string, string | number | boolean>

/** A piece of work under way. */
export type Span = {
  /** Adds attributes. */
  setAttributes(attributes: Attributes): void
  /** Marks it as failed; `why` in a word or a short sentence. */
  failed(why: string): void
  /** The trace's id, for the log line; undefined if the span is not recorded. */
  traceId: string | undefined
}

/**
 * A piece of work: `server` is a request to the service, `client` one by the service. It belongs to the work that it is done
 * within, or to `parent`, the caller's `traceparent` (W3C Trace Context).
 */
export type Work = {
  name: string
  kind: 'server' | 'client' | 'internal'
  facts: Attributes
  parent?: string | undefined
}

/** Where spans go. */
export type Traces = {
  /** Runs `work` within a span of its own; if it throws, the span has failed. */
  span<T>(what: Work, work: (span: Span) => Promise<T>): Promise<T>
  /** Is to be told of statements; undefined when nothing is traced. */
  statement: StatementObserver | undefined
  /** Sends the remaining spans, for at most two seconds. */
  close(): Promise<void>
}

const NOWHERE: Span = { setAttributes() {}, failed() {}, traceId: undefined }

/** For a service without an exporter. */
export const noTraces: Traces = {
  span: (_, work) => work(NOWHERE),
  statement: undefined,
  close: async () => {},
}
