/** Every documented error of every endpoint, held against the document. The table must cover exactly what the endpoints declare. */
import { createClient } from '@postrider/sdk'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { issueToken } from '../src/accounts/tokens.ts'
import { type FailureKind, wireOf } from '../src/platform/errors.ts'
import { type Endpoint, endpoint, possibleFailures } from '../src/platform/http/endpoint.ts'
import { MAX_BODY_BYTES } from '../src/platform/http/json.ts'
import { createPreview } from '../src/posts/previews/operations.ts'
import { endpoints } from '../src/routes.ts'
import { readContract } from './support/contract.ts'
import { serveEndpoints } from './support/endpoints.ts'
import { type PlainResponse, request } from './support/http.ts'
import { type LogLine, recordingLog } from './support/log.ts'
import { smallPicture } from './support/pictures.ts'
import { startService, type TestService } from './support/service.ts'

/** A service with one account, and what its endpoints need. */
type Stage = {
  url: string
  service: TestService
  token: string
  cookie: string
  apiKey: string
  ids: { post: string; site: string; delivery: string; job: string; medium: string }
}

const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
const credentials = { email: person.email, password: person.password }
const site = { name: 'S', url: 'https://example.com', webhook_url: 'https://example.com/hook' }
const NOWHERE = '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11'

/**
 * Sets up an account with a site, a published post with the slug `taken` whose delivery is under way, a draft and a job: 1
 * auth request, 4 others.
 */
async function setStage(env: Record<string, string> = {}): Promise<Stage> {
  const service = await startService({
    IMPORT_MAX: '1MB',
    MEDIA_MAX: '1MB',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'post@example.com',
    ...env,
  })
  const post = async (path: string, body: unknown, token?: string, headers: Record<string, string> = {}) => {
    const { status, json } = await request(service.url + path, { method: 'POST', token, body, headers })
    expect([201, 202]).toContain(status)
    return json
  }
  const token = String((await post('/api/auth/register', person)).token)
  const created = await post('/api/sites', site, token)
  await post('/api/posts', { title: 'Taken', slug: 'taken', status: 'published' }, token)
  const delivery = await service.ctx.db.root.selectFrom('deliveries').select('id').executeTakeFirstOrThrow()
  const draft = await post('/api/posts', { title: 'Draft' }, token, { 'idempotency-key': 'used' })
  const job = await post('/api/posts/generate', { topic: 'Tomatoes' }, token)
  return {
    url: service.url,
    service,
    token,
    cookie: '',
    apiKey: String(created.api_key),
    ids: {
      post: String(draft.id),
      site: String(created.id),
      delivery: delivery.id,
      job: String(job.job_id),
      medium: '',
    },
  }
}

/** The cookie of a session that the account's own pages began. */
async function signIn(url: string): Promise<string> {
  const body = { ...credentials, session: 'cookie' }
  const { headers } = await request(`${url}/api/auth/login`, { method: 'POST', body, headers: { origin: url } })
  return headers.get('set-cookie')?.split(';')[0] ?? ''
}

/** The id of a picture that a post has. */
async function usedPicture({ url, token }: Stage): Promise<string> {
  const client = createClient({ baseUrl: url, token })
  const { id, url: address } = await client.media.upload(new Blob([await smallPicture()]))
  await client.posts.create({ title: 'Shown', body: { markdown: `![](${address})` } })
  return id
}

/** The token of another login, without using up the limit of logins. */
async function anotherToken({ service: { ctx } }: Stage): Promise<string> {
  const account = await ctx.db.root.selectFrom('accounts').selectAll().executeTakeFirstOrThrow()
  return (await issueToken(ctx, account, 'token')).token
}

let stage: Stage
/** Its limits are used up by setting the stage, and one pull. */
let strict: Stage
beforeAll(async () => {
  stage = await setStage()
  stage.cookie = await signIn(stage.url)
  stage.ids.medium = await usedPicture(stage)
  strict = await setStage({ RATE_LIMIT_AUTH: '1/min', RATE_LIMIT_STARTER: '4/h', RATE_LIMIT_PULL: '1/h' })
  await request(`${strict.url}/api/pull/posts`, { headers: { 'x-api-key': strict.apiKey } })
})
afterAll(async () => {
  await stage.service.stop()
  await strict.service.stop()
})

