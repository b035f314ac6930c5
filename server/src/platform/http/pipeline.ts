/**
 * The way of a request: here to its route, in answer.ts through what all answers have in common, in serve.ts through its endpoint, in
 * send.ts back to the client.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import { errorField } from '../log.ts'
import { createAnswerer, type Progress, type Run } from './answer.ts'
import { createCrossOrigin } from './cross-origin.ts'
import { type Endpoint, pathOf, type Reply, type RequestFacts } from './endpoint.ts'
import { createRouter } from './routes.ts'
import { send, serialized } from './send.ts'
import { createServe } from './serve.ts'
import type { WebApp } from './web-app.ts'

/** A route beside the API: GET, without an auth scheme, not counted, not documented. Its answer need not be JSON. */
export type SystemRoute = {
  path: string
  answer(
    request: Pick<RequestFacts, 'method' | 'url' | 'header'>,
    progress: Progress,
    params: Record<string, string>,
  ): Promise<Reply>
}

/** Answers a request; `url` is its path and query. */
export type Pipeline = (request: IncomingMessage, url: string, response: ServerResponse) => void

type Route = { method: string; path: string; run(params: Record<string, string>, body: IncomingMessage): Run }

/** The HTTP application for a list of endpoints, the routes beside them, and a web application for the other paths. */
export function createPipeline(
  ctx: Context,
  endpoints: readonly Endpoint[],
  systemRoutes: readonly SystemRoute[],
  webApp?: WebApp,
): Pipeline {
  const answer = createAnswerer(ctx)
  const serve = createServe(ctx)
  const crossOrigin = createCrossOrigin(ctx.config.corsOrigins)
  const routes: Route[] = [
    ...endpoints.map((one): Route => {
      const run: Route['run'] = (params, requestBody) => (facts, progress) =>
        serve(one, { requestBody, params, facts, progress })
      return { method: one.method.toUpperCase(), path: one.path, run }
    }),
    ...systemRoutes.map((one): Route => {
      return {
        method: 'GET',
        path: one.path,
        run: (params) => (facts, progress) => one.answer(facts, progress, params),
      }
    }),
  ]
  const find = createRouter(routes)
  const own = new Set(routes.map(({ path }) => firstSegment(path)))

  return (request, url, response) => {
    const { method = '', headers } = request
    const pathname = pathOf(url)
    const preflight = crossOrigin.preflight(method, pathname, headers)
    if (preflight !== undefined)
      return void response.writeHead(204, { ...preflight, 'X-Request-Id': ctx.ids.next() }).end()
    const header = (name: string) => headers[name.toLowerCase()]?.toString()
    const isFile = pathname === '/' || !own.has(firstSegment(pathname))
    const file = isFile ? webApp?.answer({ method, url, header }) : undefined
    if (file !== undefined) return sendFile(ctx, response, pathname, file)
    const found = find(method, pathname)
    const [name, run] =
      'failure' in found
        ? ['unmatched', () => Promise.reject(found.failure)]
        : [`${found.route.method} ${found.route.path}`, found.route.run(found.params, request)]
    const unsent = (error: unknown, requestId?: string) => {
      ctx.log.error('request.unsent', { request_id: requestId, route: name, error: errorField(error) })
      response.destroy()
    }
    answer({ method, url, header, remoteAddress: request.socket.remoteAddress, response }, name, run)
      .then(({ reply, common }) => {
        const all = crossOrigin.added(pathname, headers, reply.headers, common)
        send(response, reply, all, (error) => unsent(error, common['X-Request-Id']))
      })
      .catch(unsent)
  }
}

const firstSegment = (path: string) => path.split('/', 2)[1] ?? ''

/** Sends a file of the web application. Files are many and say little, so they are logged as debug. */
function sendFile(
  { ids, log }: Pick<Context, 'ids' | 'log'>,
  response: ServerResponse,
  path: string,
  file: Reply,
): void {
  const requestId = ids.next()
  send(response, serialized(file), { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' }, () => {})
  log.debug('file.sent', () => ({ request_id: requestId, path, status: file.status }))
}
