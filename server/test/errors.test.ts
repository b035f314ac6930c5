/** Every documented error of every endpoint. The table must cover exactly what the endpoints declare. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FailureKind, wireOf } from '../src/platform/errors.ts'
import { type Endpoint, possibleFailures } from '../src/platform/http/endpoint.ts'
import { MAX_BODY_BYTES } from '../src/platform/http/json.ts'
import { endpoints } from '../src/routes.ts'
import { type PlainResponse, request } from './support/http.ts'
import { startService, type TestService } from './support/service.ts'

let service: TestService
let token: string
let ids: { post: string; site: string }

beforeAll(async () => {
  service = await startService()
  const registered = await request(`${service.url}/api/auth/register`, { method: 'POST', body: person })
  token = String(registered.json.token)
  const post = await send('POST', '/api/posts', { title: 'Taken', slug: 'taken' })
  const other = await send('POST', '/api/posts', { title: 'Other' })
  const site = await send('POST', '/api/sites', {
    name: 'S',
    url: 'https://example.com',
    webhook_url: 'https://example.com/hook',
  })
  expect([post.status, other.status, site.status]).toEqual([201, 201, 201])
  ids = { post: String(other.json.id), site: String(site.json.id) }
})
afterAll(() => service.stop())

const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
const NOWHERE = '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11'

function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<PlainResponse> {
  return request(service.url + path, { method, token, body, headers })
}

function pathOf(one: Endpoint, id?: string): string {
  return one.path.replace('{id}', id ?? (one.path.startsWith('/api/sites') ? ids.site : ids.post))
}

/** A body that its endpoint accepts, for failures that have nothing to do with the body. */
const validBodies: Record<string, unknown> = {
  register: person,
  login: { email: person.email, password: person.password },
  createPost: { title: 'x' },
  updatePost: {},
  publishPost: {},
  createSite: { name: 'S', url: 'https://example.com', webhook_url: 'https://example.com/hook' },
  updateSite: {},
  retryPost: {},
}

/** A service whose limits are used up by one registration and one request. */
let strict: { service: TestService; token: string }
beforeAll(async () => {
  const limited = await startService({ RATE_LIMIT_AUTH: '1/min', RATE_LIMIT_STARTER: '1/h' })
  const registered = await request(`${limited.url}/api/auth/register`, { method: 'POST', body: person })
  strict = { service: limited, token: String(registered.json.token) }
  expect((await request(`${limited.url}/api/posts`, { token: strict.token })).status).toBe(200)
})
afterAll(() => strict.service.stop())

type Provoke = (one: Endpoint) => Promise<PlainResponse>

