/**
 * A fast path to the endpoints that get by far the most requests: past the router and past `Request` and `Response` objects,
 * which take more time than the endpoints do. It uses the same `answer` and `serve` as the router, so the answers are the
 * same. Unusual requests are left to the router: HEAD, escapes in the path, a URL with a host, a Host header that is no plain
 * host and port.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorField, type Log } from '../log.ts'
import { type Answered, type Answerer, sentAs, type Unread } from './answer.ts'
import type { Endpoint, Reply } from './endpoint.ts'
import type { Serve } from './serve.ts'

/** Answers a request; false leaves it to the router. */
export type Direct = (request: IncomingMessage, response: ServerResponse) => boolean

const PLAIN_HOST = /^[\w.-]+(?::\d+)?$/

/** What answers and serves requests, counts what is not read, and the log for answers that could not be sent. */
type Parts = { answer: Answerer; serve: Serve; unread: Unread; log: Log }

/** The fast path to these endpoints. */
export function createDirect(endpoints: readonly Endpoint[], { answer, serve, unread, log }: Parts): Direct {
  const routes = endpoints.map((one) => ({
    one,
    name: `GET ${one.path}`,
    pattern: new RegExp(`^${one.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[\\w-]+)')}(?:\\?|$)`),
  }))
  return (request, response) => {
    const { method, url, headers } = request
    if (method !== 'GET' || url === undefined || !PLAIN_HOST.test(headers.host ?? '')) return false
    for (const { one, name, pattern } of routes) {
      const match = pattern.exec(url)
      if (match === null) continue
      const header = (wanted: string) => headers[wanted.toLowerCase()]?.toString()
      const arrival = { method, header, remoteAddress: request.socket.remoteAddress }
      const params = { ...match.groups }
      answer(arrival, name, (facts, progress) => serve(one, { url, params, facts, progress }))
        .then((answered) => send(response, answered, unread))
        .catch((error) => {
          log.error('request.unsent', { route: name, error: errorField(error) })
          response.destroy()
        })
      return true
    }
    return false
  }
}

function send(response: ServerResponse, { reply, whose, common }: Answered<Reply>, unread: Unread): void {
  const { content, bytes, headers } = sentAs(reply, common)
  unread(whose, bytes, response)
  if (content === null) return void response.writeHead(reply.status, headers).end()
  response.writeHead(reply.status, { ...headers, 'Content-Length': bytes }).end(content)
}
