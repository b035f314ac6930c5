/** Section 4 of the specification: every endpoint, its whole request and its whole answer. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Api, newApi, newPost, newSite } from '../support/api.ts'
import { type PlainResponse, request } from '../support/http.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let receiver: Receiver
let api: Api

beforeAll(async () => {
  service = await startService()
})
beforeEach(async () => {
  receiver = await startReceiver()
  api = await newApi(service)
})
afterEach(async () => {
  await service.drain()
  await receiver.close()
})
afterAll(() => service.stop())

const now = () => service.clock.now().toISOString()
const ID = expect.stringMatching(/^[0-9a-f-]{36}$/)
const COUNT = expect.any(Number)
const refused = ({ status, json }: PlainResponse) => ({ status, field: json.field })
const titles = ({ json }: PlainResponse, list = 'data') =>
  (json[list] as Array<{ title: string }>).map((one) => one.title)

/** All four attempts of what is pending fail. */
async function failForGood(): Promise<void> {
  receiver.answerNext(500, 500, 500, 503)
  await service.drain()
  for (const delay of [30_000, 300_000, 1_800_000]) await service.advance(delay)
}

describe('accounts', () => {
  const send = (path: string, body: unknown) => request(`${service.url}/api/auth/${path}`, { method: 'POST', body })

  it('§4 POST /api/auth/register', async () => {
    const { status, json } = await send('register', {
      name: 'Eve',
      email: 'eve@example.com',
      password: 'quiet harbour',
    })
    expect(status).toBe(201)
    expect(json).toEqual({
      user: { id: ID, name: 'Eve', email: 'eve@example.com' },
      token: expect.any(String),
      expires_at: expect.any(String),
    })
    expect((await request(`${service.url}/api/posts`, { token: String(json.token) })).status).toBe(200)
    for (const field of ['name', 'email', 'password']) {
      const input = { name: 'Eve', email: 'other@example.com', password: 'quiet harbour', [field]: undefined }
      expect(refused(await send('register', input))).toEqual({ status: 400, field })
    }
  })

  it('§4 POST /api/auth/login', async () => {
    const person = { name: 'Mel', email: 'mel@example.com', password: 'quiet harbour' }
    const registered = await send('register', person)
    const { status, json } = await send('login', { email: person.email, password: person.password })
    expect(status).toBe(200)
    expect(json).toEqual({ user: registered.json.user, token: expect.any(String), expires_at: expect.any(String) })
    expect((await send('login', { email: person.email, password: '87654321' })).status).toBe(401)
    for (const field of ['email', 'password'])
      expect(refused(await send('login', { ...{ email: 'x', password: 'x' }, [field]: undefined }))).toEqual({
        status: 400,
        field,
      })
  })
})

/** A post without the fields that the service adds to the specification's. */
function withoutAdditions({
  has_changes,
  late_by_seconds,
  primary_site_id,
  site_ids,
  unpublish_at,
  ...post
}: Record<string, unknown>) {
  expect({ has_changes, late_by_seconds, primary_site_id, site_ids, unpublish_at }).toEqual({
    has_changes: false,
    late_by_seconds: null,
    primary_site_id: null,
    site_ids: null,
    unpublish_at: null,
  })
  return post
}

