/** Section 3 of the specification: every transition of a post, a delivery and a site, and nothing but these. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Api, newApi, newPost, newSite } from '../support/api.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let receiver: Receiver
let api: Api
let site: Record<string, string>

beforeAll(async () => {
  service = await startService()
})
beforeEach(async () => {
  receiver = await startReceiver()
  api = await newApi(service)
  site = await newSite(api, receiver.url)
})
afterEach(async () => {
  await service.drain()
  await receiver.close()
})
afterAll(() => service.stop())

/** The kinds of event that have arrived so far. */
const arrived = () => receiver.received.map(({ json }) => json.event)
const inAnHour = () => new Date(service.clock.now().getTime() + 3_600_000).toISOString()
const read = async (id: string) => (await api.get(`/api/posts/${id}`)).json
const deliveriesOf = async (id: string) =>
  (await api.get(`/api/analytics/posts/${id}/deliveries`)).json.deliveries as Array<Record<string, unknown>>

describe('post status', () => {
  it('§3 Post: none → draft, by POST with status omitted or draft', async () => {
    const posts = [await newPost(api, {}), await newPost(api, { status: 'draft' })]
    await service.drain()
    for (const post of posts) expect(post).toMatchObject({ status: 'draft', published_at: null, deliveries: [] })
    expect(arrived()).toEqual([])
  })

  it('§3 Post: none → published, by POST with status published', async () => {
    const post = await newPost(api, { status: 'published' })
    const now = service.clock.now().toISOString()
    expect(post).toMatchObject({ status: 'published', published_at: now, deliveries: [{ status: 'pending' }] })
    await service.drain()
    expect(arrived()).toEqual(['post.published'])
  })

  it('§3 Post: none → scheduled, by POST with status scheduled and scheduled_at', async () => {
    const at = inAnHour()
    const post = await newPost(api, { status: 'scheduled', scheduled_at: at })
    expect(post).toMatchObject({ status: 'scheduled', scheduled_at: at, published_at: null, deliveries: [] })
    await service.drain()
    expect(arrived()).toEqual([])
    const without = await api.post('/api/posts', { title: 'When?', status: 'scheduled' })
    expect({ status: without.status, field: without.json.field }).toEqual({ status: 400, field: 'scheduled_at' })
  })

  it('§3 Post: any, published to the named sites or to all, one pending delivery per site', async () => {
    const second = await newSite(api, receiver.url)
    const starts = [{}, { status: 'scheduled', scheduled_at: inAnHour() }, { status: 'published' }]
    for (const start of starts) {
      const { id } = await newPost(api, start)
      const named = await api.post(`/api/posts/${id}/publish`, { site_ids: [second.id] })
      expect(named.json.dispatched_to).toEqual([{ site_id: second.id, status: 'pending' }])
      expect(await read(id)).toMatchObject({ status: 'published', scheduled_at: null })
      const all = (await api.post(`/api/posts/${id}/publish`)).json.dispatched_to as Array<{ site_id: string }>
      expect(all.map(({ site_id }) => site_id).sort()).toEqual([site.id, second.id].sort())
      const pending = (await deliveriesOf(id)).filter(({ status }) => status === 'pending')
      expect(pending).toHaveLength(start.status === 'published' ? 5 : 3)
    }
  })

  it('§3 Post: scheduled → published, when the time arrives', async () => {
    const at = inAnHour()
    const { id } = await newPost(api, { status: 'scheduled', scheduled_at: at })
    await service.advance(3_599_999)
    expect(await read(id)).toMatchObject({ status: 'scheduled', published_at: null })
    expect(arrived()).toEqual([])
    await service.advance(1)
    expect(await read(id)).toMatchObject({ status: 'published', published_at: at, scheduled_at: null, version: 1 })
    expect(arrived()).toEqual(['post.published'])
  })

  it('§3 Post: published → published, edited and re-published by PATCH', async () => {
    const { id } = await newPost(api, { status: 'published' })
    await service.drain()
    const edited = await api.patch(`/api/posts/${id}`, { title: 'Edited' })
    expect(edited.json).toMatchObject({ status: 'published', version: 2 })
    await service.drain()
    expect(arrived()).toEqual(['post.published', 'post.updated'])
    expect(receiver.received[1]?.json).toMatchObject({ previous_version: 1, post: { version: 2, title: 'Edited' } })
  })

  it('§3 Post: any → removed, by DELETE', async () => {
    const starts = [{}, { status: 'scheduled', scheduled_at: inAnHour() }, { status: 'published' }]
    for (const start of starts) {
      const { id } = await newPost(api, start)
      await service.drain()
      expect((await api.delete(`/api/posts/${id}`)).status).toBe(204)
      expect((await api.get(`/api/posts/${id}`)).status).toBe(404)
    }
    await service.advance(3_600_000)
    expect(arrived()).toEqual(['post.published', 'post.deleted'])
  })
})

