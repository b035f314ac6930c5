/**
 * The way of every request: request id → route → authentication → rate limit → parsing → idempotency key → handler →
 * answer.
 * Failures become the JSON errors of the specification (section 7); anything unknown becomes a 500 that reveals
 * nothing but the request id, with the cause in the log.
 */
import type { HttpBindings } from '@hono/node-server'
import { Hono, type Context as HonoContext } from 'hono'
import { cors } from 'hono/cors'
import type { z } from 'zod'
import type { Context } from '../context.ts'
import { isDatabaseGone } from '../db/database.ts'
import { Failure, fail, invalid } from '../errors.ts'
import { answerOnce } from '../idempotency/idempotency.ts'
import { errorField } from '../log.ts'
import { countRequest, type Usage } from '../rate-limit/rate-limit.ts'
import { createClientAddress } from './client-address.ts'
import { type Endpoint, honoursIdempotencyKeys, type Reply, type RequestFacts } from './endpoint.ts'
import { isStorable, MAX_BODY_BYTES, parseJsonBody } from './json.ts'

type Outcome = { response: Response; failure?: unknown }

/** What becomes known of a request on its way, for its answer's headers. */
type Progress = { usage?: Usage | undefined }

type Run = (facts: RequestFacts, progress: Progress) => Promise<Reply>

/** A route beside the API: GET, for anybody, not counted, not documented. */
export type SystemRoute = { path: string; answer(): Promise<Reply> }

/** The HTTP application for a list of endpoints and the routes beside them. */
export function createPipeline(
  ctx: Context,
  endpoints: readonly Endpoint[],
  systemRoutes: readonly SystemRoute[],
): Hono<Bindings> {
  const app = new Hono<Bindings>()
  const answer = createAnswer(ctx)
  const { corsOrigins } = ctx.config
  if (corsOrigins.length > 0) app.use(cors({ origin: [...corsOrigins], exposeHeaders: EXPOSED_HEADERS, maxAge: 600 }))
  for (const route of systemRoutes) app.get(route.path, (c) => answer(c, `GET ${route.path}`, () => route.answer()))
  for (const one of endpoints) {
    const method = one.method.toUpperCase()
    app.on(method, one.path.replaceAll(/\{(\w+)\}/g, ':$1'), (c) =>
      answer(c, `${method} ${one.path}`, (facts, progress) =>
        serve(ctx, one, c.req.raw, c.req.param(), facts, progress),
      ),
    )
  }
  const methods = methodsByPath([...endpoints, ...systemRoutes.map(({ path }) => ({ path, method: 'get' as const }))])
  app.notFound((c) => answer(c, 'unmatched', async () => refuseUnmatched(methods, c.req.raw)))
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
  'Location',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
]

/** What the Node listener tells beside the request. */
type Bindings = { Bindings: Partial<HttpBindings> }

function createAnswer(ctx: Context): (c: HonoContext<Bindings>, route: string, run: Run) => Promise<Response> {
  const clientAddress = createClientAddress(ctx.config.trustProxy)
  return async (c, route, run) => {
    const startedAt = performance.now()
    const header = (name: string) => c.req.raw.headers.get(name) ?? undefined
    const facts: RequestFacts = {
      requestId: ctx.ids.next(),
      clientAddress: clientAddress(c.env?.incoming?.socket.remoteAddress ?? '', header('x-forwarded-for')),
      header,
    }
    const progress: Progress = {}
    const { response, failure } = await settle(run(facts, progress), facts.requestId)
    response.headers.set('X-Request-Id', facts.requestId)
    response.headers.set('X-Content-Type-Options', 'nosniff')
    for (const [name, value] of usageHeaders(progress.usage)) response.headers.set(name, value)
    const { status } = response
    const fields = { request_id: facts.requestId, route, status, took_ms: Math.round(performance.now() - startedAt) }
    if (status >= 500) ctx.log.error('request.failed', { ...fields, error: errorField(failure) })
    else ctx.log.info('request.done', fields)
    return response
  }
}

function usageHeaders(usage: Usage | undefined): Array<[string, string]> {
  if (usage === undefined) return []
  return [
    ['RateLimit-Limit', String(usage.limit)],
    ['RateLimit-Remaining', String(usage.remaining)],
    ['RateLimit-Reset', String(usage.resetSeconds)],
  ]
}

async function settle(running: Promise<Reply>, requestId: string): Promise<Outcome> {
  try {
    const { status, body, headers } = await running
    if (body === undefined) return { response: new Response(null, { status, headers: headers ?? {} }) }
    return { response: json(status, body, headers) }
  } catch (error) {
    const failure = asFailure(error)
    if (failure !== undefined)
      return { response: json(failure.status, failure.toBody(), failure.headers), failure: failure.cause ?? failure }
    const body = {
      error: 'internal_error',
      message: 'Something went wrong on our side. Try again; if it persists, report the request_id.',
      request_id: requestId,
    }
    return { response: json(500, body), failure: error }
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

function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } })
}

async function serve(
  ctx: Context,
  one: Endpoint,
  request: Request,
  params: Record<string, string>,
  facts: RequestFacts,
  progress: Progress,
): Promise<Reply> {
  const principal = one.auth === null ? undefined : await one.auth.authenticate(ctx, facts)
  progress.usage = await count(ctx, one, principal, facts)
  const query = one.query === undefined ? undefined : parse(one.query, queryOf(request))
  const body = one.body === undefined ? undefined : parse(one.body, await bodyOf(request, one.bodyOptional === true))
  // A path that no stored text can equal names nothing.
  if (!Object.values(params).every(isStorable)) throw fail('not_found', 'There is nothing at this address.')
  // The definition's own schemas parsed the input, so it has the types its handler declares.
  const call = { ...facts, ctx, principal, params, query, body } as Parameters<Endpoint['handler']>[0]
  const key = facts.header('idempotency-key')
  const scope = honoursIdempotencyKeys(one) ? one.auth?.idempotencyScope?.(principal) : undefined
  if (key === undefined || scope === undefined) return one.handler(call)
  return answerOnce(ctx, { scope, key, path: new URL(request.url).pathname, body }, () => one.handler(call))
}

async function count(ctx: Context, one: Endpoint, principal: unknown, facts: RequestFacts): Promise<Usage | undefined> {
  const bucket = one.auth === null ? one.bucket?.(ctx, facts) : one.auth.bucket(ctx, principal)
  const usage = bucket && (await countRequest(ctx.db.root, bucket, ctx.clock.now()))
  if (usage?.refused !== true) return usage
  const { resetSeconds } = usage
  throw fail('rate_limited', `The limit of ${usage.limit} requests is used up. Try again in ${resetSeconds} seconds.`, {
    retryAfter: resetSeconds,
    headers: { 'Retry-After': String(resetSeconds), ...Object.fromEntries(usageHeaders(usage)) },
  })
}

function queryOf(request: Request): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of new URL(request.url).searchParams) values[name] = value
  return values
}

async function bodyOf(request: Request, optional: boolean): Promise<unknown> {
  const bytes = await readAtMost(request, MAX_BODY_BYTES)
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
  for await (const chunk of request.body) {
    size += chunk.length
    if (size > limit) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Parses input with a schema; the first problem becomes a failure that names its dotted path. */
function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
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