describe('posts', () => {
  it('§4 GET /api/posts', async () => {
    const site = await newSite(api, receiver.url)
    const at = new Date(service.clock.now().getTime() + 3_600_000).toISOString()
    await newPost(api, { title: 'A draft', tags: ['news'], body: { markdown: 'About **tomatoes**.' } })
    service.clock.advance(1)
    await newPost(api, { title: 'Tomatoes, later', status: 'scheduled', scheduled_at: at })
    service.clock.advance(1)
    await newPost(api, { title: 'Out', status: 'published', tags: ['news', 'garden'] })

    const all = await api.get('/api/posts')
    expect(all.status).toBe(200)
    expect(Object.keys(all.json).sort()).toEqual(['data', 'pagination'])
    expect(all.json.pagination).toEqual({ page: 1, limit: 20, total: 3, pages: 1 })
    expect(titles(all)).toEqual(['Out', 'Tomatoes, later', 'A draft'])
    for (const [query, found] of [
      ['status=draft', ['A draft']],
      ['status=scheduled', ['Tomatoes, later']],
      ['status=published', ['Out']],
      ['page=2&limit=2', ['A draft']],
      ['limit=100', ['Out', 'Tomatoes, later', 'A draft']],
      [`site_id=${site.id}`, ['Out']],
      ['search=tomatoes', ['Tomatoes, later', 'A draft']],
      ['tag=news', ['Out', 'A draft']],
      ['tag=new', []],
      ['tag=news&status=draft&search=tomato', ['A draft']],
    ] as const)
      expect({ query, found: titles(await api.get(`/api/posts?${query}`)) }).toEqual({ query, found })
    for (const [field, value] of [
      ['status', 'archived'],
      ['page', '0'],
      ['limit', '0'],
      ['limit', '101'],
    ])
      expect(refused(await api.get(`/api/posts?${field}=${value}`))).toEqual({ status: 400, field })
  })

  it('§4 GET /api/posts/:id', async () => {
    const site = await newSite(api, receiver.url)
    const { id } = await newPost(api, { title: 'Whole', status: 'published' })
    const { status, json } = await api.get(`/api/posts/${id}`)
    expect(status).toBe(200)
    expect(withoutAdditions(json)).toEqual({
      id,
      version: 1,
      slug: 'whole',
      title: 'Whole',
      excerpt: '',
      body: { html: '', markdown: '', json: { type: 'doc', content: [{ type: 'paragraph' }] } },
      meta: {},
      tags: [],
      status: 'published',
      scheduled_at: null,
      published_at: now(),
      created_at: now(),
      updated_at: now(),
      deliveries: [{ site_id: site.id, status: 'pending', delivered_at: null }],
    })
    for (const nothing of ['nothing', id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))])
      expect((await api.get(`/api/posts/${nothing}`)).status).toBe(404)
  })

  it('§4 POST /api/posts', async () => {
    const input = {
      title: 'Everything given',
      body: { html: '<p>One</p>', markdown: 'One' },
      excerpt: 'Short',
      meta: { title: 'SEO', description: 'Meta', og_image: 'https://example.com/a.png' },
      tags: ['a', 'b'],
      status: 'scheduled',
      scheduled_at: new Date(service.clock.now().getTime() + 60_000).toISOString(),
    }
    const { status, json } = await api.post('/api/posts', input)
    expect(status).toBe(201)
    expect(json).toMatchObject({ ...input, version: 1, slug: 'everything-given', deliveries: [] })
    expect((await api.get(`/api/posts/${json.id}`)).json).toEqual(json)
    for (const [field, change] of [
      ['title', { title: undefined }],
      ['body.html', { body: { html: 1 } }],
      ['meta.og_image', { meta: { og_image: 'not an address' } }],
      ['tags.0', { tags: [1] }],
      ['status', { status: 'live' }],
      ['scheduled_at', { scheduled_at: undefined }],
      ['colour', { colour: 'red' }],
    ] as const)
      expect(refused(await api.post('/api/posts', { ...input, ...change }))).toEqual({ status: 400, field })
    expect((await api.get('/api/posts')).json.pagination).toMatchObject({ total: 1 })
  })

  it('§4 PATCH /api/posts/:id', async () => {
    const meta = { title: 'SEO', description: 'Long', og_image: 'https://example.com/a.png' }
    const post = await newPost(api, { title: 'Before', body: { markdown: 'One' }, meta, tags: ['a'] })
    const subset = await api.patch(`/api/posts/${post.id}`, { meta: { description: 'Short' } })
    expect(subset.status).toBe(200)
    expect(subset.json).toEqual({ ...post, version: 2, meta: { ...meta, description: 'Short' } })
    const change = { title: 'After', slug: 'after', excerpt: 'E', tags: [], body: { html: '<p>Two</p>' } }
    const whole = await api.patch(`/api/posts/${post.id}`, change)
    expect(whole.json).toMatchObject({ ...change, version: 3, body: { html: '<p>Two</p>', markdown: 'Two\n' } })
    expect((await api.get(`/api/posts/${post.id}`)).json).toEqual(whole.json)
    for (const [field, wrong] of [
      ['title', { title: '' }],
      ['meta.description', { meta: { description: 5 } }],
      ['colour', { colour: 'red' }],
    ] as const)
      expect(refused(await api.patch(`/api/posts/${post.id}`, wrong))).toEqual({ status: 400, field })
  })

  it('§4 DELETE /api/posts/:id', async () => {
    await newSite(api, receiver.url)
    const { id } = await newPost(api, { status: 'published' })
    await service.drain()
    const { status, json, headers } = await api.delete(`/api/posts/${id}`)
    expect({ status, json, length: headers.get('content-length') ?? '0' }).toEqual({
      status: 204,
      json: {},
      length: '0',
    })
    for (const again of [await api.get(`/api/posts/${id}`), await api.delete(`/api/posts/${id}`)])
      expect(again.status).toBe(404)
    expect((await api.get('/api/posts')).json.pagination).toMatchObject({ total: 0 })
    // The copy at the site is the site's to remove, when it is told.
    await service.drain()
    expect(receiver.received.map(({ json }) => json.event)).toEqual(['post.published', 'post.deleted'])
  })

  it('§4 POST /api/posts/:id/publish', async () => {
    const sites = [await newSite(api, receiver.url), await newSite(api, receiver.url)]
    const { id } = await newPost(api, {})
    const named = await api.post(`/api/posts/${id}/publish`, { site_ids: [sites[0]?.id] })
    expect(named.status).toBe(202)
    expect(named.json).toEqual({
      post_id: id,
      dispatched_to: [{ site_id: sites[0]?.id, status: 'pending' }],
      estimated_delivery: expect.stringMatching(/Z$/),
    })
    expect(Date.parse(String(named.json.estimated_delivery))).toBeGreaterThanOrEqual(service.clock.now().getTime())
    for (const body of [undefined, {}]) {
      const { json } = await api.post(`/api/posts/${id}/publish`, body)
      const expected = sites.map((site) => ({ site_id: site.id, status: 'pending' }))
      expect(json.dispatched_to).toEqual(expect.arrayContaining(expected))
    }
    for (const [field, site_ids] of [
      ['site_ids', 'all'],
      ['site_ids.0', [5]],
      ['site_ids.1', [sites[0]?.id, 'unknown']],
    ] as const)
      expect(refused(await api.post(`/api/posts/${id}/publish`, { site_ids }))).toEqual({ status: 400, field })
  })
})

