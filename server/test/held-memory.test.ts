/** What clients do not read, or do not send to the end, takes bounded memory, and harms nobody but who does so. */
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../src/platform/http/endpoint.ts'
import { createListener } from '../src/platform/http/listener.ts'
import { createPipeline } from '../src/platform/http/pipeline.ts'
import { startService, type TestService } from './support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startService({ TRUST_PROXY: '127.0.0.0/8' })
})
afterAll(() => service.stop())

const MIB = 1024 * 1024
/** More than the buffers of both sockets hold. */
const ANSWER = JSON.stringify('x'.repeat(24 * MIB))

/** A server that answers with far more than is asked for. `open` sends a request of a client's, and reads nothing. */
async function listening() {
  const shared = { tag: 'Test', summary: 'Test', description: 'Test.', auth: null, errors: [] }
  const replies = { 200: { description: 'Text.', schema: z.string(), examples: {} } }
  const asked: Array<() => void> = []
  const reply = async () => ({ status: 200 as const, json: ANSWER })
  const get = { ...shared, method: 'get' as const, replies, handler: reply }
  const read = endpoint({ ...get, path: '/api/large', name: 'large' })
  const direct = endpoint({ ...get, path: '/api/direct', name: 'direct', hot: true })
  const late = endpoint({
    ...get,
    path: '/api/late',
    name: 'late',
    hot: true,
    handler: async () => {
      await new Promise<void>((resolve) => asked.push(resolve))
      return reply()
    },
  })
  const write = endpoint({
    ...shared,
    method: 'post',
    path: '/api/length',
    name: 'length',
    body: z.string(),
    bodyExamples: {},
    replies,
    handler: async ({ body }) => ({ status: 200, body: String(body.length) }),
  })
  const server = createListener(service.ctx, createPipeline(service.ctx, [read, direct, late, write], []))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const open = (client: number, head: string, body = ''): Socket => {
    const socket = connect(port, '127.0.0.1').pause()
    socket.write(`${head} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.${client}\r\nConnection: close\r\n`)
    socket.write(`Content-Type: application/json\r\n`)
    socket.write(body === '' ? '\r\n' : `Content-Length: ${2 * MIB}\r\n\r\n${body}`)
    return socket.on('error', () => {})
  }
  return { open, asked }
}

it.each(['/api/large', '/api/direct'])('answers of %s that nobody reads', async (path) => {
  const { open } = await listening()
  const ask = async (client: number) => {
    const socket = open(client, `GET ${path}`)
    await once(socket, 'readable')
    return socket
  }
  const patient = await ask(1)
  const greedy = [await ask(2), await ask(2), await ask(2), await ask(2), await ask(2)]
  const read = await Promise.all([patient, ...greedy].map((socket) => text(socket).catch(() => '')))
  const complete = read.map((answer) => answer.endsWith(ANSWER.slice(-100)))
  expect(complete).toEqual([true, false, true, true, true, true])
})

it('answers to those who have gone are not counted', async () => {
  const { open, asked } = await listening()
  const impatient = Array.from({ length: 8 }, () => open(2, 'GET /api/late'))
  await expect.poll(() => asked.length).toBe(8)
  await Promise.all(impatient.map((socket) => once(socket.destroy(), 'close')))
  await new Promise((resolve) => setTimeout(resolve, 100)) // by now the server knows
  for (const answer of asked.splice(0)) answer()
  const answers = await Promise.all([2, 2, 2, 2].map((client) => text(open(client, 'GET /api/direct'))))
  expect(answers.map((answer) => answer.endsWith(ANSWER.slice(-100)))).toEqual([true, true, true, true])
})

it('bodies that nobody sends to the end', async () => {
  const { open } = await listening()
  const begun = `"${'x'.repeat(1.5 * MIB)}`
  const patient = open(1, 'POST /api/length', begun)
  const greedy = Array.from({ length: 90 }, () => open(2, 'POST /api/length', begun))
  const answers = greedy.map(async (socket) => String((await once(socket, 'data'))[0]))
  for (const socket of greedy) socket.resume()
  expect(await Promise.race(answers)).toMatch(/^HTTP\/1.1 503 [\s\S]*"unavailable"/)
  const rest = 2 * MIB - begun.length
  patient.write(`${'x'.repeat(rest - 1)}"`)
  expect(await text(patient)).toMatch(new RegExp(`^HTTP/1.1 200 [\\s\\S]*"${2 * MIB - 2}"$`))
})
