/**
 * The Node side of HTTP. Bytes that are not HTTP, and requests without an address to route by, never reach the pipeline, but
 * are answered like every other refusal: JSON, with a request id.
 */
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Context } from '../context.ts'
import { type Failure, fail, invalid } from '../errors.ts'
import type { Pipeline } from './pipeline.ts'

type Refusal = { status: number; headers: Record<string, string>; body: string }

/** Proxies keep idle connections for about a minute. The proxy must be the first to close one, or requests on the way are lost. */
const KEEP_ALIVE_MS = 75_000

/**
 * A client that takes nothing of its answer for this long is cut off, with the answer's memory: a host that disappeared would keep it
 * for ever. Long, because what a slow client takes is noticed only by the megabyte. Event streams have heartbeats.
 */
const STALLED_MS = 300_000

/** Above this many connections, new ones are closed at once. All event streams together are fewer. */
const MOST_CONNECTIONS = 10_000

/** A server, not listening yet, that passes every request to the pipeline. A client that takes nothing for `stalledMs` is cut off. */
export function createListener(ctx: Pick<Context, 'ids' | 'log'>, pipeline: Pipeline, stalledMs = STALLED_MS): Server {
  const options = { requireHostHeader: false, keepAliveTimeout: KEEP_ALIVE_MS }
  const server = createServer(options, (request, response) => {
    // Without this listener, connections whose clients wait for us would end too.
    response.on('timeout', (socket) => {
      if (socket.writableLength > 0) socket.destroy()
    })
    const problem = problemOf(request)
    const url = urlOf(request.url ?? '')
    if (problem === undefined && url !== undefined) return pipeline(request, url, response)
    const { status, headers, body } = refusal(ctx, problem ?? invalid('url', 'The address is not valid.'))
    response.writeHead(status, headers).end(body)
  })
  server.maxConnections = MOST_CONNECTIONS
  server.timeout = stalledMs
  // An expectation other than 100-continue may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('clientError', (error, socket) => refuseBytes(ctx, error, socket))
  return server
}

/** A name or an address with a port, or what the URL parser takes for one. */
const PLAIN_HOST = /^[\w.-]+(?::\d+)?$/
const NO_HOST = /[\s/?#@\\]/

/** Only requests of HTTP/1.0 may lack the header Host. */
function problemOf({ headers: { host }, httpVersion }: IncomingMessage): Failure | undefined {
  if (host === undefined) return httpVersion === '1.0' ? undefined : invalid('Host', 'The header Host is missing.')
  if (PLAIN_HOST.test(host) || (!NO_HOST.test(host) && URL.canParse(`http://${host}`))) return undefined
  return invalid('Host', 'The header Host is not valid.')
}

/** The path and the query of a request, which proxies may send with an address before them; undefined if they are not valid. */
function urlOf(url: string): string | undefined {
  if (url.startsWith('/')) return url.includes('\\') || url.includes('#') ? undefined : url
  const parsed = /^https?:/i.test(url) ? URL.parse(url) : null
  return parsed === null ? undefined : parsed.pathname + parsed.search
}

/** Answers bytes that the parser cannot read, if the client is still connected, and closes the connection. */
function refuseBytes(ctx: Pick<Context, 'ids' | 'log'>, error: Error, socket: Duplex): void {
  const code = 'code' in error ? error.code : undefined
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const { status, headers, body } = refusal(ctx, failureOf(code))
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`)
}

function failureOf(code: unknown): Failure {
  if (code === 'HPE_HEADER_OVERFLOW') return fail('too_large', 'The address and the headers are too large.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return invalid('request', 'The request did not arrive in time.')
  return invalid('request', 'This is not a valid HTTP request.')
}

function refusal({ ids, log }: Pick<Context, 'ids' | 'log'>, failure: Failure): Refusal {
  const requestId = ids.next()
  log.info('request.done', { request_id: requestId, route: 'unreadable', status: failure.status })
  const body = JSON.stringify(failure.toBody())
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    Connection: 'close',
  }
  return { status: failure.status, headers, body }
}
