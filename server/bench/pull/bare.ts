/** The yardstick, in a process of its own: `node:http` with prepared answers. It takes them from the service, headers included. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'
import type { Request } from './load-process.ts'

/** Which service to take the answers from, and for which requests (a file with a JSON array). */
export type BareTask = { service: string; requests: string }

/** Headers that Node writes by itself. */
const OWN = new Set(['connection', 'date', 'keep-alive'])

const task: BareTask = JSON.parse(process.argv[2] ?? '') // given by pull.ts
const requests: Request[] = JSON.parse(await readFile(task.requests, 'utf8')) // written by the same
const answers = new Map<string, { headers: Record<string, string>; body: Buffer }>()
for (const { path, headers } of requests) {
  const response = await request(task.service + path, { headers })
  if (response.statusCode !== 200) throw new Error(`${path} is answered with ${response.statusCode}`)
  const kept = Object.entries(response.headers).filter(([name]) => !OWN.has(name))
  answers.set(`${headers['X-API-Key']} ${path}`, {
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    body: Buffer.from(await response.body.arrayBuffer()),
  })
}

const server = createServer((incoming, response) => {
  const answer = answers.get(`${incoming.headers['x-api-key']} ${incoming.url}`)
  if (answer === undefined) response.writeHead(404).end()
  else if (incoming.headers['if-none-match'] === answer.headers.etag) {
    const { 'content-length': _, 'content-type': __, ...headers } = answer.headers
    response.writeHead(304, headers).end()
  } else response.writeHead(200, answer.headers).end(answer.body)
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port }) // it listens on TCP
})
process.on('disconnect', () => process.exit(0))
