/** What the specification leaves open and docs/specification.md settles, as far as no other test is about it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, newApi, newPost, newSite } from '../support/api.ts'
import { type PlainResponse, request } from '../support/http.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let api: Api

beforeAll(async () => {
  service = await startService()
  api = await newApi(service)
})
afterAll(() => service.stop())

const outcome = ({ status, json }: PlainResponse) =>
  status < 300 ? 'accepted' : `${status} ${json.field ?? json.error}`

describe('input', () => {
  it('H3: read-only fields are accepted and ignored', async () => {
    const noise = { id: 'mine', version: 99, published_at: 'x', created_at: 1, updated_at: null, deliveries: ['x'] }
    const post = await newPost(api, { ...noise, title: 'Mine' })
    expect(post).toMatchObject({ version: 1, published_at: null, created_at: service.clock.now().toISOString() })
    const changed = (await api.patch(`/api/posts/${post.id}`, { ...noise, title: 'Changed' })).json
    expect(changed).toEqual({ ...post, title: 'Changed', version: 2 })

    const secrets = { id: 'mine', api_key: 'mine', webhook_secret: 'mine', delivery_stats: 5, created_at: 'x' }
    const site = await newSite(api, 'https://example.com/hook', { ...secrets, status: 'inactive' })
    expect(site).toMatchObject({ status: 'active', created_at: service.clock.now().toISOString() })
    for (const field of ['id', 'api_key', 'webhook_secret']) expect(site[field]).not.toBe('mine')
    const renamed = await api.patch(`/api/sites/${site.id}`, { ...secrets, name: 'Renamed' })
    expect(renamed.json).toMatchObject({ id: site.id, name: 'Renamed', created_at: site.created_at })
    expect((await api.get(`/api/sites/${site.id}`)).json).toEqual({ ...site, name: 'Renamed' })
  })

  it.each([
    ['body', [], 'The body must be an object.'],
    ['title', { excerpt: 'x' }, 'The title is required.'],
    ['meta', { title: 'x', meta: 5 }, 'meta must be an object.'],
    ['body.json', { title: 'x', body: { json: [] } }, 'body.json must be an object.'],
    ['meta.og_image', { title: 'x', meta: { og_image: 'here' } }, /absolute http or https address/],
    ['meta.og_image', { title: 'x', meta: { og_image: 5 } }, 'og_image must be a string.'],
  ])('H3: %s is named in a sentence when it is wrong: %j', async (field, body, message) => {
    const { json } = await api.post('/api/posts', body)
    expect(json).toEqual({ error: 'validation_error', field, message: expect.stringMatching(message) })
  })

  it('H3: a resource that was fetched can be edited and sent back whole', async () => {
    const at = new Date(service.clock.now().getTime() + 60_000).toISOString()
    for (const status of [{ status: 'draft' }, { status: 'scheduled', scheduled_at: at }, { status: 'published' }]) {
      const { id } = await newPost(api, { ...status, body: { markdown: 'One' }, meta: { title: 'T' } })
      const fetched = (await api.get(`/api/posts/${id}`)).json
      const edited = await api.patch(`/api/posts/${id}`, { ...fetched, excerpt: 'Edited' })
      expect(edited.json).toEqual({ ...fetched, version: 2, excerpt: 'Edited' })
    }
    const { id } = await newSite(api, 'https://example.com/hook')
    const fetched = (await api.get(`/api/sites/${id}`)).json
    expect((await api.patch(`/api/sites/${id}`, { ...fetched, niche: 'Edited' })).json).toMatchObject({
      niche: 'Edited',
    })
  })

  const post = (input: object) => async () => outcome(await api.post('/api/posts', { title: 'x', ...input }))
  const site = (input: object) => async () =>
    outcome(
      await api.post('/api/sites', { name: 'x', url: 'https://a.example', webhook_url: 'https://a.example', ...input }),
    )
  const person = (input: object) => async () => {
    const body = { name: 'x', email: `${crypto.randomUUID()}@example.com`, password: 'quiet harbour', ...input }
    return outcome(await request(`${service.url}/api/auth/register`, { method: 'POST', body }))
  }
  const list = (query: string) => async () => outcome(await api.get(`/api/posts?${query}`))
  const url = (length: number) => `https://example.com/${'x'.repeat(length - 20)}`
  const email = (length: number) => `${crypto.randomUUID()}@${'x'.repeat(length - 41)}.com`
  const MIB = 1024 * 1024
  /** Text that is no longer in another form. */
  const blank = (length: number) => `x${' '.repeat(length - 2)}x`

  it.each([
    ['title', post({ title: 'x'.repeat(300) }), post({ title: 'x'.repeat(301) })],
    ['title', post({ title: 'x' }), post({ title: '' })],
    ['excerpt', post({ excerpt: '🌱'.repeat(1_000) }), post({ excerpt: '🌱'.repeat(1_001) })],
    ['body.markdown', post({ body: { markdown: blank(MIB) } }), post({ body: { markdown: blank(MIB + 1) } })],
    ['body.html', post({ body: { html: blank(MIB) } }), post({ body: { html: blank(MIB + 1) } })],
    ['tags', post({ tags: Array(50).fill('x') }), post({ tags: Array(51).fill('x') })],
    ['tags.0', post({ tags: ['x'.repeat(64)] }), post({ tags: ['x'.repeat(65)] })],
    ['tags.1', post({ tags: ['x', 'y'] }), post({ tags: ['x', ' '] })],
    ['slug', post({ slug: 'z'.repeat(120) }), post({ slug: 'z'.repeat(121) })],
    ['meta.title', post({ meta: { title: 'x'.repeat(200) } }), post({ meta: { title: 'x'.repeat(201) } })],
    [
      'meta.description',
      post({ meta: { description: 'x'.repeat(500) } }),
      post({ meta: { description: 'x'.repeat(501) } }),
    ],
    ['meta.og_image', post({ meta: { og_image: url(2_048) } }), post({ meta: { og_image: url(2_049) } })],
    [
      'meta.canonical_url',
      post({ meta: { canonical_url: url(2_048) } }),
      post({ meta: { canonical_url: url(2_049) } }),
    ],
    ['name', site({ name: 'x'.repeat(120) }), site({ name: 'x'.repeat(121) })],
    ['url', site({ url: url(2_048) }), site({ url: url(2_049) })],
    ['webhook_url', site({ webhook_url: url(2_048) }), site({ webhook_url: url(2_049) })],
    ['name', person({ name: 'x'.repeat(120) }), person({ name: 'x'.repeat(121) })],
    ['email', person({ email: email(254) }), person({ email: email(255) })],
    ['password', person({ password: 'xkcd 936' }), person({ password: 'x'.repeat(7) })],
    ['password', person({ password: `${'x'.repeat(255)}y` }), person({ password: 'x'.repeat(257) })],
    ['page', list('page=1'), list('page=0')],
    ['limit', list('limit=1'), list('limit=0')],
    ['limit', list('limit=100'), list('limit=101')],
  ])('H4: %s, to its limit and beyond', async (field, within, beyond) => {
    expect(await within()).toBe('accepted')
    expect(await beyond()).toBe(`400 ${field}`)
  })

  it('H4: a request body, to its limit and beyond', async () => {
    const body = (bytes: number) => {
      const start = '{"title":"x","excerpt":"'
      return `${start}${'x'.repeat(bytes - start.length - 2)}"}`
    }
    const send = (raw: string) => request(`${service.url}/api/posts`, { method: 'POST', token: api.token, raw })
    expect(outcome(await send(body(2 * MIB)))).toBe('400 excerpt')
    expect(outcome(await send(body(2 * MIB + 1)))).toBe('413 payload_too_large')
  })

  it('H5: times are UTC with milliseconds and Z, and an offset is normalised', async () => {
    const year = service.clock.now().getUTCFullYear() + 1
    for (const [given, stored] of [
      [`${year}-06-01T12:00:00Z`, `${year}-06-01T12:00:00.000Z`],
      [`${year}-06-01T12:00:00.123456+02:00`, `${year}-06-01T10:00:00.123Z`],
      [`${year}-06-01T00:30+05:30`, `${year}-05-31T19:00:00.000Z`],
      [`${year}-06-01T00:30:00+0530`, `${year}-05-31T19:00:00.000Z`],
      [`${year}-06-01T12:00:00+0000`, `${year}-06-01T12:00:00.000Z`],
    ])
      expect(await newPost(api, { status: 'scheduled', scheduled_at: given })).toMatchObject({ scheduled_at: stored })
    for (const given of [`${year}-06-01T12:00:00`, `${year}-06-01`, `${year}-02-30T12:00:00Z`, `${Date.now()}`])
      expect(await post({ status: 'scheduled', scheduled_at: given })()).toBe('400 scheduled_at')
  })
})

