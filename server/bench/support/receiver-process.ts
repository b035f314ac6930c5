/**
 * A receiving site as a process of its own. Answers every POST with 200 and a short body, and keeps the arrivals.
 * Over IPC: `reset` forgets, `count` tells how many came, `arrivals` gives [delivery id, path, milliseconds since 1970].
 * Requests to /hang are never answered, and not counted. Those to /after/300 are answered, and counted, 300 milliseconds later.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Arrival = [id: string, path: string, at: number]
export type ReceiverQuestion = { ask: 'reset' | 'count' | 'arrivals'; keep?: boolean; skip?: number }

let count = 0
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

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
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
})
server.requestTimeout = 0
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port }) // it listens on TCP
})

process.on('message', (question: ReceiverQuestion) => {
  if (question.ask === 'reset') {
    count = 0
    lastAt = 0
    arrivals = []
    keep = question.keep === true
    skip = question.skip ?? 0
    process.send?.({})
  } else if (question.ask === 'count') process.send?.({ count, firstAt, lastAt })
  else process.send?.({ arrivals })
})
process.on('disconnect', () => process.exit(0))
