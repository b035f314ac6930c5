/** Large bodies are worked on a few at a time, and small ones beside them. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../src/platform/http/endpoint.ts'
import { createPipeline } from '../src/platform/http/pipeline.ts'
import { startService, type TestService } from './support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

it('of six bodies of 1.5 MB two are in memory as objects, and a small one need not wait for them', async () => {
  let [atOnce, most, largeDone] = [0, 0, 0]
  let [mayEnd, end] = [Promise.resolve(), () => {}]
  mayEnd = new Promise((resolve) => {
    end = resolve
  })
  const { app } = createPipeline(
    service.ctx,
    [
      endpoint({
        method: 'post',
        path: '/api/echo',
        name: 'echo',
        tag: 'Test',
        summary: 'Echo',
        description: 'Echo.',
        auth: null,
        body: z.strictObject({ text: z.string() }),
        bodyExamples: {},
        replies: { 200: { description: 'Its length.', schema: z.object({ length: z.int() }), examples: {} } },
        errors: [],
        async handler({ body }) {
          if (body.text.length < 1_000) return { status: 200, body: { length: body.text.length } }
          atOnce += 1
          most = Math.max(most, atOnce)
          await mayEnd
          atOnce -= 1
          largeDone += 1
          return { status: 200, body: { length: body.text.length } }
        },
      }),
    ],
    [],
  )
  const send = (length: number) =>
    app.request('/api/echo', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ text: 'a'.repeat(length) }),
    })
  const large = Array.from({ length: 6 }, () => send(1_500_000))
  expect((await send(10)).status).toBe(200)
  while (atOnce < 2) await new Promise((resolve) => setTimeout(resolve, 1))
  expect(largeDone).toBe(0)
  end()
  expect((await Promise.all(large)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  expect(most).toBe(2)
})
