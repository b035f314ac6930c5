/**
 * The way of every request: request id → route → authentication → rate limit → parsing → idempotency key → handler →
 * answer.
 * Failures become the JSON errors of the specification (section 7); anything unknown becomes a 500 that reveals
 * nothing but the request id, with the cause in the log.
 */
import type { HttpBindings } from '@hono/node-server'
import { Hono, type Context as HonoContext, type MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { z } from 'zod'
import type { Context } from '../context.ts'
import { isDatabaseGone } from '../db/database.ts'
import { Failure, fail, invalid } from '../errors.ts'
import { answerOnce } from '../idempotency/idempotency.ts'
import { errorField } from '../log.ts'
import { createRequestCounter, type RequestCounter, type Usage } from '../rate-limit/rate-limit.ts'
import { Slots } from '../slots.ts'
import type { Work } from '../traces/traces.ts'
import { createClientAddress } from './client-address.ts'
import { type Admission, type Endpoint, honoursIdempotencyKeys, type Reply, type RequestFacts } from './endpoint.ts'
import { sentenceAbout, telling } from './issues.ts'
import { isStorable, MAX_BODY_BYTES, parseJsonBody } from './json.ts'
import type { WebApp } from './web-app.ts'

type Outcome = { reply: Reply | Response; failure?: unknown }

/** What becomes known of a request on its way, for its answer's headers. */
type Progress = { usage?: Usage | undefined }

type Run = (facts: RequestFacts, progress: Progress) => Promise<Reply | Response>

/** A route beside the API: GET, for anybody, not counted, not documented. Not everything beside the API is JSON. */
export type SystemRoute = { path: string; answer(request: Request): Promise<Reply | Response> }

/** The HTTP application for a list of endpoints, the routes beside them, and a web application for the other paths. */
export function createPipeline(
  ctx: Context,
  endpoints: readonly Endpoint[],
  systemRoutes: readonly SystemRoute[],
  webApp?: WebApp,
): Hono<Bindings> {
  const app = new Hono<Bindings>()
  const answer = createAnswer(ctx)
  const shared: Shared = { count: createRequestCounter(ctx.db.root, ctx.clock), large: new Slots(LARGE_AT_ONCE) }
  const { corsOrigins } = ctx.config
  if (corsOrigins.length > 0) app.use(crossOrigin(ctx, corsOrigins))
  const declared = [...endpoints, ...systemRoutes].map(({ path }) => firstSegment(path)).filter((name) => name !== '')
  const taken = new Set(declared)
  const file = (c: HonoContext<Bindings>) =>
    taken.has(firstSegment(c.req.path)) ? undefined : answerWithFile(ctx, webApp, c.req.raw)
  app.get('/', async (c, next) => file(c) ?? next())
  for (const route of systemRoutes)
    app.get(route.path, (c) => answer(c, `GET ${route.path}`, () => route.answer(c.req.raw)))
  for (const one of endpoints) {
    const method = one.method.toUpperCase()
    app.on(method, one.path.replaceAll(/\{(\w+)\}/g, ':$1'), (c) =>
      answer(c, `${method} ${one.path}`, (facts, progress) =>
        serve(ctx, shared, one, { request: c.req.raw, params: c.req.param(), facts, progress }),
      ),
    )
  }
  const methods = methodsByPath([...endpoints, ...systemRoutes.map(({ path }) => ({ path, method: 'get' as const }))])
  app.notFound((c) => file(c) ?? answer(c, 'unmatched', async () => refuseUnmatched(methods, c.req.raw)))
  app.onError((error, c) =>
    answer(c, 'unmatched', async () => {
      throw error
    }),
  )
  return app
}

/** What scripts of other origins may read, besides what they always may. */
const EXPOSED_HEADERS = [
  'ETag',
  'Idempotent-Replayed',
  'Location',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
]

/** Lets browsers call from these origins. A preflight is answered here, so it gets its request id here. */
function crossOrigin({ ids }: Pick<Context, 'ids'>, origins: readonly string[]): MiddlewareHandler<Bindings> {
  const allow = cors({ origin: [...origins], exposeHeaders: EXPOSED_HEADERS, maxAge: 600 })
  return async (c, next) => {
    const preflight = await allow(c, next)
    preflight?.headers.set('X-Request-Id', ids.next())
    return preflight
  }
}

/** What the Node listener tells beside the request. */
type Bindings = { Bindings: Partial<HttpBindings> }

function createAnswer(ctx: Context): (c: HonoContext<Bindings>, route: string, run: Run) => Promise<Response> {
  const clientAddress = createClientAddress(ctx.config.trustProxy)
  const durations = ctx.metrics.durations('postrider_request_duration_seconds', 'From request to answer', [
    'route',
    'status',
  ])
  return async (c, route, run) => {
    const startedAt = performance.now()
    const header = (name: string) => c.req.raw.headers.get(name) ?? undefined
    const facts: RequestFacts = {
      requestId: ctx.ids.next(),
      method: c.req.method,
      clientAddress: clientAddress(c.env?.incoming?.socket.remoteAddress ?? '', header('x-forwarded-for')),
      header,
    }
    const progress: Progress = {}
    const work = requestWork(route, facts)
    const { reply, failure, traceId } = await ctx.traces.span(work, async (span) => {
      const outcome = await settle(run(facts, progress), facts.requestId)
      const { status } = outcome.reply
      span.tell({ 'http.response.status_code': status })
      if (status >= 500) span.failed(String(status))
      return { ...outcome, traceId: span.traceId }
    })
    // What a client leaves waiting in the socket would stay there for as long as it likes.
    if ('stream' in reply)
      reply.stream?.onEnd((reason) => {
        if (reason === 'too_slow') c.env?.outgoing?.destroy()
      })
    const response = respond(reply, {
      ...usageHeaders(progress.usage),
      'X-Request-Id': facts.requestId,
      'X-Content-Type-Options': 'nosniff',
    })
    const { status } = response
    const tookMs = performance.now() - startedAt
    durations.observe({ route, status }, tookMs / 1000)
    const trace = traceId === undefined ? {} : { trace_id: traceId }
    const fields = { request_id: facts.requestId, route, status, took_ms: Math.round(tookMs), ...trace }
    if (status >= 500) ctx.log.error('request.failed', { ...fields, error: errorField(failure) })
    else ctx.log.info('request.done', fields)
    return response
  }
}

/** The request as a piece of work that is traced, within the caller's trace if it sent one. */
function requestWork(route: string, { requestId, method, header }: RequestFacts): Work {
  const [, path = route] = route.split(' ')
  const facts = { 'http.request.method': method, 'http.route': path, 'postrider.request_id': requestId }
  return { name: route, kind: 'server', facts, parent: header('traceparent') }
}

/**
 * The answer with the headers that every answer has. They go to the listener in a plain object, which it writes as it is: a
 * `Headers` object takes three times as long.
 */
function respond(reply: Reply | Response, common: Record<string, string>): Response {
  if (reply instanceof Response) {
    for (const [name, value] of Object.entries(common)) reply.headers.set(name, value)
    if (!reply.headers.has('Cache-Control')) reply.headers.set('Cache-Control', UNSTORED)
    return reply
  }
  const { status, body, json, stream, headers } = reply
  const content = json ?? (body === undefined ? null : JSON.stringify(body))
  const type = content === null ? {} : { 'Content-Type': 'application/json' }
  const init = { status, headers: { ...type, 'Cache-Control': UNSTORED, ...headers, ...common } }
  return stream === undefined ? new Response(content, init) : new Response(stream.body, init)
}

/** A cookie, unlike an Authorization header, does not by itself keep shared caches from storing what it let somebody see. */
const UNSTORED = 'private, no-cache'

const firstSegment = (path: string) => path.split('/')[1] ?? ''

/** Files are many and say little: they are logged for those who look closely. */
function answerWithFile(ctx: Context, webApp: WebApp | undefined, request: Request): Response | undefined {
  const response = webApp?.answer(request)
  if (response === undefined) return undefined
  const requestId = ctx.ids.next()
  response.headers.set('X-Request-Id', requestId)
  response.headers.set('X-Content-Type-Options', 'nosniff')
  ctx.log.debug('file.sent', { request_id: requestId, path: new URL(request.url).pathname, status: response.status })
  return response
}

function usageHeaders(usage: Usage | undefined): Record<string, string> {
  if (usage === undefined) return {}
  return {
    'RateLimit-Limit': String(usage.limit),
    'RateLimit-Remaining': String(usage.remaining),
    'RateLimit-Reset': String(usage.resetSeconds),
  }
}

async function settle(running: Promise<Reply | Response>, requestId: string): Promise<Outcome> {
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
  if (!isDatabaseGone(error)) return undefined
  return fail('unavailable', 'The database does not answer. Try again shortly.', {
    headers: { 'Retry-After': '5' },
    cause: error,
  })
}

/** A body of more bytes is large. */
const LARGE = 65_536
/** Bytes of large bodies that are worked on at once: each takes many times its size in memory while it is. */
const LARGE_AT_ONCE = 2 * MAX_BODY_BYTES

/** What requests share: what counts them, and the room for large bodies. */
type Shared = { count: RequestCounter; large: Slots }

type Incoming = { request: Request; params: Record<string, string>; facts: RequestFacts; progress: Progress }

async function serve(ctx: Context, { count, large }: Shared, one: Endpoint, incoming: Incoming): Promise<Reply> {
  const { request, facts, progress } = incoming
  const { principal, usage } = await admit(ctx, count, one, facts)
  progress.usage = usage
  if (usage?.refused === true) throw refused(usage)
  const bytes = one.body === undefined ? undefined : await bytesOf(request)
  if (bytes === undefined || bytes.length <= LARGE) return handle(ctx, one, incoming, principal, bytes)
  // Only now: who sends slowly must not keep the others waiting.
  const room = await large.take(bytes.length)
  return handle(ctx, one, incoming, principal, bytes).finally(room.free)
}

async function handle(
  ctx: Context,
  one: Endpoint,
  { request, params, facts }: Incoming,
  principal: unknown,
  bytes: Uint8Array | undefined,
): Promise<Reply> {
  const query = one.query === undefined ? undefined : parse(one.query, queryOf(request))
  const body =
    one.body === undefined || bytes === undefined
      ? undefined
      : parse(one.body, bodyOf(request, bytes, one.bodyOptional === true))
  // A path that no stored text can equal names nothing.
  if (!Object.values(params).every(isStorable)) throw fail('not_found', 'There is nothing at this address.')
  // The definition's own schemas parsed the input, so it has the types its handler declares.
  const call = { ...facts, ctx, principal, params, query, body } as Parameters<Endpoint['handler']>[0]
  const key = facts.header('idempotency-key')
  const scope = honoursIdempotencyKeys(one) ? one.auth?.idempotencyScope?.(principal) : undefined
  if (key === undefined || scope === undefined) return one.handler(call)
  return answerOnce(ctx, { scope, key, path: new URL(request.url).pathname, body }, () => one.handler(call))
}

/** Who asks, counted. */
async function admit(
  ctx: Context,
  count: RequestCounter,
  one: Endpoint,
  facts: RequestFacts,
): Promise<Admission<unknown>> {
  if (one.auth === null) {
    const bucket = one.bucket?.(ctx, facts)
    return { principal: undefined, usage: bucket && (await count(bucket)) }
  }
  if ('admit' in one.auth) return one.auth.admit(ctx, facts)
  const principal = await one.auth.authenticate(ctx, facts)
  return { principal, usage: await count(one.auth.bucket(ctx, principal)) }
}

function refused(usage: Usage): Failure {
  const { limit, resetSeconds } = usage
  return fail('rate_limited', `The limit of ${limit} requests is used up. Try again in ${resetSeconds} seconds.`, {
    retryAfter: resetSeconds,
    headers: { 'Retry-After': String(resetSeconds) },
  })
}

function queryOf({ url }: Request): Record<string, string> {
  const begin = url.indexOf('?')
  return begin === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(begin)))
}