describe('sites', () => {
  const input = { name: 'Blog', url: 'https://blog.example.com', webhook_url: 'https://blog.example.com/hooks' }
  const listed = (id: unknown) => ({
    ...input,
    id,
    niche: '',
    platform: 'custom',
    status: 'active',
    delivery_stats: { total: 0, success_rate: null, last_delivery: null, not_live: 0, missing: 0 },
    // beyond the specification
    kind: 'webhook',
    debounce_seconds: null,
    post_url: null,
    canonical: 'primary',
    recovery: 'manual',
    verify: false,
    framework: null,
    last_test: null,
    created_at: now(),
  })

  it('§4 GET /api/sites', async () => {
    expect((await api.get('/api/sites')).json).toEqual({ sites: [], total: 0 })
    const { id } = await newSite(api, input.webhook_url, input)
    const { status, json } = await api.get('/api/sites')
    expect({ status, ...json }).toEqual({ status: 200, sites: [listed(id)], total: 1 })
  })

  it('§4 GET /api/sites/:id', async () => {
    const created = await newSite(api, input.webhook_url, input)
    const { status, json, headers } = await api.get(`/api/sites/${created.id}`)
    const { api_key, webhook_secret } = created
    expect({ status, json }).toEqual({ status: 200, json: { ...listed(created.id), api_key, webhook_secret } })
    expect(headers.get('cache-control')).toBe('no-store')
    expect((await api.get('/api/sites/nothing')).status).toBe(404)
  })

  it('§4 POST /api/sites', async () => {
    const { status, json } = await api.post('/api/sites', { ...input, platform: 'sveltekit' })
    const secrets = { api_key: expect.stringMatching(/^pr_/), webhook_secret: expect.stringMatching(/^whsec_/) }
    expect({ status, json }).toEqual({ status: 201, json: { ...listed(ID), platform: 'sveltekit', ...secrets } })
    for (const [field, change] of [
      ['name', { name: undefined }],
      ['url', { url: undefined }],
      ['webhook_url', { webhook_url: undefined }],
      ['webhook_url', { webhook_url: 'http://blog.example.com/hooks' }],
      ['platform', { platform: 'joomla' }],
      ['colour', { colour: 'red' }],
    ] as const)
      expect(refused(await api.post('/api/sites', { ...input, ...change }))).toEqual({ status: 400, field })
    expect((await api.get('/api/sites')).json.total).toBe(1)
  })

  it('§4 PATCH /api/sites/:id', async () => {
    const { id } = await newSite(api, input.webhook_url, input)
    const change = { name: 'Renamed', webhook_url: 'https://blog.example.com/other' }
    const { status, json } = await api.patch(`/api/sites/${id}`, change)
    expect({ status, json }).toEqual({ status: 200, json: { ...listed(id), ...change } })
    const rest = { url: 'https://other.example.com', niche: 'gardening', platform: 'gatsby', status: 'inactive' }
    expect((await api.patch(`/api/sites/${id}`, rest)).json).toEqual({ ...listed(id), ...change, ...rest })
    for (const [field, wrong] of [
      ['name', { name: '' }],
      ['webhook_url', { webhook_url: 'ftp://blog.example.com' }],
      ['status', { status: 'gone' }],
    ] as const)
      expect(refused(await api.patch(`/api/sites/${id}`, wrong))).toEqual({ status: 400, field })
  })

  it('§4 POST /api/sites/:id/rotate-keys', async () => {
    const site = await newSite(api, receiver.url)
    const { status, json } = await api.post(`/api/sites/${site.id}/rotate-keys`)
    expect({ status, json }).toEqual({
      status: 200,
      json: {
        site_id: site.id,
        new_api_key: expect.stringMatching(/^pr_/),
        new_webhook_secret: expect.stringMatching(/^whsec_/),
        rotated_at: now(),
        warning: expect.any(String),
      },
    })
    const pull = async (key: unknown) =>
      (await request(`${service.url}/api/pull/posts`, { headers: { 'x-api-key': String(key) } })).status
    expect([await pull(site.api_key), await pull(json.new_api_key)]).toEqual([401, 200])
    const shown = (await api.get(`/api/sites/${site.id}`)).json
    expect([shown.api_key, shown.webhook_secret]).toEqual([json.new_api_key, json.new_webhook_secret])
  })

  it('§4 POST /api/sites/:id/test-delivery', async () => {
    const site = await newSite(api, receiver.url)
    const success = await api.post(`/api/sites/${site.id}/test-delivery`)
    expect(success.status).toBe(200)
    expect(success.json).toEqual({
      success: true,
      response_code: 200,
      response_time_ms: COUNT,
      payload_sent: receiver.received[0]?.json.post,
      message: expect.any(String),
    })
    expect(receiver.received[0]?.json).toMatchObject({ event: 'site.test', test: true })
    receiver.answerNext(503)
    const failure = await api.post(`/api/sites/${site.id}/test-delivery`)
    expect(failure.status).toBe(200)
    expect(failure.json).toEqual({
      success: false,
      response_code: 503,
      response_time_ms: COUNT,
      error: expect.any(String),
      troubleshooting: expect.any(String),
    })
    await service.advance(3_600_000)
    expect(receiver.received).toHaveLength(2)
  })

  it('§4 DELETE /api/sites/:id', async () => {
    const site = await newSite(api, receiver.url, { name: 'Gone' })
    const { id } = await newPost(api, { status: 'published' })
    await service.drain()
    const { status, json } = await api.delete(`/api/sites/${site.id}`)
    expect({ status, json }).toEqual({ status: 204, json: {} })
    expect((await api.get(`/api/sites/${site.id}`)).status).toBe(404)
    expect((await api.get('/api/sites')).json).toEqual({ sites: [], total: 0 })
    // Its history stays, in every view of it.
    const { deliveries } = (await api.get(`/api/analytics/posts/${id}/deliveries`)).json
    expect(deliveries).toMatchObject([{ site_id: site.id, site_name: 'Gone', status: 'delivered' }])
    for (const query of ['', `?site_id=${site.id}`]) {
      const overview = (await api.get(`/api/analytics/overview${query}`)).json
      expect(overview.sites).toEqual([{ id: site.id, name: 'Gone', deliveries: 1, success_rate: 100 }])
      const { data } = (await api.get(`/api/analytics/deliveries${query}`)).json
      expect((data as Array<{ delivered: number }>).at(-1)?.delivered).toBe(1)
      expect((await api.get(`/api/analytics/failures${query}`)).json).toEqual({ failures: [] })
    }
  })
})

