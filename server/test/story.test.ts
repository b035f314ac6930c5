import { createHmac } from 'node:crypto'
import { type PostriderClient, type SiteWithSecrets, verifyWebhook } from '@postrider/sdk'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Received, type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let receiver: Receiver
let client: PostriderClient
let site: SiteWithSecrets

beforeAll(async () => {
  service = await startService()
  receiver = await startReceiver()
})

afterAll(async () => {
  await receiver.close()
  await service.stop()
})

/** Verifies with the SDK, with the Standard Webhooks library, and by hand as the specification says. */
async function verified(request: Received | undefined) {
  if (request === undefined) throw new Error('nothing arrived')
  const { body, headers } = request
  const { event, deliveryId } = await verifyWebhook({
    body,
    headers,
    secret: site.webhook_secret,
    now: service.clock.now().getTime(),
  })
  const byHand = createHmac('sha256', site.webhook_secret).update(body).digest('hex')
  expect(headers['x-service-signature']).toBe(`sha256=${byHand}`)
  expect(headers['x-service-event']).toBe(event.event)
  expect(headers['x-service-delivery']).toBe(deliveryId)
  expect(headers['x-service-timestamp']).toBe(String(Math.floor(service.clock.now().getTime() / 1000)))
  expect(headers['x-service-version']).toBe('2026-11-01')
  expect(headers['content-type']).toBe('application/json')
  return { event, deliveryId }
}

describe('the whole story, through the SDK against a real receiver', () => {
  let postId: string

  it('connects a site', async () => {
    client = await newAccount(service)
    site = await connectSite(client, receiver)
    expect(site.api_key).toMatch(/^pr_[0-9A-Za-z]{49}$/)
    expect(site.webhook_secret).toMatch(/^whsec_/)
  })

  it('publishes a post: one signed post.published arrives', async () => {
    const post = await client.posts.create({
      title: 'Hello, world',
      body: { markdown: 'First **words**.' },
      tags: ['news'],
    })
    postId = post.id
    const dispatched = await client.posts.publish(postId)
    expect(dispatched).toMatchObject({ post_id: postId, dispatched_to: [{ site_id: site.id, status: 'pending' }] })
    await service.drain()
    expect(receiver.received).toHaveLength(1)
    const { event } = await verified(receiver.received[0])
    expect(event).toMatchObject({
      event: 'post.published',
      post: {
        id: postId,
        version: 1,
        slug: 'hello-world',
        status: 'published',
        body: { html: '<p>First <strong>words</strong>.</p>' },
      },
      site: { id: site.id, name: 'My blog' },
      delivered_at: '2026-11-02T08:00:00.000Z',
    })
    expect((await client.posts.get(postId)).deliveries).toEqual([
      { site_id: site.id, status: 'delivered', delivered_at: '2026-11-02T08:00:00.000Z' },
    ])
  })

  it('is verified by the standardwebhooks library too', async () => {
    // That library has no injectable clock, so its own idea of now must be the request's.
    const request = receiver.received[0]
    const realNow = Date.now
    Date.now = () => service.clock.now().getTime()
    try {
      const headers = Object.fromEntries(
        Object.entries(request?.headers ?? {}).map(([name, value]) => [name, String(value)]),
      )
      expect(new Webhook(site.webhook_secret).verify(request?.body ?? '', headers)).toMatchObject({
        event: 'post.published',
      })
      expect(() => new Webhook(site.webhook_secret).verify(`${request?.body} `, headers)).toThrow()
    } finally {
      Date.now = realNow
    }
  })

  it('changes the published post: post.updated with previous_version arrives', async () => {
    await service.advance(60_000)
    await client.posts.update(postId, { title: 'Hello again' })
    await service.drain()
    const { event } = await verified(receiver.received[1])
    expect(event).toMatchObject({
      event: 'post.updated',
      previous_version: 1,
      post: { version: 2, slug: 'hello-world', title: 'Hello again' },
    })
  })

  it('schedules a post: it arrives when its time comes, not before', async () => {
    const at = new Date(service.clock.now().getTime() + 3_600_000).toISOString()
    const scheduled = await client.posts.create({ title: 'Later', status: 'scheduled', scheduled_at: at })
    await service.advance(3_599_999)
    expect(receiver.received).toHaveLength(2)
    await service.advance(1)
    const { event } = await verified(receiver.received[2])
    expect(event).toMatchObject({ event: 'post.published', post: { id: scheduled.id, published_at: at } })
    expect(await client.posts.get(scheduled.id)).toMatchObject({
      status: 'published',
      scheduled_at: null,
      published_at: at,
      version: 1,
    })
  })

  it('retries on the schedule when the receiver fails twice, and ends as delivered_retry', async () => {
    receiver.answerNext(500, 503)
    const before = receiver.received.length
    await client.posts.update(postId, { excerpt: 'Now with an excerpt' })
    await service.drain()
    expect((await client.posts.get(postId)).deliveries).toMatchObject([{ status: 'pending', delivered_at: null }])
    await service.advance(29_999)
    expect(receiver.received).toHaveLength(before + 1)
    await service.advance(1)
    expect(receiver.received).toHaveLength(before + 2)
    await service.advance(299_999)
    expect(receiver.received).toHaveLength(before + 2)
    await service.advance(1)
    expect(receiver.received).toHaveLength(before + 3)
    const attempts = receiver.received.slice(before)
    expect(new Set(attempts.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1)
    expect(new Set(attempts.map(({ headers }) => headers['webhook-signature'])).size).toBe(3)
    await verified(attempts[2])
    expect((await client.posts.get(postId)).deliveries).toMatchObject([{ status: 'delivered_retry' }])
    const { rows } = await historyOf(attempts[0]?.headers['x-service-delivery'])
    expect(rows).toMatchObject([
      { attempt: 1, code: 500, error: 'http_error' },
      { attempt: 2, code: 503, error: 'http_error' },
      { attempt: 3, code: 200, error: null },
    ])
  })

  it('deletes the post: post.deleted arrives', async () => {
    await client.posts.delete(postId)
    await service.drain()
    const { event } = await verified(receiver.received.at(-1))
    expect(event).toMatchObject({
      event: 'post.deleted',
      post: { id: postId, slug: 'hello-world' },
      site: { id: site.id },
    })
    await expect(client.posts.get(postId)).rejects.toMatchObject({ status: 404, code: 'not_found' })
  })
})

async function historyOf(deliveryId: string | string[] | undefined) {
  const row = await service.ctx.db.root
    .selectFrom('deliveries')
    .select('history')
    .where('id', '=', String(deliveryId))
    .executeTakeFirstOrThrow()
  return { rows: row.history }
}
