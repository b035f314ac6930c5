/** What clients do not read, or do not send to the end, takes bounded memory: each client has a part of it. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../src/platform/http/endpoint.ts'
import { serveEndpoints } from './support/endpoints.ts'
import { startService, type TestService } from './support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startService({ TRUST_PROXY: '127.0.0.0/8' })
})
afterAll(() => service.stop())

const MIB = 1024 * 1024
/** More than the buffers of both sockets hold. */
const ANSWER = JSON.stringify('x'.repeat(12 * MIB))

/** A server that answers with far more than is asked for. `open` sends a request of a client's, and reads nothing. */
async function listening() {
  const shared = { tag: 'Test', summary: 'Test', description: 'Test.', auth: null, errors: [] }
  const replies = { 200: { description: 'Text.', schema: z.string(), examples: {} } }
  const held: Array<() => void> = []
  const get = { ...shared, method: 'get' as const, replies }
  const large = async () => ({ status: 200 as const, content: ANSWER })
  const port = await serveEndpoints(service.ctx, [
    endpoint({ ...get, path: '/api/large', name: 'large', handler: large }),
    endpoint({
      ...get,
      path: '/api/late',
      name: 'late',
      async handler() {
        await new Promise<void>((resolve) => held.push(resolve))
        return large()
      },
    }),
    endpoint({
      ...shared,
      method: 'post',
      path: '/api/length',
      name: 'length',
      body: z.string(),
      bodyExamples: {},
      replies,
      handler: async ({ body }) => ({ status: 200, body: String(body.length) }),
    }),
  ])
  const open = (client: number, head: string, body = ''): Socket => {
    const socket = connect(port, '127.0.0.1').pause()
    socket.write(`${head} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.${client}\r\nConnection: close\r\n`)
    socket.write(`Content-Type: application/json\r\n`)
    socket.write(body === '' ? '\r\n' : `Content-Length: ${2 * MIB}\r\n\r\n${body}`)
    return socket.on('error', () => {})
  }
  const statusOf = async (socket: Socket) => (await text(socket)).slice(9, 12)
  return { open, held, statusOf }
}

it('answers that a client leaves unread use up its part, and are sent when there is room again', async () => {
  const { open, statusOf } = await listening()
  const ask = async (client: number) => {
    const socket = open(client, 'GET /api/large')
    await once(socket, 'readable')
    return socket
  }
  const unread = [await ask(2), await ask(2)]
  expect(await statusOf(await ask(2))).toBe('503')
  const [whole] = await Promise.all([await ask(1), ...unread].map((socket) => text(socket)))
  expect(whole?.endsWith(ANSWER.slice(-100))).toBe(true)
  expect(await statusOf(await ask(2))).toBe('200')
})

it('answers to those who have gone are not counted', async () => {
  const { open, held, statusOf } = await listening()
  const impatient = Array.from({ length: 8 }, () => open(2, 'GET /api/late'))
  await expect.poll(() => held.length).toBe(8)
  await Promise.all(impatient.map((socket) => once(socket.destroy(), 'close')))
  await new Promise((resolve) => setTimeout(resolve, 100)) // by now the server knows
  for (const answer of held.splice(0)) answer()
  expect(await Promise.all([2, 2].map((client) => statusOf(open(client, 'GET /api/large'))))).toEqual(['200', '200'])
})

it('bodies that a client does not send to the end use up its part, and nobody else’s', async () => {
  const { open } = await listening()
  const begun = `"${'x'.repeat(1.5 * MIB)}`
  const patient = open(1, 'POST /api/length', begun)
  const greedy = Array.from({ length: 20 }, () => open(2, 'POST /api/length', begun))
  const answers = greedy.map(async (socket) => String((await once(socket, 'data'))[0]))
  for (const socket of greedy) socket.resume()
  expect(await Promise.race(answers)).toMatch(/^HTTP\/1.1 503 [\s\S]*"unavailable"/)
  const rest = 2 * MIB - begun.length
  patient.write(`${'x'.repeat(rest - 1)}"`)
  expect(await text(patient)).toMatch(new RegExp(`^HTTP/1.1 200 [\\s\\S]*"${2 * MIB - 2}"$`))
})