describe('analytics', () => {
  let site: Record<string, string>
  beforeEach(async () => {
    site = await newSite(api, receiver.url, { name: 'First' })
  })

  it('§4 GET /api/analytics/overview', async () => {
    await newPost(api, { status: 'published' })
    await failForGood()
    await newPost(api, { status: 'published' })
    receiver.answerNext(500)
    await service.drain()
    await service.advance(30_000)
    await newPost(api, { status: 'published' })
    await service.drain()
    const second = await newSite(api, receiver.url, { name: 'Second' })
    const { status, json } = await api.get('/api/analytics/overview')
    expect(status).toBe(200)
    expect(json).toEqual({
      period: { from: new Date(service.clock.now().getTime() - 30 * 86_400_000).toISOString(), to: now() },
      totals: {
        deliveries: 3,
        successful: 2,
        failed: 1,
        retried: 2,
        success_rate: 66.7,
        avg_delivery_ms: COUNT,
        posts_published: 3,
      },
      sites: [
        { id: site.id, name: 'First', deliveries: 3, success_rate: 66.7 },
        { id: second.id, name: 'Second', deliveries: 0, success_rate: null },
      ],
    })
    const ofSecond = (await api.get(`/api/analytics/overview?site_id=${second.id}`)).json
    expect(ofSecond).toMatchObject({ totals: { deliveries: 0 }, sites: [{ id: second.id }] })
    const old = (await api.get('/api/analytics/overview?from=2026-01-01&to=2026-01-31')).json
    expect(old.period).toEqual({ from: '2026-01-01T00:00:00.000Z', to: '2026-01-31T23:59:59.999Z' })
    expect(old.totals).toMatchObject({ deliveries: 0, success_rate: null, posts_published: 0 })
    for (const field of ['from', 'to', 'site_id'])
      expect(refused(await api.get(`/api/analytics/overview?${field}=x`))).toEqual({ status: 400, field })
  })

  it('§4 GET /api/analytics/deliveries', async () => {
    await newPost(api, { status: 'published' })
    await failForGood()
    await newPost(api, { status: 'published' })
    await service.drain()
    const today = now().slice(0, 10)
    const { status, json } = await api.get(`/api/analytics/deliveries?from=${today}&site_id=${site.id}`)
    expect({ status, json }).toEqual({
      status: 200,
      json: {
        granularity: 'day',
        site_id: site.id,
        data: [{ date: today, delivered: 1, failed: 1, retried: 1, avg_ms: COUNT }],
      },
    })
    for (const [granularity, date] of [
      ['hour', '2026-03-03T00:00:00.000Z'],
      ['day', '2026-03-03'],
      ['week', '2026-03-02'],
      ['month', '2026-03-01'],
    ]) {
      const query = `granularity=${granularity}&from=2026-03-03&to=2026-03-03`
      const { json } = await api.get(`/api/analytics/deliveries?${query}`)
      expect(json).toMatchObject({ granularity, site_id: null })
      expect((json.data as object[])[0]).toEqual({ date, delivered: 0, failed: 0, retried: 0, avg_ms: null })
    }
    for (const field of ['granularity', 'from', 'to', 'site_id'])
      expect(refused(await api.get(`/api/analytics/deliveries?${field}=x`))).toEqual({ status: 400, field })
  })

  it('§4 GET /api/analytics/posts/:id/deliveries', async () => {
    const { id } = await newPost(api, { title: 'Followed', status: 'published' })
    receiver.answerNext(500)
    await service.drain()
    const failedAt = now()
    await service.advance(30_000)
    const { status, json } = await api.get(`/api/analytics/posts/${id}/deliveries`)
    expect({ status, post_id: json.post_id, post_title: json.post_title }).toEqual({
      status: 200,
      post_id: id,
      post_title: 'Followed',
    })
    expect(json.deliveries).toMatchObject([
      {
        site_id: site.id,
        site_name: 'First',
        status: 'delivered_retry',
        attempts: 2,
        delivered_at: now(),
        response_code: 200,
        response_time_ms: COUNT,
        history: [
          { attempt: 1, at: failedAt, code: 500, error: expect.any(String) },
          { attempt: 2, at: now(), code: 200, error: null },
        ],
      },
    ])
    expect((await api.get('/api/analytics/posts/nothing/deliveries')).status).toBe(404)
  })

  it('§4 GET /api/analytics/failures', async () => {
    const { id } = await newPost(api, { title: 'Lost', status: 'published' })
    await failForGood()
    const failure = {
      post_id: id,
      post_title: 'Lost',
      site_id: site.id,
      failed_at: now(),
      attempts: 4,
      last_error: expect.any(String),
      last_response_code: 503,
      can_retry: true,
    }
    const { status, json } = await api.get('/api/analytics/failures')
    expect({ status, json }).toEqual({ status: 200, json: { failures: [failure] } })
    expect((await api.get(`/api/analytics/failures?site_id=${site.id}`)).json.failures).toHaveLength(1)
    const second = await newSite(api, 'http://127.0.0.1:1/')
    expect((await api.get(`/api/analytics/failures?site_id=${second.id}`)).json.failures).toEqual([])
    await service.advance(86_400_000)
    expect((await api.get(`/api/analytics/failures?from=${now().slice(0, 10)}`)).json.failures).toEqual([])
    const silent = await newPost(api, { title: 'Nobody there' })
    await api.post(`/api/posts/${silent.id}/publish`, { site_ids: [second.id] })
    await failForGood()
    const { failures } = (await api.get(`/api/analytics/failures?site_id=${second.id}`)).json
    expect(failures).toMatchObject([{ last_error: 'connection_refused', last_response_code: null }])
    for (const field of ['from', 'site_id'])
      expect(refused(await api.get(`/api/analytics/failures?${field}=x`))).toEqual({ status: 400, field })
  })

  it('§4 POST /api/analytics/posts/:id/retry', async () => {
    const other = await startReceiver()
    const second = await newSite(api, other.url)
    const { id } = await newPost(api, { status: 'published' })
    other.answerNext(500, 500, 500, 500)
    await failForGood()
    const one = await api.post(`/api/analytics/posts/${id}/retry`, { site_id: second.id })
    expect({ status: one.status, json: one.json }).toEqual({
      status: 202,
      json: { job_id: ID, status: 'queued', message: expect.any(String) },
    })
    await service.drain()
    expect([receiver.received.length, other.received.length]).toEqual([4, 5])
    expect((await api.post(`/api/analytics/posts/${id}/retry`)).status).toBe(202)
    await service.drain()
    expect([receiver.received.length, other.received.length]).toEqual([5, 5])
    expect((await api.post('/api/analytics/posts/nothing/retry')).status).toBe(404)
    expect(refused(await api.post(`/api/analytics/posts/${id}/retry`, { site_id: 'x' }))).toEqual({
      status: 400,
      field: 'site_id',
    })
    await other.close()
  })
})

