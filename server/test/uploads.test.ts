/** An endpoint that takes an upload gets a stream, of what it accepts. */
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../src/platform/http/endpoint.ts'
import { serveEndpoints } from './support/endpoints.ts'
import { request } from './support/http.ts'
import { startService, type TestService } from './support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

it('passes on what comes, and refuses other types and what is too large, announced or not', async () => {
  const files = endpoint({
    method: 'post',
    path: '/api/files',
    name: 'files',
    tag: 'Test',
    summary: 'Files',
    description: 'Files.',
    auth: null,
    upload: { mostBytes: 1_000_000, types: ['text/plain'] },
    replies: { 201: { description: 'Its length.', schema: z.object({ length: z.int() }), examples: {} } },
    errors: [],
    handler: async ({ upload }) => ({
      status: 201,
      body: { length: upload === undefined ? 0 : (await text(upload.bytes)).length },
    }),
  })
  const url = `http://127.0.0.1:${await serveEndpoints(service.ctx, [files])}/api/files`
  const send = async (raw: string, type = 'text/plain; charset=utf-8') =>
    request(url, { method: 'POST', raw, headers: { 'content-type': type } })
  expect(await send('x'.repeat(900_000))).toMatchObject({ status: 201, json: { length: 900_000 } })
  expect((await send('<svg/>', 'image/svg+xml')).json).toMatchObject({ error: 'unsupported_media_type' })
  expect((await send('x'.repeat(1_100_000))).status).toBe(413)
  const pieces = ReadableStream.from(Array.from({ length: 20 }, () => new TextEncoder().encode('x'.repeat(60_000))))
  const headers = { 'content-type': 'text/plain' }
  const answer = await fetch(url, { method: 'POST', body: pieces, headers, duplex: 'half' })
  expect(answer.status).toBe(413)
})
