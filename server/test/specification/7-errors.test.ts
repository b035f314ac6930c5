/** Section 7 of the specification: every error, its status, its whole body and its headers. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Api, newApi } from '../support/api.ts'
import { request } from '../support/http.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let api: Api

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_STARTER: '10/h' })
  api = await newApi(service)
})
afterAll(() => service.stop())

const message = expect.stringMatching(/^[A-Z].*\.$/)

it('§7 400 validation_error', async () => {
  const { status, json } = await api.post('/api/posts', { excerpt: 'no title' })
  expect({ status, json }).toEqual({ status: 400, json: { error: 'validation_error', message, field: 'title' } })
  const nested = await api.post('/api/posts', { title: 'x', meta: { description: 5 } })
  expect(nested.json).toEqual({ error: 'validation_error', message, field: 'meta.description' })
})

it('§7 401 unauthorized', async () => {
  for (const headers of [{}, { authorization: 'Bearer x.y.z' }]) {
    const { status, json, headers: answered } = await request(`${service.url}/api/posts`, { headers })
    expect({ status, json }).toEqual({ status: 401, json: { error: 'unauthorized', message } })
    expect(answered.get('www-authenticate')).toBe('Bearer')
  }
  for (const headers of [{}, { 'x-api-key': 'sk_nobody' }]) {
    const { status, json, headers: answered } = await request(`${service.url}/api/pull/posts`, { headers })
    expect({ status, json }).toEqual({ status: 401, json: { error: 'unauthorized', message } })
    expect(answered.get('www-authenticate')).toBe('ApiKey')
  }
  const { token } = await newApi(service)
  service.clock.advance(7 * 86_400_000)
  const { status, json } = await request(`${service.url}/api/posts`, { token })
  expect({ status, json }).toEqual({ status: 401, json: { error: 'unauthorized', message } })
  api = await newApi(service)
})

it('§7 404 not_found', async () => {
  for (const path of ['/api/posts/nothing', '/api/sites/019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11', '/api/nothing']) {
    const { status, json } = await api.get(path)
    expect({ status, json }).toEqual({ status: 404, json: { error: 'not_found', message } })
  }
})

it('§7 429 rate_limited', async () => {
  const owner = await newApi(service)
  for (let count = 0; count < 10; count += 1) expect((await owner.get('/api/posts')).status).toBe(200)
  service.clock.advance(59 * 60_000 + 500)
  const { status, json, headers } = await owner.get('/api/posts')
  expect({ status, json }).toEqual({ status: 429, json: { error: 'rate_limited', message, retry_after: 60 } })
  expect(headers.get('retry-after')).toBe('60')
  service.clock.advance(60_000)
  expect((await owner.get('/api/posts')).status).toBe(200)
})

it('§7 500 internal_error', async () => {
  const broken = await startService()
  await sql`alter table accounts rename column email_key to email_key_gone`.execute(broken.ctx.db.root)
  const body = { email: 'ada@example.com', password: 'correct horse' }
  const { status, json, headers } = await request(`${broken.url}/api/auth/login`, { method: 'POST', body })
  const request_id = headers.get('x-request-id')
  expect(request_id).toMatch(/^[0-9a-f-]{36}$/)
  expect({ status, json }).toEqual({ status: 500, json: { error: 'internal_error', message, request_id } })
  await broken.stop()
})