/** Bodies that their endpoints accept, for failures that have nothing to do with the body. */
const validBodies: Record<string, unknown> = {
  register: person,
  login: credentials,
  forgotPassword: { email: 'nobody@example.com' },
  resetPassword: { token: 'unknown', password: 'battery staple' },
  createNotificationChannel: { kind: 'slack', target: 'https://chat.example.com/hook' },
  updateNotificationChannel: {},
  verifyNotificationAddress: { token: 'unknown' },
  createToken: { name: 'x', scopes: ['posts:read'] },
  changePassword: { current_password: 'wrong horse', new_password: 'battery staple' },
  createPost: { title: 'x' },
  updatePost: {},
  publishPost: {},
  convertBody: {},
  generateDraft: { topic: 'Tomatoes' },
  createSite: site,
  detectPlatform: { url: 'http://127.0.0.1:1' },
  updateSite: {},
  saveWorkingCopy: {},
  proposePost: { reason: 'x' },
  addMediumFromUrl: { url: 'http://127.0.0.1:1' },
  updateMedium: {},
  backfillSite: {},
  retryPost: {},
  changePosts: { action: 'tag', ids: [NOWHERE], tag: 'x' },
  retryDeliveries: {},
  confirmDelivery: { post_id: NOWHERE, site_id: NOWHERE, status: 'delivered' },
}

type Change = {
  on?: Stage
  method?: string
  id?: string
  query?: string
  body?: unknown
  raw?: string
  headers?: Record<string, string>
  nobody?: boolean
}

/** Asks an endpoint as somebody who may, unless told otherwise. */
function ask(
  one: Endpoint,
  { on = stage, method = one.method.toUpperCase(), id, query = '', body, raw, headers, nobody }: Change = {},
): Promise<PlainResponse> {
  const own = one.path.startsWith('/api/sites')
    ? on.ids.site
    : one.path.startsWith('/api/tokens')
      ? NOWHERE
      : one.path.startsWith('/api/deliveries')
        ? on.ids.delivery
        : one.path.startsWith('/api/media')
          ? on.ids.medium || NOWHERE
          : on.ids.post
  const path = one.path
    .replace('{job_id}', id ?? on.ids.job)
    .replace('{id}', id ?? own)
    .replace('{slug}', id ?? 'taken')
    .replace('{version}', '1')
    .replace('{token}', id ?? 'x'.repeat(43))
    .replace('{preview_id}', NOWHERE)
  const who =
    nobody === true
      ? {}
      : one.auth?.name === 'siteKey'
        ? { 'x-api-key': on.apiKey }
        : { authorization: `Bearer ${on.token}` }
  return request(on.url + path + query, {
    method,
    headers: { ...who, ...headers },
    ...(raw === undefined ? { body: body ?? validBodies[one.name] } : { raw }),
  })
}

type Provoke = (one: Endpoint) => Promise<PlainResponse>

