/** Section 6 of the specification: what arrives at a site, to the letter, and when. */
import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Api, newApi, newPost, newSite } from '../support/api.ts'
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts'
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

const now = () => service.clock.now().toISOString()

/** What has arrived since the last call, once everything that is due is done. */
async function arrived(): Promise<Received[]> {
  await service.drain()
  return receiver.received.splice(0)
}

/** A post that fills every field which a webhook carries. */
const FULL = {
  title: 'Whole',
  excerpt: 'In short',
  body: { markdown: 'Some *text*.' },
  meta: {
    title: 'SEO',
    description: 'What it is about',
    og_image: 'https://example.com/a.png',
    canonical_url: 'https://example.com/whole',
  },
  tags: ['a', 'b'],
}

describe('headers of every delivery', () => {
  /** One delivery of each kind of event, the first of them with a retry. */
  async function oneOfEach(): Promise<Received[]> {
    receiver.answerNext(500)
    const { id } = await newPost(api, { status: 'published' })
    const first = await arrived()
    await service.advance(30_000)
    await api.patch(`/api/posts/${id}`, { title: 'Changed' })
    const changes = await arrived()
    await api.delete(`/api/posts/${id}`)
    await api.post(`/api/sites/${site.id}/test-delivery`)
    return [...first, ...changes, ...(await arrived())]
  }

  it('§6 Header: Content-Type', async () => {
    const all = await oneOfEach()
    expect(all.map(({ headers }) => headers['content-type'])).toEqual(all.map(() => 'application/json'))
  })

  it('§6 Header: X-Service-Signature', async () => {
    for (const { headers, body } of await oneOfEach()) {
      const mac = createHmac('sha256', String(site.webhook_secret)).update(body).digest('hex')
      expect(headers['x-service-signature']).toBe(`sha256=${mac}`)
    }
  })

  it('§6 Header: X-Service-Timestamp', async () => {
    const start = service.clock.now().getTime() / 1_000
    const seconds = (await oneOfEach()).map(({ headers }) => Number(headers['x-service-timestamp']) - start)
    expect(seconds).toEqual([0, 30, 30, 30, 30])
  })

  it('§6 Header: X-Service-Event', async () => {
    const events = (await oneOfEach()).map(({ headers, json }) => [headers['x-service-event'], json.event])
    for (const [header, inBody] of events) expect(header).toBe(inBody)
    expect(events.map(([header]) => header).sort()).toEqual([
      'post.deleted',
      'post.published',
      'post.published',
      'post.updated',
      'site.test',
    ])
  })

  it('§6 Header: X-Service-Delivery', async () => {
    const [first, retry, ...others] = (await oneOfEach()).map(({ headers }) => headers['x-service-delivery'])
    expect(retry).toBe(first)
    expect(new Set([first, ...others]).size).toBe(4)
    for (const id of [first, ...others]) expect(id).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('§6 Header: X-Service-Version', async () => {
    for (const { headers } of await oneOfEach()) expect(headers['x-service-version']).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  })
})

describe('kinds of event', () => {
  it('§6 Event: post.published', async () => {
    const { id } = await newPost(api, { ...FULL, status: 'published' })
    const publishedAt = now()
    const published = {
      event: 'post.published',
      post: {
        ...FULL,
        id,
        version: 1,
        slug: 'whole',
        body: {
          html: '<p>Some <em>text</em>.</p>',
          markdown: 'Some *text*.',
          json: { type: 'doc', content: [expect.objectContaining({ type: 'paragraph' })] },
        },
        status: 'published',
        published_at: publishedAt,
      },
      site: { id: site.id, name: 'My blog' },
      delivered_at: publishedAt,
    }
    expect((await arrived()).map(({ json }) => json)).toEqual([published])

    const at = new Date(service.clock.now().getTime() + 60_000).toISOString()
    const scheduled = await newPost(api, { status: 'scheduled', scheduled_at: at })
    expect(await arrived()).toEqual([])
    await service.advance(60_000)
    const [due] = (await arrived()).map(({ json }) => json)
    expect(due).toMatchObject({
      event: 'post.published',
      post: { id: scheduled.id, status: 'published', published_at: at },
      delivered_at: at,
    })
  })

  it('§6 Event: post.updated', async () => {
    const { id } = await newPost(api, { ...FULL, status: 'published' })
    const [first] = (await arrived()).map(({ json }) => json.post as object)
    const meta = { description: 'Changed' }
    await api.patch(`/api/posts/${id}`, { meta })
    expect((await arrived()).map(({ json }) => json)).toEqual([
      {
        event: 'post.updated',
        post: { ...first, version: 2, meta: { ...FULL.meta, ...meta } },
        previous_version: 1,
        site: { id: site.id, name: 'My blog' },
      },
    ])
  })

  it('§6 Event: post.deleted', async () => {
    const { id } = await newPost(api, { title: 'Gone', status: 'published' })
    await arrived()
    await api.delete(`/api/posts/${id}`)
    const deletedAt = now()
    receiver.answerNext(500)
    await service.drain()
    await service.advance(30_000)
    const deleted = {
      event: 'post.deleted',
      post: { id, slug: 'gone' },
      site: { id: site.id },
      deleted_at: deletedAt,
    }
    expect((await arrived()).map(({ json }) => json)).toEqual([deleted, deleted])
  })

  it('§6 Event: site.test', async () => {
    await api.post(`/api/sites/${site.id}/test-delivery`)
    const [{ json } = { json: {} }] = await arrived()
    expect(json).toEqual({
      event: 'site.test',
      test: true,
      post: {
        id: expect.any(String),
        version: 1,
        slug: expect.any(String),
        title: expect.any(String),
        excerpt: expect.any(String),
        body: { html: expect.any(String), markdown: expect.any(String), json: expect.any(Object) },
        meta: expect.any(Object),
        tags: expect.any(Array),
        status: 'published',
        published_at: now(),
      },
      site: { id: site.id, name: 'My blog' },
    })
  })
})

describe('retries', () => {
  it('§6 Success is 200 OK and nothing else', async () => {
    for (const status of [201, 202, 204, 299, 301, 302, 307, 308, 400, 401, 404, 410, 429, 500, 503]) {
      receiver.answerNext(status)
      const { id } = await newPost(api, { status: 'published' })
      await service.drain()
      const { deliveries } = (await api.get(`/api/analytics/posts/${id}/deliveries`)).json
      expect(deliveries).toMatchObject([{ status: 'pending', attempts: 1, response_code: status }])
    }
  })

  /** Fails `failures` attempts, one millisecond before and at each due time; resolves with how many came before and at it. */
  async function attemptAt(failures: number, delayMs: number): Promise<[before: number, at: number]> {
    receiver.answerNext(...Array.from({ length: failures }, () => 500))
    await newPost(api, { status: 'published' })
    await service.drain()
    for (const earlier of [30_000, 300_000].slice(0, failures - 1)) await service.advance(earlier)
    await service.advance(delayMs - 1)
    const before = receiver.received.length
    await service.advance(1)
    return [before, receiver.received.length]
  }

  it('§6 Attempt 1: immediately', async () => {
    await newPost(api, { status: 'published' })
    expect(await arrived()).toHaveLength(1)
    const at = new Date(service.clock.now().getTime() + 60_000).toISOString()
    await newPost(api, { status: 'scheduled', scheduled_at: at })
    await service.advance(59_999)
    expect(await arrived()).toHaveLength(0)
    await service.advance(1)
    expect(await arrived()).toHaveLength(1)
  })

  it('§6 Attempt 2: 30 seconds after attempt 1 fails', async () => expect(await attemptAt(1, 30_000)).toEqual([1, 2]))
  it('§6 Attempt 3: 5 minutes after attempt 2 fails', async () => expect(await attemptAt(2, 300_000)).toEqual([2, 3]))
  it('§6 Attempt 4: 30 minutes after attempt 3 fails', async () =>
    expect(await attemptAt(3, 1_800_000)).toEqual([3, 4]))

  it('§6 After attempt 4: failed, until a manual retry', async () => {
    receiver.answerNext(500, 500, 500, 500)
    const { id } = await newPost(api, { status: 'published' })
    await service.drain()
    for (const delay of [30_000, 300_000, 1_800_000, 86_400_000]) await service.advance(delay)
    expect(receiver.received).toHaveLength(4)
    const deliveries = async () => (await api.get(`/api/posts/${id}`)).json.deliveries
    expect(await deliveries()).toMatchObject([{ status: 'failed', delivered_at: null }])
    await api.post(`/api/analytics/posts/${id}/retry`)
    await service.drain()
    expect(receiver.received).toHaveLength(5)
    expect(await deliveries()).toMatchObject([{ status: 'delivered_retry', delivered_at: now() }])
  })
})