/** How to provoke a kind of failure at any endpoint. */
const anywhere: Partial<Record<FailureKind, Provoke>> = {
  unauthorized: (one) =>
    request(service.url + pathOf(one), { method: one.method.toUpperCase(), body: validBodies[one.name] }),
  rate_limited: (one) =>
    request(strict.service.url + pathOf(one), {
      method: one.method.toUpperCase(),
      token: strict.token,
      body: validBodies[one.name],
    }),
  not_found: (one) => send(one.method.toUpperCase(), pathOf(one, NOWHERE), validBodies[one.name]),
  too_large: (one) =>
    request(service.url + pathOf(one), {
      method: one.method.toUpperCase(),
      token,
      raw: `"${'x'.repeat(MAX_BODY_BYTES)}"`,
    }),
  unsupported_media_type: (one) =>
    request(service.url + pathOf(one), {
      method: one.method.toUpperCase(),
      token,
      raw: 'title=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  invalid: (one) =>
    one.query === undefined
      ? send(one.method.toUpperCase(), pathOf(one), { no_such_field: 1 })
      : send(one.method.toUpperCase(), `${pathOf(one)}?page=0&from=x`),
}

/** How to provoke it where it takes something particular. */
const particular: Record<string, Partial<Record<FailureKind, Provoke>>> = {
  register: { conflict: () => send('POST', '/api/auth/register', person) },
  login: { unauthorized: () => send('POST', '/api/auth/login', { email: person.email, password: 'wrong horse' }) },
  createPost: { conflict: () => send('POST', '/api/posts', { title: 'x', slug: 'taken' }) },
  updatePost: {
    conflict: (one) => send('PATCH', pathOf(one), { slug: 'taken' }),
    precondition_failed: (one) => send('PATCH', pathOf(one), { title: 'y' }, { 'if-match': '"99"' }),
  },
  deletePost: { precondition_failed: (one) => send('DELETE', pathOf(one), undefined, { 'if-match': '"99"' }) },
}

const REVEALING = /at .*\.ts|node_modules|select |insert |stack|password_hash/i

function expectError(response: PlainResponse, status: number, error: string): void {
  expect({ status: response.status, error: response.json.error }).toEqual({ status, error })
  expect(response.json.message).toEqual(expect.any(String))
  expect(JSON.stringify(response.json)).not.toMatch(REVEALING)
  expect(response.headers.get('x-request-id')).toBeTruthy()
  expect(response.headers.get('content-type')).toContain('application/json')
}

const rows = endpoints.flatMap((one) =>
  possibleFailures(one)
    .filter((kind) => kind !== 'unavailable')
    .map((kind) => ({ name: one.name, kind, one })),
)

describe.each(rows)('$name answers $kind', ({ one, kind }) => {
  it('as documented', async () => {
    const provoke = particular[one.name]?.[kind] ?? anywhere[kind]
    if (provoke === undefined) throw new Error(`nothing provokes ${kind} at ${one.name}`)
    const { status, error } = wireOf(kind)
    const response = await provoke(one)
    expectError(response, status, error)
    if (kind === 'rate_limited') {
      expect(response.json.retry_after).toBe(Number(response.headers.get('retry-after')))
      expect(response.headers.get('ratelimit-remaining')).toBe('0')
    }
    if (kind === 'invalid' || kind === 'conflict') expect(response.json.field).toEqual(expect.any(String))
  })
})

describe('any address', () => {
  it('that is unknown answers not_found', async () => {
    expectError(await send('GET', '/api/nothing'), 404, 'not_found')
    expectError(await send('GET', '/api/posts/a/b/c'), 404, 'not_found')
  })

  it('answers method_not_allowed with what is allowed', async () => {
    const response = await send('PUT', `/api/posts/${ids.post}`)
    expectError(response, 405, 'method_not_allowed')
    expect(response.headers.get('allow')).toBe('GET, HEAD, PATCH, DELETE')
  })

  it.each([
    'not-a-uuid',
    '..',
    '%00',
    '%ff',
    '%F0%9F%8C%B1',
    "'; drop table posts; --",
    'x'.repeat(5000),
    '019A3E5C-7B1E-7C4D-9F00-2B6F0D1C8A11',
  ])('with the id %j is a resource that does not exist', async (id) => {
    for (const noun of ['posts', 'sites']) {
      expectError(
        await send('GET', `/api/${noun}/${id.startsWith('%') || id === '..' ? id : encodeURIComponent(id)}x`),
        404,
        'not_found',
      )
    }
  })
})

describe('when the database is away', () => {
  let stranded: TestService
  beforeAll(async () => {
    stranded = await startService()
    const registered = await request(`${stranded.url}/api/auth/register`, { method: 'POST', body: person })
    token = String(registered.json.token)
    await stranded.cutDatabase()
  })

  it.each(endpoints.map((one) => ({ name: one.name, one })))(
    '$name answers unavailable, never 401 or 404',
    async ({ one }) => {
      const response = await request(stranded.url + pathOf(one), {
        method: one.method.toUpperCase(),
        token,
        body: validBodies[one.name],
      })
      expectError(response, 503, 'unavailable')
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    },
  )

  it('is alive but not ready', async () => {
    expect((await request(`${stranded.url}/healthz`)).status).toBe(200)
    expect((await request(`${stranded.url}/readyz`)).status).toBe(503)
  })
})

describe('when something unexpected happens', () => {
  it('answers internal_error with the request id, reveals nothing else and logs the cause', async () => {
    const broken = await startService()
    await sql`alter table accounts rename column email_key to email_key_gone`.execute(broken.ctx.db.root)
    const response = await request(`${broken.url}/api/auth/login`, { method: 'POST', body: validBodies.login })
    expectError(response, 500, 'internal_error')
    expect(response.json).toEqual({
      error: 'internal_error',
      message: expect.any(String),
      request_id: response.headers.get('x-request-id'),
    })
    const line = broken.logged.find(({ event }) => event === 'request.failed')
    expect(JSON.stringify(line)).toContain('email_key')
    await broken.stop()
  })
})