async function bytesOf(request: Request): Promise<Uint8Array> {
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity')
    throw fail('unsupported_media_type', 'Send the body uncompressed, without the header Content-Encoding.', {
      headers: { 'Accept-Encoding': 'identity' },
    })
  return readAtMost(request, MAX_BODY_BYTES)
}

function bodyOf(request: Request, bytes: Uint8Array, optional: boolean): unknown {
  if (optional && bytes.length === 0) return {}
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw invalid('body', 'The body is not valid UTF-8.', error)
  }
  return parseJsonBody(request.headers.get('content-type') ?? undefined, text)
}

async function readAtMost(request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = () =>
    fail('too_large', `The body is larger than ${limit} bytes.`, { headers: { Connection: 'close' } })
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge()
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of request.body) {
      size += chunk.length
      if (size > limit) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    // The client hung up: nobody reads the answer, but the log must not blame the service.
    throw error instanceof Failure ? error : invalid('body', 'The body ended before it was complete.', error)
  }
  return Buffer.concat(chunks)
}

/** Parses input with a schema; the first problem becomes a failure that names its dotted path. */
function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { error: sentenceAbout })
  if (result.success) return result.data
  const issue = telling(result.error.issues[0])
  const path = [...(issue?.path ?? [])]
  if (issue?.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? ''
    throw invalid([...path, key].join('.'), `There is no field "${key}" here.`)
  }
  throw invalid(path.join('.') || 'body', issue?.message ?? 'The value is not valid.')
}

type MethodsOfPath = Array<{ pattern: RegExp; methods: string[] }>

function methodsByPath(endpoints: ReadonlyArray<Pick<Endpoint, 'path' | 'method'>>): MethodsOfPath {
  const byPath = Map.groupBy(endpoints, (one) => one.path)
  return [...byPath].map(([path, list]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    methods: list.flatMap((one) => (one.method === 'get' ? ['GET', 'HEAD'] : [one.method.toUpperCase()])),
  }))
}

function refuseUnmatched(paths: MethodsOfPath, request: Request): never {
  const { pathname } = new URL(request.url)
  const methods = [...new Set(paths.filter(({ pattern }) => pattern.test(pathname)).flatMap((entry) => entry.methods))]
  if (methods.length === 0) throw fail('not_found', 'There is nothing at this address.')
  throw fail('method_not_allowed', `This address answers ${methods.join(', ')} only.`, {
    headers: { Allow: methods.join(', ') },
  })
}