describe('delivery status', () => {
  const statusOf = async (id: string) => (await deliveriesOf(id)).map(({ status }) => status)

  it('§3 Delivery: pending → delivered, when attempt 1 is answered 200', async () => {
    const { id } = await newPost(api, { status: 'published' })
    expect(await statusOf(id)).toEqual(['pending'])
    await service.drain()
    expect(await deliveriesOf(id)).toMatchObject([{ status: 'delivered', attempts: 1, response_code: 200 }])
  })

  it('§3 Delivery: pending stays pending, when one of the first three attempts fails', async () => {
    receiver.answerNext(201, 302, 500)
    const { id } = await newPost(api, { status: 'published' })
    await service.drain()
    for (const [attempt, delayMs] of [30_000, 300_000, 1_800_000].entries()) {
      const next = new Date(service.clock.now().getTime() + delayMs).toISOString()
      expect(await deliveriesOf(id)).toMatchObject([
        { status: 'pending', attempts: attempt + 1, next_attempt_at: next, delivered_at: null },
      ])
      if (attempt < 2) await service.advance(delayMs)
    }
  })

  it('§3 Delivery: pending → delivered_retry, when a retry is answered 200', async () => {
    for (const failures of [1, 2, 3]) {
      receiver.answerNext(...Array.from({ length: failures }, () => 500))
      const { id } = await newPost(api, { status: 'published' })
      await service.drain()
      for (const delay of [30_000, 300_000, 1_800_000].slice(0, failures)) await service.advance(delay)
      expect(await deliveriesOf(id)).toMatchObject([{ status: 'delivered_retry', attempts: failures + 1 }])
    }
  })

  it('§3 Delivery: pending → failed, when attempt 4 fails', async () => {
    receiver.answerNext(500, 500, 500, 500)
    const { id } = await newPost(api, { status: 'published' })
    await service.drain()
    for (const delay of [30_000, 300_000, 1_800_000]) await service.advance(delay)
    expect(await deliveriesOf(id)).toMatchObject([{ status: 'failed', attempts: 4, next_attempt_at: null }])
    await service.advance(7_200_000)
    expect(receiver.received).toHaveLength(4)
  })

  it('§3 Delivery: failed → queued again, by manual retry', async () => {
    receiver.answerNext(500, 500, 500, 500)
    const { id } = await newPost(api, { status: 'published' })
    await service.drain()
    for (const delay of [30_000, 300_000, 1_800_000]) await service.advance(delay)
    const { status, json } = await api.post(`/api/analytics/posts/${id}/retry`)
    expect({ status, ...json }).toMatchObject({ status: 'queued', job_id: expect.any(String) })
    expect(await statusOf(id)).toEqual(['pending'])
    await service.drain()
    expect(await deliveriesOf(id)).toMatchObject([{ status: 'delivered_retry', attempts: 5 }])
  })
})

it('§3 Site: active, inactive, error', async () => {
  const status = async () => (await api.get(`/api/sites/${site.id}`)).json.status
  const set = (to: string) => api.patch(`/api/sites/${site.id}`, { status: to })
  expect(await status()).toBe('active')
  expect((await set('inactive')).json.status).toBe('inactive')
  expect((await set('active')).json.status).toBe('active')
  expect((await set('error')).json).toMatchObject({ error: 'validation_error', field: 'status' })

  receiver.answerNext(...Array.from({ length: 9 }, () => 500))
  const { id } = await newPost(api, { status: 'published' })
  await service.drain()
  for (const delay of [30_000, 300_000, 1_800_000]) await service.advance(delay)
  expect(await status()).toBe('error')
  expect((await set('inactive')).json.status).toBe('inactive')
  expect((await set('active')).json.status).toBe('active')

  for (let count = 1; count <= 5; count += 1) {
    expect(await status()).toBe('active')
    await api.post(`/api/posts/${id}/publish`)
    await service.drain()
  }
  expect(await status()).toBe('error')
  await newPost(api, { title: 'One that arrives', status: 'published' })
  await service.drain()
  expect(await status()).toBe('active')
})
