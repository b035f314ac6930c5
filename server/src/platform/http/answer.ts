/**
 * Does what all answers have in common, through the router or on the fast path: request id, client address, span, log line,
 * duration, headers. Failures become the JSON errors of the specification (section 7); any other error becomes a 500 that
 * reveals nothing but the request id, with the cause in the log.
 */
import type { ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import { away, isAccountGone, isDatabaseGone } from '../db/database.ts'
import { Failure, unauthorized } from '../errors.ts'
import { errorField } from '../log.ts'
import type { Usage } from '../rate-limit/rate-limit.ts'
import type { Work } from '../traces/traces.ts'
import { clientNetwork, createClientAddress } from './client-address.ts'
import type { Reply, RequestFacts } from './endpoint.ts'
import { HeldMemory } from './held-memory.ts'

/** What every answer needs of its request. */
export type Arrival = Pick<RequestFacts, 'method' | 'header'> & { remoteAddress: string | undefined }

/** What is learnt while a request is served, for its answer's headers and its log line. */
export type Progress = {
  /** Who is charged with the answer's memory until it is read; by default the client's network. */
  whose?: string
  usage?: Usage | undefined
  /** Set for health probes, which come every few seconds and are logged as debug. */
  probe?: true
  /** Why the answer is a failure, if nothing was thrown. */
  problem?: string
}

/** Answers a request, or throws. */
export type Run<Answer> = (facts: RequestFacts, progress: Progress) => Promise<Answer>

/** An answer, who is charged with its memory until it is read, and all answers' headers. */
export type Answered<Answer> = { reply: Answer | Reply; whose: string; common: Record<string, string> }

/** Answers a request of a route with `run`; traces, logs and measures it. Never throws. */
export type Answerer = <Answer extends Reply | Response>(
  arrival: Arrival,
  route: string,
  run: Run<Answer>,
) => Promise<Answered<Answer>>

/** The answerer of this service. */
export function createAnswerer(ctx: Context): Answerer {
  const clientAddress = createClientAddress(ctx.config.trustProxy)
  const durations = ctx.metrics.durations(
    'postrider_request_duration_seconds',
    'Time from request to answer, in seconds',
    ['route', 'status'],
  )
  return async ({ method, header, remoteAddress }, route, run) => {
    const startedAt = performance.now()
    const facts: RequestFacts = {
      requestId: ctx.ids.next(),
      method,
      clientAddress: clientAddress(remoteAddress ?? '', header('x-forwarded-for')),
      header,
    }
    const progress: Progress = {}
    const { reply, failure, traceId } = await ctx.traces.span(requestWork(route, facts), async (span) => {
      const outcome = await settle(run(facts, progress), facts.requestId)
      const { status } = outcome.reply
      span.tell({ 'http.response.status_code': status })
      if (status >= 500) span.failed(String(status))
      return { ...outcome, traceId: span.traceId }
    })
    const { status } = reply
    const tookMs = performance.now() - startedAt
    durations.observe({ route, status }, tookMs / 1000)
    const trace = traceId === undefined ? {} : { trace_id: traceId }
    const fields = { request_id: facts.requestId, route, status, took_ms: Math.round(tookMs), ...trace }
    if (status >= 500) ctx.log.error('request.failed', { ...fields, error: errorField(failure ?? progress.problem) })
    else if (progress.probe) ctx.log.debug('request.done', () => fields)
    else ctx.log.info('request.done', fields)
    const common = {
      ...usageHeaders(progress.usage),
      'X-Request-Id': facts.requestId,
      'X-Content-Type-Options': 'nosniff',
    }
    return { reply, whose: progress.whose ?? clientNetwork(facts.clientAddress), common }
  }
}

/** The request as a piece of work that is traced, within the caller's trace if it sent one. */
function requestWork(route: string, { requestId, method, header }: RequestFacts): Work {
  const [, path = route] = route.split(' ')
  const facts = { 'http.request.method': method, 'http.route': path, 'postrider.request_id': requestId }
  return { name: route, kind: 'server', facts, parent: header('traceparent') }
}

/** Unlike an Authorization header, a cookie does not by itself keep shared caches from storing an answer. */
export const UNSTORED = 'private, no-cache'

/** A reply's content and its bytes, null and 0 without `json` or `body`, and its headers, a plain object that the listener writes as is. */
export function sentAs({ body, json, parts, headers }: Reply, common: Record<string, string>) {
  const content = json ?? (body === undefined ? null : JSON.stringify(body))
  const type = content === null && parts === undefined ? {} : { 'Content-Type': 'application/json' }
  return {
    content,
    bytes: content === null ? 0 : Buffer.byteLength(content),
    headers: { ...type, 'Cache-Control': UNSTORED, ...headers, ...common },
  }
}

/** How many bytes of answers are kept that clients have not read yet. */
const MOST_UNREAD = 128 * 1024 * 1024
/** A smaller answer is not counted: most are, and the client's own limits bound how many there can be. */
const COUNTED_BYTES = 16 * 1024

/** Counts what answers take until they are read. */
export type Unread = (whose: string, bytes: number, response: ServerResponse | undefined) => void

/** Ends the connection of a client that leaves too much unread. */
export function createUnread(): Unread {
  const unread = new HeldMemory(MOST_UNREAD)
  return (whose, bytes, response) => {
    // A client that has gone leaves nothing unread, and emits no second `close`.
    if (bytes < COUNTED_BYTES || response === undefined || response.destroyed) return
    response.once('close', unread.hold(whose, bytes, () => response.destroy()).free)
  }
}

function usageHeaders(usage: Usage | undefined): Record<string, string> {
  if (usage === undefined) return {}
  return {
    'RateLimit-Limit': String(usage.limit),
    'RateLimit-Remaining': String(usage.remaining),
    'RateLimit-Reset': String(usage.resetSeconds),
  }
}

async function settle<Answer>(
  running: Promise<Answer>,
  requestId: string,
): Promise<{ reply: Answer | Reply; failure?: unknown }> {
  try {
    return { reply: await running }
  } catch (error) {
    const failure = asFailure(error)
    if (failure !== undefined) {
      const { status, headers } = failure
      return { reply: { status, body: failure.toBody(), headers }, failure: failure.cause ?? failure }
    }
    const body = {
      error: 'internal_error',
      message: 'Something went wrong on our side. Try again; if it persists, report the request_id.',
      request_id: requestId,
    }
    return { reply: { status: 500, body }, failure: error }
  }
}

function asFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error
  if (isAccountGone(error)) return unauthorized('Bearer', 'This account has been removed.', error)
  return isDatabaseGone(error) ? away(error) : undefined
}
