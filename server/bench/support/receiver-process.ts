/**
 * A process that receives as one site per port, over TLS if it is given a certificate. It answers every POST with 200 and a short
 * body, and keeps the arrivals if told to.
 * Over IPC: `reset` forgets, `count` tells how many came, `arrivals` gives [delivery id, path, milliseconds since 1970].
 * Requests to /hang are never answered, and not counted. Those to /after/300 are answered, and counted, 300 milliseconds later.
 */
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestCertificate } from '../../src/platform/egress/test-certificates.ts'

export type Arrival = [id: string, path: string, at: number]
/** `ports`: how many to listen on. */
export type ReceiverOptions = { ports: number; certificate?: TestCertificate | undefined }
export type ReceiverQuestion = { ask: 'reset' | 'count' | 'arrivals'; keep?: boolean; skip?: number }

let count = 0
let connections = 0
let keep = false
let skip = 0
let firstAt = 0
let lastAt = 0
let arrivals: Arrival[] = []

function answer(response: ServerResponse, at: number): void {
  count += 1
  lastAt = at
  if (count === skip + 1) firstAt = at
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '2' })
  response.end('ok')
}

const onRequest: RequestListener = (request, response) => {
  const at = performance.timeOrigin + performance.now()
  const path = request.url ?? ''
  if (keep) arrivals.push([String(request.headers['x-service-delivery'] ?? ''), path, at])
  request.on('data', () => {})
  request.on('end', () => {
    if (path.startsWith('/hang')) return
    const [, afterMs] = /^\/after\/(\d+)/.exec(path) ?? []
    if (afterMs === undefined) answer(response, at)
    else setTimeout(() => answer(response, performance.timeOrigin + performance.now()), Number(afterMs))
  })
}

const { ports, certificate }: ReceiverOptions = JSON.parse(process.argv[2] ?? '')
const settings = { keepAliveTimeout: 60_000, requestTimeout: 0 }
const listening = Array.from({ length: ports }, async () => {
  const server =
    certificate === undefined
      ? createServer(settings, onRequest)
      : createTlsServer({ ...settings, cert: certificate.cert, key: certificate.key }, onRequest)
  server.on('connection', () => {
    connections += 1
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port // it listens on TCP
})
void Promise.all(listening).then((found) => process.send?.({ ports: found }))

process.on('message', (question: ReceiverQuestion) => {
  if (question.ask === 'reset') {
    count = 0
    connections = 0
    lastAt = 0
    arrivals = []
    keep = question.keep === true
    skip = question.skip ?? 0
    process.send?.({})
  } else if (question.ask === 'count') process.send?.({ count, connections, firstAt, lastAt })
  else process.send?.({ arrivals })
})
process.on('disconnect', () => process.exit(0))