it('H10: the client address is the socket, unless the proxy is trusted', async () => {
  const login = async (url: string, address: string) => {
    const body = { email: 'nobody@example.com', password: 'wrong horse' }
    const headers = { 'x-forwarded-for': address }
    return (await request(`${url}/api/auth/login`, { method: 'POST', body, headers })).status
  }
  for (const [trusted, last] of [
    ['', 429],
    ['10.0.0.0/8', 429],
    ['127.0.0.0/8', 401],
  ] as const) {
    const strict = await startService({ RATE_LIMIT_AUTH: '1/min', TRUST_PROXY: trusted })
    expect([await login(strict.url, '203.0.113.1'), await login(strict.url, '203.0.113.2')]).toEqual([401, last])
    await strict.stop()
  }
})

it('A4: a new account is on the default plan', async () => {
  expect((await api.get('/api/account')).json.plan).toBe('starter')
  const generous = await startService({ DEFAULT_PLAN: 'pro' })
  expect((await (await newApi(generous)).get('/api/account')).json.plan).toBe('pro')
  await generous.stop()
})

describe('bodies', () => {
  const paragraph = (text: string) => ({ type: 'paragraph', content: [{ type: 'text', text }] })
  const json = { type: 'doc', content: [paragraph('From JSON')] }
  const html = '<p>From HTML</p>'
  const markdown = 'From Markdown'

  it('P3: of several forms the richest is the source, and given text is kept as given', async () => {
    const create = async (body: object) => (await newPost(api, { body })).body
    expect(await create({ json, html, markdown })).toEqual({ json, html, markdown })
    expect(await create({ json, markdown })).toEqual({ json, html: '<p>From JSON</p>', markdown })
    expect(await create({ html, markdown })).toEqual({
      json: { type: 'doc', content: [paragraph('From HTML')] },
      html,
      markdown,
    })
    expect(await create({ html: '<p onclick="x()">Safe<script>x()</script></p>' })).toMatchObject({
      html: '<p>Safe</p>',
    })
  })

  it('P3: changing one form changes the other two', async () => {
    const { id } = await newPost(api, { body: { json, html, markdown } })
    const patch = async (body: object) => (await api.patch(`/api/posts/${id}`, { body })).json.body
    expect(await patch({ markdown: 'New' })).toEqual({
      json: { type: 'doc', content: [paragraph('New')] },
      html: '<p>New</p>',
      markdown: 'New',
    })
    expect(await patch({ html: '<p>Newer</p>' })).toMatchObject({ markdown: 'Newer\n' })
    expect(await patch({ json })).toMatchObject({ html: '<p>From JSON</p>', markdown: 'From JSON\n' })
  })
})
