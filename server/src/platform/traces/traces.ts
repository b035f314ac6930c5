/**
 * What the service tells an OpenTelemetry collector of its work: a span per request, per attempt of a delivery, per question
 * to a model, and per statement within one of these. Without a configured exporter nothing of it is even loaded.
 */

import type { StatementObserver } from '../db/database.ts'

/** What is said of a span. Never a secret, never what somebody wrote: ids, routes, counts and outcomes. */
export type Facts = Record<string, string | number | boolean>

/** A piece of work under way. */
export type Span = {
  /** Says more of it. */
  tell(facts: Facts): void
  /** It did not succeed; `why` in a word or a short sentence. */
  failed(why: string): void
  /** The id that a log line can carry, of a span that is recorded. */
  traceId: string | undefined
}

/**
 * A piece of work: `server` is a request to us, `client` one of ours. It belongs to the work that it is done within, or to
 * `parent`, the `traceparent` of whoever asked for it (W3C Trace Context).
 */
export type Work = { name: string; kind: 'server' | 'client' | 'internal'; facts: Facts; parent?: string | undefined }

/** Where spans go. */
export type Traces = {
  /** Does `work` within a span of its own; work that throws has failed. */
  span<T>(what: Work, work: (span: Span) => Promise<T>): Promise<T>
  /** What is to be told of statements; undefined when nobody wants to know. */
  statement: StatementObserver | undefined
  /** Sends what is left, for at most two seconds. */
  close(): Promise<void>
}

const NOWHERE: Span = { tell() {}, failed() {}, traceId: undefined }

/** For a service without an exporter. */
export const noTraces: Traces = {
  span: (_, work) => work(NOWHERE),
  statement: undefined,
  close: async () => {},
}
