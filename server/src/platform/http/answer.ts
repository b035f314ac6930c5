/**
 * Does what all answers have in common: request id, client address, span, log line, duration, headers. Failures become the JSON errors of
 * the specification (section 7); any other error becomes a 500 that reveals nothing but the request id, with the cause in the log.
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
import { createUnread, type Serialized, serialized } from './send.ts'

/** What every answer needs of its request. */
export type Arrival = Pick<RequestFacts, 'method' | 'url' | 'header'> & {
  remoteAddress: string | undefined
  /** Where the answer will go. */
  response: ServerResponse
}

/** What is learnt while a request is served, for its answer's headers and its log line. */
export type Progress = {
  /** Who is charged with the answer's memory until it is read; by default the client's network. */
  tenant?: string
  usage?: Usage | undefined
  /** Set for health probes, which come every few seconds and are logged as debug. */
  probe?: true
  /** Why the answer is a failure, if nothing was thrown. */
  problem?: string
}

/** Answers a request, or throws. */
export type Run = (facts: RequestFacts, progress: Progress) => Promise<Reply>

/** An answer, and the headers that all answers have. */
export type Answered = { reply: Serialized; common: Record<string, string> }

/** Answers a request of a route with `run`; traces, logs and measures it. Never throws. */
export type Answerer = (arrival: Arrival, route: string, run: Run) => Promise<Answered>

/** The answerer of this service. */
export function createAnswerer(ctx: Context): Answerer {
  const clientAddress = createClientAddress(ctx.config.trustProxy)
  const holdUnread = createUnread()
  const durations = ctx.metrics.durations(
    'postrider_request_duration_seconds',
    'Time from request to answer, in seconds',
    ['route', 'status'],
  )
  return async ({ method, url, header, remoteAddress, response }, route, run) => {
    const startedAt = performance.now()
    const facts: RequestFacts = {
      requestId: ctx.ids.next(),
      method,
      url,
      clientAddress: clientAddress(remoteAddress ?? '', header('x-forwarded-for')),
      header,
    }
    const progress: Progress = {}
    const running = async () => {
      const reply = serialized(await run(facts, progress))
      holdUnread(progress.tenant ?? clientNetwork(facts.clientAddress), reply, response)
      return reply
    }
    const { reply, failure, traceId } = await ctx.traces.span(requestWork(route, facts), async (span) => {
      const outcome = await settle(running(), facts.requestId)
      const { status } = outcome.reply
      span.setAttributes({ 'http.response.status_code': status })
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
    return { reply, common }
  }
}

/** The request as a piece of work that is traced, within the caller's trace if it sent one. */
function requestWork(route: string, { requestId, method, header }: RequestFacts): Work {
  const [, path = route] = route.split(' ')
  const facts = { 'http.request.method': method, 'http.route': path, 'postrider.request_id': requestId }
  return { name: route, kind: 'server', facts, parent: header('traceparent') }
}

function usageHeaders(usage: Usage | undefined): Record<string, string> {
  if (usage === undefined) return {}
  return {
    'RateLimit-Limit': String(usage.limit),
    'RateLimit-Remaining': String(usage.remaining),
    'RateLimit-Reset': String(usage.resetSeconds),
  }
}

async function settle(
  running: Promise<Serialized>,
  requestId: string,
): Promise<{ reply: Serialized; failure?: unknown }> {
  try {
    return { reply: await running }
  } catch (error) {
    const failure = asFailure(error)
    if (failure !== undefined) {
      const { status, headers } = failure
      return { reply: serialized({ status, body: failure.toBody(), headers }), failure: failure.cause ?? failure }
    }
    return { reply: serialized({ status: 500, body: internalError(requestId) }), failure: error }
  }
}

/** What is answered instead of an error that nobody expected: the cause is in the log, under the request id. */
export function internalError(requestId: string) {
  return {
    error: 'internal_error',
    message: 'Something went wrong on our side. Try again; if it persists, report the request_id.',
    request_id: requestId,
  }
}

/** The refusal that an error stands for; undefined for one that nobody expected. */
export function asFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error
  if (isAccountGone(error)) return unauthorized('Bearer', 'This account has been removed.', error)
  return isDatabaseGone(error) ? away(error) : undefined
}