describe('the Pull API', () => {
  let site: Record<string, string>
  beforeEach(async () => {
    site = await newSite(api, receiver.url)
  })
  const send = (path: string, body?: unknown) =>
    request(`${service.url}/api/pull${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': String(site.api_key) },
      body,
    })

  it('§4 GET /api/pull/posts', async () => {
    const second = await newSite(api, receiver.url)
    const posts = []
    for (const tags of [['a'], ['a', 'b'], ['b']]) {
      posts.push(await newPost(api, { title: `Post ${tags}`, excerpt: 'E', tags, status: 'published' }))
      service.clock.advance(1_000)
    }
    await newPost(api, { title: 'A draft' })
    const hidden = await newPost(api, { title: 'For the other site' })
    await api.post(`/api/posts/${hidden.id}/publish`, { site_ids: [second.id] })
    const { status, json } = await send('/posts')
    expect({ status, total: json.total }).toEqual({ status: 200, total: 3 })
    const fields = ['id', 'slug', 'title', 'excerpt', 'published_at', 'tags']
    const listed = posts.reverse().map((post) => Object.fromEntries(fields.map((name) => [name, post[name as 'id']])))
    expect(json.posts).toEqual(listed)
    expect(titles(await send('/posts?limit=2&page=2'), 'posts')).toEqual(['Post a'])
    expect(titles(await send('/posts?tag=b'), 'posts')).toEqual(['Post b', 'Post a,b'])
    expect((await send('/posts?tag=b')).json.total).toBe(2)
    expect(refused(await send('/posts?limit=101'))).toEqual({ status: 400, field: 'limit' })
  })

  it('§4 GET /api/pull/posts/:slug', async () => {
    const post = await newPost(api, { title: 'Pulled', body: { markdown: '*It*' }, status: 'published' })
    const { created_at: _created, deliveries: _deliveries, scheduled_at: _scheduled, ...shown } = withoutAdditions(post)
    const { status, json } = await send('/posts/pulled')
    expect({ status, json }).toEqual({ status: 200, json: shown })
    await newPost(api, { title: 'Draft' })
    for (const slug of ['draft', 'nothing']) expect((await send(`/posts/${slug}`)).status).toBe(404)
  })

  it('§4 POST /api/pull/confirm', async () => {
    receiver.answerNext(500, 500)
    const ids = [(await newPost(api, { status: 'published' })).id, (await newPost(api, { status: 'published' })).id]
    await service.drain()
    const report = {
      site_id: site.id,
      status: 'delivered',
      error_message: null,
      metadata: { path: '/a', n: [1, null] },
    }
    const delivered = await send('/confirm', { ...report, post_id: ids[0] })
    expect({ status: delivered.status, json: delivered.json }).toEqual({
      status: 200,
      json: { post_id: ids[0], site_id: site.id, status: 'delivered', confirmed_at: now() },
    })
    const failed = await send('/confirm', {
      ...{ post_id: ids[1], site_id: site.id, status: 'failed', error_message: 'disk full' },
    })
    expect(failed.json).toMatchObject({ post_id: ids[1], status: 'failed' })
    const deliveryOf = async (id: unknown) =>
      ((await api.get(`/api/analytics/posts/${id}/deliveries`)).json.deliveries as object[])[0]
    expect(await deliveryOf(ids[0])).toMatchObject({ status: 'delivered', metadata: report.metadata })
    expect(await deliveryOf(ids[1])).toMatchObject({ status: 'pending', last_error: 'disk full' })
    await service.advance(30_000)
    expect(receiver.received).toHaveLength(3)
    for (const [field, change] of [
      ['post_id', { post_id: undefined }],
      ['site_id', { site_id: undefined }],
      ['status', { status: 'pending' }],
      ['error_message', { error_message: 5 }],
      ['metadata', { metadata: 'text' }],
    ] as const)
      expect(refused(await send('/confirm', { ...report, post_id: ids[0], ...change }))).toEqual({ status: 400, field })
    const second = await newSite(api, receiver.url)
    expect((await send('/confirm', { ...report, post_id: ids[0], site_id: second.id })).status).toBe(403)
    expect((await send('/confirm', { ...report, post_id: 'nothing' })).status).toBe(404)
  })
})
