/**
 * Routes requests to endpoints, and to what is served beside them. answer.ts does what all answers have in common, serve.ts
 * takes a request through its endpoint, direct.ts is the fast path to the busiest endpoints.
 */
import { Readable } from 'node:stream'
import type { HttpBindings } from '@hono/node-server'
import { Hono, type Context as HonoContext, type MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { Context } from '../context.ts'
import { errorField, type Log } from '../log.ts'
import {
  type Answered,
  createAnswerer,
  createUnread,
  type Progress,
  type Run,
  sentAs,
  UNSTORED,
  type Unread,
} from './answer.ts'
import { createDirect, type Direct } from './direct.ts'
import type { Endpoint, Reply } from './endpoint.ts'
import { pathAt, pathsOf, refuse } from './paths.ts'
import { createServe } from './serve.ts'
import type { WebApp } from './web-app.ts'

/** A route beside the API: GET, without an auth scheme, not counted, not documented. Its answer need not be JSON. */
export type SystemRoute = { path: string; answer(request: Request, progress: Progress): Promise<Reply | Response> }

/** Answers requests: `direct` those that it takes, `app` all others. */
export type Pipeline = { app: Hono<Bindings>; direct: Direct }

/** The HTTP application for a list of endpoints, the routes beside them, and a web application for the other paths. */
export function createPipeline(
  ctx: Context,
  endpoints: readonly Endpoint[],
  systemRoutes: readonly SystemRoute[],
  webApp?: WebApp,
): Pipeline {
  const app = new Hono<Bindings>()
  const answerer = createAnswerer(ctx)
  const serve = createServe(ctx)
  const unread = createUnread()
  const answer = async (c: HonoContext<Bindings>, route: string, run: Run<Reply | Response>) => {
    const { headers } = c.req.raw
    const arrival = {
      method: c.req.method,
      remoteAddress: c.env?.incoming?.socket.remoteAddress,
      header: (name: string) => headers.get(name) ?? undefined,
    }
    return respond({ log: ctx.log, unread }, c, await answerer(arrival, route, run))
  }
  const { corsOrigins } = ctx.config
  // Not the files beside the API: they would be copied for each request, to add the headers.
  if (corsOrigins.length > 0) for (const path of CROSS_ORIGIN) app.use(path, crossOrigin(ctx, corsOrigins))
  const declared = [...endpoints, ...systemRoutes].map(({ path }) => firstSegment(path)).filter((name) => name !== '')
  const taken = new Set(declared)
  const file = (c: HonoContext<Bindings>) =>
    taken.has(firstSegment(c.req.path)) ? undefined : answerWithFile(ctx, webApp, c.req.raw)
  app.get('/', async (c, next) => file(c) ?? next())
  for (const route of systemRoutes)
    app.get(route.path, (c) => answer(c, `GET ${route.path}`, (_, progress) => route.answer(c.req.raw, progress)))
  const paths = pathsOf([...endpoints, ...systemRoutes.map(({ path }) => ({ path, method: 'get' as const }))])
  const refused = (c: HonoContext<Bindings>) =>
    answer(c, 'unmatched', async () => refuse(pathAt(paths, new URL(c.req.raw.url).pathname)))
  for (const one of endpoints) {
    const method = one.method.toUpperCase()
    const hasParameters = one.path.includes('{')
    app.on(method, one.path.replaceAll(/\{(\w+)\}/g, ':$1'), (c) => {
      if (hasParameters && pathAt(paths, c.req.path)?.path !== one.path) return refused(c)
      return answer(c, `${method} ${one.path}`, (facts, progress) =>
        serve(one, { url: c.req.raw.url, requestBody: bodyOf(c), params: c.req.param(), facts, progress }),
      )
    })
  }
  app.notFound((c) => file(c) ?? refused(c))
  app.onError((error, c) =>
    answer(c, 'unmatched', async () => {
      throw error
    }),
  )
  // Cross-origin answers need headers that the fast path does not set.
  const hot = corsOrigins.length > 0 ? [] : endpoints.filter((one) => one.hot === true && one.method === 'get')
  return { app, direct: createDirect(hot, { answer: answerer, serve, unread, log: ctx.log }) }
}

/** The body as it comes. Requests that were not received by a listener have it as a web stream. */
function bodyOf({ env, req }: HonoContext<Bindings>): Readable {
  return env?.incoming ?? Readable.from(req.raw.body ?? [])
}

function respond(
  { log, unread }: { log: Log; unread: Unread },
  c: HonoContext<Bindings>,
  { reply, whose, common }: Answered<Reply | Response>,
): Response {
  if (reply instanceof Response) {
    for (const [name, value] of Object.entries(common)) reply.headers.set(name, value)
    if (!reply.headers.has('Cache-Control')) reply.headers.set('Cache-Control', UNSTORED)
    return reply
  }
  const { status, stream, parts } = reply
  const { content, bytes, headers } = sentAs(reply, common)
  unread(whose, bytes, c.env?.outgoing)
  // Otherwise what a slow client has not read would stay in the socket's buffer for as long as the client likes.
  stream?.onEnd((reason) => {
    if (reason === 'too_slow') c.env?.outgoing?.destroy()
  })
  // The status is sent already: only an answer that breaks off tells the client.
  const broken = (error: unknown) => {
    log.error('request.unsent', { request_id: common['X-Request-Id'], error: errorField(error) })
    c.env?.outgoing?.destroy()
  }
  return new Response(stream?.body ?? (parts && inTurn(parts, broken)) ?? content, { status, headers })
}

/** Text that is made as fast as the client reads it. `broken` is told why it cannot be completed. */
function inTurn(parts: AsyncIterable<string>, broken: (error: unknown) => void): ReadableStream<Uint8Array> {
  const all = parts[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await all.next()
          if (done === true) controller.close()
          else controller.enqueue(encoder.encode(value))
        } catch (error) {
          broken(error)
          controller.close()
        }
      },
      async cancel() {
        await all.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

/** Headers that scripts of other origins may read, besides the CORS-safelisted ones. */
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

/** What other origins may ask for: the API, and its description. */
const CROSS_ORIGIN = ['/api/*', '/openapi.json']

/** Lets browsers call from these origins. A preflight is answered here, so it gets its request id here. */
function crossOrigin({ ids }: Pick<Context, 'ids'>, origins: readonly string[]): MiddlewareHandler<Bindings> {
  const allow = cors({ origin: [...origins], exposeHeaders: EXPOSED_HEADERS, maxAge: 600 })
  return async (c, next) => {
    const preflight = await allow(c, next)
    preflight?.headers.set('X-Request-Id', ids.next())
    return preflight
  }
}

/** What the Node listener passes along with the request. */
type Bindings = { Bindings: Partial<HttpBindings> }

const firstSegment = (path: string) => path.split('/')[1] ?? ''

/** Answers with a file of the web application. Files are many and say little, so they are logged as debug. */
function answerWithFile(ctx: Context, webApp: WebApp | undefined, request: Request): Response | undefined {
  const response = webApp?.answer(request)
  if (response === undefined) return undefined
  const requestId = ctx.ids.next()
  response.headers.set('X-Request-Id', requestId)
  response.headers.set('X-Content-Type-Options', 'nosniff')
  ctx.log.debug('file.sent', () => ({
    request_id: requestId,
    path: new URL(request.url).pathname,
    status: response.status,
  }))
  return response
}
