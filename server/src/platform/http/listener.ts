/**
 * The Node side of HTTP. Bytes that are not HTTP, and requests without an address to route by, never reach the pipeline, but
 * are answered like every other refusal: JSON, with a request id.
 */
import { createServer, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Context } from '../context.ts'
import { type Failure, fail, invalid } from '../errors.ts'
import type { Pipeline } from './pipeline.ts'

type Refusal = { status: number; headers: Record<string, string>; body: string }

/** Proxies keep idle connections for about a minute. The proxy must be the first to close one, or requests on the way are lost. */
const KEEP_ALIVE_MS = 75_000

/**
 * A client that takes nothing of its answer for this long is given up, with the answer's memory: a host that disappeared would keep it
 * for ever. Long, because what a slow client takes is noticed only by the megabyte. Event streams have heartbeats.
 */
const STALLED_MS = 300_000

/** A server, not listening yet, that passes every request to the pipeline. A client that takes nothing for `stalledMs` is given up. */
export function createListener(
  ctx: Pick<Context, 'ids' | 'log'>,
  { app, direct }: Pipeline,
  stalledMs = STALLED_MS,
): Server {
  const answer = getRequestListener(app.fetch, {
    // Stands in for the header Host, which only requests of HTTP/1.0 may lack.
    hostname: 'localhost',
    errorHandler(error) {
      // The pipeline answers its own errors; any other error here is the adapter's.
      if (!(error instanceof RequestError)) return new Response(null, { status: 500 })
      const { status, headers, body } = refusal(ctx, invalid('url', 'The address or the header Host is not valid.'))
      return new Response(body, { status, headers })
    },
  })
  const options = { requireHostHeader: false, keepAliveTimeout: KEEP_ALIVE_MS }
  const server = createServer(options, (request, response) => {
    // Without this listener, connections whose clients wait for us would end too.
    response.on('timeout', (socket) => {
      if (socket.writableLength > 0) socket.destroy()
    })
    if (request.headers.host !== undefined || request.httpVersion === '1.0')
      return direct(request, response) ? undefined : answer(request, response)
    const { status, headers, body } = refusal(ctx, invalid('Host', 'The header Host is missing.'))
    response.writeHead(status, headers).end(body)
  })
  server.timeout = stalledMs
  // An expectation other than 100-continue may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('clientError', (error, socket) => refuseBytes(ctx, error, socket))
  return server
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