/** How to provoke a kind of failure at any endpoint. */
const anywhere: Partial<Record<FailureKind, Provoke>> = {
  unauthorized: (one) => ask(one, { nobody: true }),
  forbidden: (one) =>
    one.auth === null
      ? ask(one, { body: { ...(validBodies[one.name] as object), session: 'cookie' } })
      : ask(one, { nobody: true, headers: { cookie: stage.cookie, origin: 'https://elsewhere.example' } }),
  rate_limited: (one) => ask(one, { on: strict }),
  conflict: (one) => ask(one, { headers: { 'idempotency-key': 'used' } }),
  not_found: (one) => ask(one, { id: NOWHERE }),
  method_not_allowed: (one) => ask(one, { method: /\/(?:working-copy|proposal)$/.test(one.path) ? 'POST' : 'PUT' }),
  too_large: (one) => ask(one, { raw: `"${'x'.repeat(MAX_BODY_BYTES)}"` }),
  unsupported_media_type: (one) =>
    ask(one, { raw: 'title=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  invalid: (one) => {
    if (one.query !== undefined) return ask(one, { query: '?page=0&from=x&limit=0' })
    return ask(
      one,
      one.body === undefined ? { headers: { 'idempotency-key': 'two words' } } : { body: { no_such_field: 1 } },
    )
  },
}

/** For what is counted apart from all other requests. */
async function askTwice(one: Endpoint): Promise<PlainResponse> {
  await ask(one, { on: strict })
  return ask(one, { on: strict })
}

/** How to provoke it where it takes something particular. */
const particular: Record<string, Partial<Record<FailureKind, Provoke>>> = {
  login: { unauthorized: (one) => ask(one, { body: { ...credentials, password: 'wrong horse' } }) },
  changePassword: { rate_limited: askTwice },
  logout: {
    // The first ends its own login, so each has one.
    async rate_limited(one) {
      await ask(one, { on: { ...strict, token: await anotherToken(strict) } })
      return ask(one, { on: { ...strict, token: await anotherToken(strict) } })
    },
  },
  createToken: {
    async conflict(one) {
      for (let count = 0; count < 100; count += 1) await ask(one)
      return ask(one)
    },
  },
  createPost: { conflict: (one) => ask(one, { body: { title: 'x', slug: 'taken' } }) },
  updatePost: {
    conflict: (one) => ask(one, { body: { slug: 'taken' } }),
    precondition_failed: (one) => ask(one, { body: { title: 'y' }, headers: { 'if-match': '"99"' } }),
  },
  restoreRevision: { precondition_failed: (one) => ask(one, { headers: { 'if-match': '"99"' } }) },
  trashPost: { precondition_failed: (one) => ask(one, { headers: { 'if-match': '"99"' } }) },
  saveWorkingCopy: { precondition_failed: (one) => ask(one, { headers: { 'if-match': '"99"' } }) },
  discardWorkingCopy: {
    invalid: (one) => ask(one, { headers: { 'if-match': '99' } }),
    precondition_failed: (one) => ask(one, { headers: { 'if-match': '"99"' } }),
  },
  proposePost: {
    async conflict(one) {
      const body = { title: 'x', status: 'published' }
      const { json } = await request(`${stage.url}/api/posts`, { method: 'POST', token: stage.token, body })
      return ask(one, { id: String(json.id) })
    },
  },
  createImport: { invalid: (one) => ask(one, { raw: '{}' }) },
  exportPosts: { invalid: (one) => ask(one, { query: '?format=word' }) },
  publishWorkingCopy: { precondition_failed: (one) => ask(one, { headers: { 'if-match': '"99"' } }) },
  uploadMedium: {
    invalid: (one) => ask(one, { query: '?name=%00', raw: 'x', headers: { 'content-type': 'image/png' } }),
    too_large: (one) => ask(one, { raw: 'x'.repeat(1_100_000), headers: { 'content-type': 'image/png' } }),
  },
  deleteMedium: { conflict: (one) => ask(one), invalid: (one) => ask(one, { query: '?force=perhaps' }) },
  pullChanges: { gone: (one) => ask(one, { query: '?cursor=nonsense' }) },
  pullPreview: {
    async gone(one) {
      const { ctx } = stage.service
      const account = await ctx.db.root.selectFrom('accounts').selectAll().executeTakeFirstOrThrow()
      return ask(one, { id: (await createPreview(ctx, account.id, stage.ids.post, 0)).token })
    },
  },
  register: { conflict: (one) => ask(one) },
  retryDelivery: { conflict: (one) => ask(one) },
  streamEvents: { invalid: (one) => ask(one, { query: `?last_event_id=${'x'.repeat(101)}` }) },
  deletePost: {
    invalid: (one) => ask(one, { headers: { 'if-match': '99' } }),
    precondition_failed: (one) => ask(one, { headers: { 'if-match': '"99"' } }),
  },
  confirmDelivery: {
    forbidden: (one) => ask(one),
    not_found: (one) => ask(one, { body: { post_id: NOWHERE, site_id: stage.ids.site, status: 'delivered' } }),
  },
}

const REVEALING = /at .*\.ts|node_modules|select |insert |stack|password_hash/i

function expectError(response: PlainResponse, status: number, error: string): void {
  expect({ status: response.status, error: response.json.error }).toEqual({ status, error })
  expect(response.json.message).toMatch(/\w.*\.$/)
  expect(JSON.stringify(response.json)).not.toMatch(REVEALING)
  expect(response.headers.get('x-request-id')).toBeTruthy()
  expect(response.headers.get('content-type')).toContain('application/json')
}

const contract = readContract()

function expectDocumented(one: Endpoint, { status, headers, json }: PlainResponse): void {
  expect(contract.answer(one.name, status, { headers, body: json })).toEqual([])
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
    expectDocumented(one, response)
    if (kind === 'rate_limited') {
      expect(response.json.retry_after).toBe(Number(response.headers.get('retry-after')))
      expect(response.headers.get('ratelimit-remaining')).toBe('0')
    }
  })
})

