/** Section 2 of the specification: every field of every resource, as it is on the wire. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, newApi, newPost, newSite } from '../support/api.ts'
import { request } from '../support/http.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startService, type TestService } from '../support/service.ts'

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

let service: TestService
let receiver: Receiver
let api: Api

beforeAll(async () => {
  service = await startService()
  receiver = await startReceiver()
  api = await newApi(service)
})
afterAll(async () => {
  await receiver.close()
  await service.stop()
})

/** The post as GET shows it. */
const read = async (id: string) => (await api.get(`/api/posts/${id}`)).json

describe('User', () => {
  it('§2 User: id', () => expect(api.user.id).toMatch(UUID_V7))
  it('§2 User: name', () => expect(api.user.name).toBe('Ada'))
  it('§2 User: email', () => expect(api.user.email).toMatch(/@example\.com$/))

  it('§2 Session: user, token, expires_at', async () => {
    const person = { name: 'Grace', email: 'grace@example.com', password: 'correct horse' }
    const registered = await request(`${service.url}/api/auth/register`, { method: 'POST', body: person })
    const { email, password } = person
    const loggedIn = await request(`${service.url}/api/auth/login`, { method: 'POST', body: { email, password } })
    for (const { json } of [registered, loggedIn]) {
      expect(Object.keys(json).sort()).toEqual(['expires_at', 'token', 'user'])
      expect(json.user).toEqual({ id: expect.stringMatching(UUID_V7), name: 'Grace', email })
      expect(json.token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
      expect(json.expires_at).toMatch(INSTANT)
      expect(Date.parse(String(json.expires_at)) - service.clock.now().getTime()).toBe(7 * 86_400_000)
    }
  })
})

describe('Post', () => {
  it('§2 Post: id', async () => {
    const posts = [await newPost(api, {}), await newPost(api, {})]
    for (const { id } of posts) expect(id).toMatch(UUID_V7)
    expect(posts[0]?.id).not.toBe(posts[1]?.id)
  })

  it('§2 Post: version', async () => {
    const { id, version } = await newPost(api, {})
    expect(version).toBe(1)
    expect((await api.patch(`/api/posts/${id}`, { title: 'Second' })).json.version).toBe(2)
    expect((await api.patch(`/api/posts/${id}`, { excerpt: 'Third' })).json.version).toBe(3)
    expect((await api.patch(`/api/posts/${id}`, { excerpt: 'Third' })).json.version).toBe(3)
    await api.post(`/api/posts/${id}/publish`)
    expect((await read(id)).version).toBe(3)
  })

  it('§2 Post: slug', async () => {
    const post = await newPost(api, { title: 'Ten Ways to Grow Tomatoes — Überall!' })
    expect(post.slug).toBe('ten-ways-to-grow-tomatoes-uberall')
  })

  it('§2 Post: title', async () => {
    const { id } = await newPost(api, { title: 'Kept as given' })
    expect((await read(id)).title).toBe('Kept as given')
    const { status, json } = await api.post('/api/posts', { excerpt: 'no title' })
    expect({ status, ...json }).toMatchObject({ status: 400, error: 'validation_error', field: 'title' })
  })

  it('§2 Post: excerpt', async () => {
    expect((await newPost(api, {})).excerpt).toBe('')
    expect((await newPost(api, { excerpt: 'In short' })).excerpt).toBe('In short')
  })

  it('§2 Post: body', async () => {
    const json = { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Hello' }] }] }
    const whole = { html: '<p>Hello</p>', markdown: expect.stringMatching(/^Hello\n?$/), json }
    for (const body of [{ html: '<p>Hello</p>' }, { markdown: 'Hello' }, { json }])
      expect((await newPost(api, { body })).body).toEqual(whole)
  })

  it('§2 Post: meta', async () => {
    const meta = {
      title: 'For search engines',
      description: 'What it is about',
      og_image: 'https://example.com/a.png',
      canonical_url: 'https://example.com/original',
    }
    expect((await newPost(api, { meta })).meta).toEqual(meta)
    expect((await newPost(api, {})).meta).toEqual({})
  })

  it('§2 Post: tags', async () => {
    expect((await newPost(api, { tags: ['garden', 'tomatoes'] })).tags).toEqual(['garden', 'tomatoes'])
    expect((await newPost(api, {})).tags).toEqual([])
  })

  it('§2 Post: status', async () => {
    const at = new Date(service.clock.now().getTime() + 86_400_000).toISOString()
    expect((await newPost(api, { status: 'draft' })).status).toBe('draft')
    expect((await newPost(api, { status: 'scheduled', scheduled_at: at })).status).toBe('scheduled')
    expect((await newPost(api, { status: 'published' })).status).toBe('published')
    expect((await api.post('/api/posts', { title: 'x', status: 'archived' })).json.field).toBe('status')
  })

  it('§2 Post: scheduled_at', async () => {
    expect((await newPost(api, {})).scheduled_at).toBeNull()
    const at = service.clock.now().getTime() + 86_400_000
    const local = new Date(at + 3_600_000).toISOString().replace('Z', '+01:00')
    const scheduled = await newPost(api, { status: 'scheduled', scheduled_at: local })
    expect(scheduled.scheduled_at).toBe(new Date(at).toISOString())
    await api.post(`/api/posts/${scheduled.id}/publish`)
    expect((await read(scheduled.id)).scheduled_at).toBeNull()
  })

  it('§2 Post: published_at', async () => {
    const { id, published_at: before } = await newPost(api, {})
    expect(before).toBeNull()
    await api.post(`/api/posts/${id}/publish`)
    expect((await read(id)).published_at).toBe(service.clock.now().toISOString())
  })

  it('§2 Post: created_at', async () => {
    const { id, created_at: created } = await newPost(api, {})
    expect(created).toBe(service.clock.now().toISOString())
    service.clock.advance(1_000)
    expect((await api.patch(`/api/posts/${id}`, { title: 'Later' })).json.created_at).toBe(created)
  })

  it('§2 Post: updated_at', async () => {
    const { id, updated_at: first } = await newPost(api, {})
    expect(first).toBe(service.clock.now().toISOString())
    service.clock.advance(1_000)
    expect((await api.patch(`/api/posts/${id}`, { title: 'Later' })).json.updated_at).toBe(
      service.clock.now().toISOString(),
    )
    const updatedAt = async () => (await api.get(`/api/posts/${id}`)).json.updated_at
    service.clock.advance(1_000)
    const published = service.clock.now().toISOString()
    await api.post(`/api/posts/${id}/publish`, {})
    expect(await updatedAt()).toBe(published)
    service.clock.advance(1_000)
    await api.post(`/api/posts/${id}/publish`, {})
    expect(await updatedAt()).toBe(published)
    const scheduledAt = new Date(service.clock.now().getTime() + 60_000).toISOString()
    const { id: scheduled } = await newPost(api, { status: 'scheduled', scheduled_at: scheduledAt })
    await service.advance(90_000)
    expect((await api.get(`/api/posts/${scheduled}`)).json).toMatchObject({
      status: 'published',
      updated_at: service.clock.now().toISOString(),
    })
  })

  it('§2 Post: deliveries', async () => {
    const owner = await newApi(service)
    const site = await newSite(owner, receiver.url)
    const { id, deliveries } = await newPost(owner, { status: 'published' })
    expect(deliveries).toEqual([{ site_id: site.id, status: 'pending', delivered_at: null }])
    await service.drain()
    const delivered = [{ site_id: site.id, status: 'delivered', delivered_at: service.clock.now().toISOString() }]
    expect((await owner.get(`/api/posts/${id}`)).json.deliveries).toEqual(delivered)
    const { data } = (await owner.get('/api/posts')).json
    expect((data as object[])[0]).not.toHaveProperty('deliveries')
  })
})

describe('Site', () => {
  let site: Record<string, unknown>
  beforeAll(async () => {
    site = await newSite(api, receiver.url, { niche: 'gardening' })
  })

  it('§2 Site: id', () => expect(site.id).toMatch(UUID_V7))
  it('§2 Site: name', () => expect(site.name).toBe('My blog'))
  it('§2 Site: url', () => expect(site.url).toBe('https://blog.example.com'))
  it('§2 Site: webhook_url', () => expect(site.webhook_url).toBe(receiver.url))
  it('§2 Site: niche', async () => {
    expect(site.niche).toBe('gardening')
    expect((await newSite(api, receiver.url)).niche).toBe('')
  })

  it('§2 Site: api_key', async () => {
    expect(site.api_key).toMatch(/^pr_[0-9A-Za-z]{40,}$/)
    expect((await newSite(api, receiver.url)).api_key).not.toBe(site.api_key)
    const pulled = await request(`${service.url}/api/pull/posts`, { headers: { 'x-api-key': String(site.api_key) } })
    expect(pulled.status).toBe(200)
  })

  it('§2 Site: webhook_secret', async () => {
    const [, encoded = ''] = /^whsec_(.+)$/.exec(String(site.webhook_secret)) ?? []
    expect(Buffer.from(encoded, 'base64')).toHaveLength(32)
    expect((await newSite(api, receiver.url)).webhook_secret).not.toBe(site.webhook_secret)
  })

  it('§2 Site: platform', async () => {
    for (const platform of ['nextjs', 'wordpress', 'gatsby', 'sveltekit', 'custom'])
      expect((await newSite(api, receiver.url, { platform })).platform).toBe(platform)
    expect((await newSite(api, receiver.url, { platform: undefined })).platform).toBe('custom')
  })

  it('§2 Site: status', async () => {
    const owner = await newApi(service)
    const { id } = await newSite(owner, receiver.url)
    const status = async () => (await owner.get(`/api/sites/${id}`)).json.status
    expect(await status()).toBe('active')
    receiver.answerNext(500, 500, 500, 500)
    await newPost(owner, { status: 'published' })
    await service.drain()
    for (const delay of [30_000, 300_000, 1_800_000]) await service.advance(delay)
    expect(await status()).toBe('error')
    await owner.patch(`/api/sites/${id}`, { status: 'inactive' })
    expect(await status()).toBe('inactive')
  })

  it('§2 Site: delivery_stats', async () => {
    const owner = await newApi(service)
    const { id } = await newSite(owner, receiver.url)
    const stats = async () => (await owner.get(`/api/sites/${id}`)).json.delivery_stats
    expect(await stats()).toMatchObject({ total: 0, success_rate: null, last_delivery: null })
    for (const title of ['One', 'Two']) await newPost(owner, { title, status: 'published' })
    await service.drain()
    const last = service.clock.now().toISOString()
    receiver.answerNext(500, 500, 500, 500)
    await newPost(owner, { title: 'Three', status: 'published' })
    await service.drain()
    for (const delay of [30_000, 300_000, 1_800_000]) await service.advance(delay)
    expect(await stats()).toMatchObject({ total: 3, success_rate: 66.7, last_delivery: last })
  })

  it('§2 Site: created_at', async () => {
    expect((await newSite(api, receiver.url)).created_at).toBe(service.clock.now().toISOString())
  })
})

it('§2 Delivery status: pending, delivered, delivered_retry, failed', async () => {
  const owner = await newApi(service)
  await newSite(owner, receiver.url)
  const statusOf = async (id: string) => {
    const { deliveries } = (await owner.get(`/api/posts/${id}`)).json
    return (deliveries as Array<{ status: string }>).map(({ status }) => status)
  }
  receiver.answerNext(500)
  const { id } = await newPost(owner, { status: 'published' })
  expect(await statusOf(id)).toEqual(['pending'])
  await service.drain()
  expect(await statusOf(id)).toEqual(['pending'])
  await service.advance(30_000)
  expect(await statusOf(id)).toEqual(['delivered_retry'])
  await owner.patch(`/api/posts/${id}`, { title: 'Changed' })
  await service.drain()
  expect(await statusOf(id)).toEqual(['delivered'])
  receiver.answerNext(500, 500, 500, 500)
  await owner.patch(`/api/posts/${id}`, { title: 'Changed again' })
  await service.drain()
  for (const delay of [30_000, 300_000, 1_800_000]) await service.advance(delay)
  expect(await statusOf(id)).toEqual(['failed'])
})

it('§2 Pagination: page, limit, total, pages', async () => {
  const owner = await newApi(service)
  expect((await owner.get('/api/posts')).json.pagination).toEqual({ page: 1, limit: 20, total: 0, pages: 0 })
  for (let count = 0; count < 5; count += 1) await newPost(owner, {})
  const second = (await owner.get('/api/posts?page=2&limit=2')).json
  expect(second.pagination).toEqual({ page: 2, limit: 2, total: 5, pages: 3 })
  expect(second.data).toHaveLength(2)
})
