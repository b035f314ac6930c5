/** Large bodies are worked on a few at a time, and small ones beside them. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { type AuthScheme, endpoint } from '../src/platform/http/endpoint.ts'
import { newApi } from './support/api.ts'
import { serveEndpoints } from './support/endpoints.ts'
import { request } from './support/http.ts'
import { startService, type TestService } from './support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** Everybody is who they say. */
const byName: AuthScheme<string> = {
  name: 'byName',
  document: { type: 'apiKey', in: 'header', name: 'Name', description: 'A name.' },
  authenticate: async (_, { header }) => header('Name') ?? '',
  tenant: (name) => name,
  bucket: (_, name) => ({ name, limit: 'off' }),
}

/** An endpoint that keeps large bodies until `end`. `send` sends a text of this length in somebody's name. */
async function holding() {
  const counts = { atOnce: 0, most: 0, done: 0, order: [] as string[] }
  const ended = Promise.withResolvers<void>()
  const port = await serveEndpoints(service.ctx, [
    endpoint({
      method: 'post',
      path: '/api/echo',
      name: 'echo',
      tag: 'Test',
      summary: 'Echo',
      description: 'Echo.',
      auth: byName,
      body: z.strictObject({ text: z.string() }),
      bodyExamples: {},
      replies: { 200: { description: 'Its length.', schema: z.object({ length: z.int() }), examples: {} } },
      errors: [],
      async handler({ body, principal }) {
        if (body.text.length < 1_000) return { status: 200, body: { length: body.text.length } }
        counts.order.push(principal)
        counts.atOnce += 1
        counts.most = Math.max(counts.most, counts.atOnce)
        await ended.promise
        counts.atOnce -= 1
        counts.done += 1
        return { status: 200, body: { length: body.text.length } }
      },
    }),
  ])
  const send = async (length: number, name = 'Ada') =>
    request(`http://127.0.0.1:${port}/api/echo`, {
      method: 'POST',
      headers: { name },
      body: { text: 'a'.repeat(length) },
    })
  return { counts, send, end: ended.resolve }
}

it('of six bodies of 1.5 MB two are in memory as objects, and a small one need not wait for them', async () => {
  const { counts, send, end } = await holding()
  const large = Array.from({ length: 6 }, () => send(1_500_000))
  expect((await send(10)).status).toBe(200)
  while (counts.atOnce < 2) await new Promise((resolve) => setTimeout(resolve, 1))
  expect(counts.done).toBe(0)
  end()
  expect((await Promise.all(large)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  expect(counts.most).toBe(2)
})

it('so many of them arrive and wait that memory is bounded; who comes then is asked to come again', async () => {
  const { send, end } = await holding()
  const large = Array.from({ length: 50 }, (_, index) => send(1_500_000, `name-${index}`))
  const refused = await Promise.race(large)
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('5')
  expect((await send(10)).status).toBe(200)
  end()
  const statuses = (await Promise.all(large)).map(({ status }) => status)
  // 64 MiB.
  expect(Object.groupBy(statuses, String)).toMatchObject({ 200: { length: 44 }, 503: { length: 6 } })
})

it('one account has a part of the budget, and its turn when others are waiting', async () => {
  const { counts, send, end } = await holding()
  const many = Array.from({ length: 20 }, () => send(1_500_000))
  expect((await Promise.race(many)).status).toBe(503)
  const other = send(1_500_000, 'Grace')
  while (counts.atOnce < 2) await new Promise((resolve) => setTimeout(resolve, 1))
  for (const _ of Array(50)) await send(10) // by now the other is waiting
  end()
  await Promise.all([other, ...many])
  // 16 MiB of Ada's.
  expect(counts.order).toHaveLength(12)
  expect(counts.order.indexOf('Grace')).toBeLessThan(6)
})

it('none is taken by what waits for other servers, which would keep others waiting', async () => {
  const api = await newApi(service)
  const answer = await api.post('/api/sites/detect-platform', { url: `https://example.com/${'a'.repeat(20_000)}` })
  expect([answer.status, answer.json.error]).toEqual([413, 'payload_too_large'])
})