describe('any address', () => {
  const get = (path: string, method = 'GET') => request(stage.url + path, { method, token: stage.token })

  it('that is unknown answers not_found', async () => {
    expectError(await get('/api/nothing'), 404, 'not_found')
    expectError(await get('/api/posts/a/b/c'), 404, 'not_found')
  })

  it('answers method_not_allowed with what is allowed', async () => {
    const response = await get(`/api/posts/${stage.ids.post}`, 'PUT')
    expectError(response, 405, 'method_not_allowed')
    expect(response.headers.get('allow')).toBe('GET, HEAD, PATCH, DELETE')
    expectError(await get('/healthz', 'POST'), 405, 'method_not_allowed')
  })

  it.each([
    ['GET', '/api/posts/bulk', 'POST'],
    ['DELETE', '/api/posts/convert', 'POST'],
    ['GET', '/api/posts/generate', 'POST'],
    ['PATCH', '/api/posts/summaries', 'GET, HEAD'],
    ['GET', '/api/sites/detect-platform', 'POST'],
    ['GET', '/api/deliveries/retry', 'POST'],
    ['POST', '/api/posts/generate/publish', 'GET, HEAD, DELETE'],
  ])('that could be an id as well is what it says: %s %s allows %s', async (method, path, allowed) => {
    const response = await get(path, method)
    expectError(response, 405, 'method_not_allowed')
    expect(response.headers.get('allow')).toBe(allowed)
  })

  it.each([
    'not-a-uuid',
    '%00',
    '%ff',
    '%F0%9F%8C%B1',
    '%27%3B%20drop%20table%20posts',
    'x'.repeat(5000),
    `${NOWHERE}0`,
  ])('with the id %j is a resource that does not exist', async (id) => {
    for (const noun of ['imports', 'media', 'posts', 'posts/generate', 'sites', 'deliveries'])
      expectError(await get(`/api/${noun}/${id}`), 404, 'not_found')
  })
})

describe('when the database is away', () => {
  let stranded: Stage
  beforeAll(async () => {
    stranded = await setStage()
    await stranded.service.cutDatabase()
  })

  it.each(endpoints.map((one) => ({ name: one.name, one })))(
    '$name answers unavailable, never 401 or 404',
    async ({ one }) => {
      const response = await ask(one, { on: stranded })
      expectError(response, 503, 'unavailable')
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expectDocumented(one, response)
    },
  )

  it('is alive but not ready', async () => {
    expect((await request(`${stranded.url}/healthz`)).status).toBe(200)
    expect((await request(`${stranded.url}/readyz`)).status).toBe(503)
    await stranded.service.caughtUp()
    const lineOf = (route: string) => stranded.service.logged.find(({ fields }) => fields.route === route)
    expect(lineOf('GET /healthz')?.level).toBe('debug')
    expect(lineOf('GET /readyz')).toMatchObject({
      level: 'error',
      fields: { error: { message: expect.stringContaining('the database does not answer') } },
    })
  })
})

describe('when something unexpected happens', () => {
  it('answers internal_error with the request id, reveals nothing else and logs the cause', async () => {
    const broken = await startService()
    await sql`alter table accounts rename column email_key to email_key_gone`.execute(broken.ctx.db.root)
    const response = await request(`${broken.url}/api/auth/login`, { method: 'POST', body: validBodies.login })
    expectError(response, 500, 'internal_error')
    expect(contract.answer('login', 500, { headers: response.headers, body: response.json })).toEqual([])
    expect(response.json).toEqual({
      error: 'internal_error',
      message: expect.any(String),
      request_id: response.headers.get('x-request-id'),
    })
    await broken.caughtUp()
    const line = broken.logged.find(({ event }) => event === 'request.failed')
    expect(JSON.stringify(line)).toContain('email_key')
    await broken.stop()
  })

  it('breaks off an answer whose next part cannot be made, reveals nothing, and logs the cause', async () => {
    async function* parts() {
      yield '{"data":['
      await new Promise((resolve) => setTimeout(resolve, 50)) // its beginning is on its way
      throw new Error('a secret')
    }
    const page = endpoint({
      method: 'get',
      path: '/api/page',
      name: 'page',
      tag: 'Test',
      summary: 'Page',
      description: 'Page.',
      auth: null,
      replies: { 200: { description: 'A page.', schema: z.object({}), examples: {} } },
      errors: [],
      handler: async () => ({ status: 200 as const, stream: parts() }),
    })
    const logged: LogLine[] = []
    const own = await startService()
    const ctx = { ...own.ctx, log: recordingLog((line) => void logged.push(line)) }
    const port = await serveEndpoints(ctx, [page])
    const response = await fetch(`http://127.0.0.1:${port}/api/page`)
    const texts: string[] = []
    const reading = async () => {
      for await (const bytes of response.body ?? []) texts.push(new TextDecoder().decode(bytes))
    }
    await expect(reading()).rejects.toThrow()
    expect(texts.join('')).not.toContain('secret')
    const line = logged.find(({ event }) => event === 'request.unsent')
    expect(line?.fields.request_id).toBe(response.headers.get('x-request-id'))
    expect(JSON.stringify(line)).toContain('a secret')
    await own.stop()
  })
})
