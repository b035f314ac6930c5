/** Deliveries one by one: the log, one with its attempts and its request, and sending again. */
import type { PostriderClient, SiteWithSecrets } from '@postrider/sdk'
import { verifyWebhook } from '@postrider/sdk/webhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failedBefore } from './support/failures.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let receiver: Receiver
let client: PostriderClient
let site: SiteWithSecrets

beforeAll(async () => {
  service = await startService()
  receiver = await startReceiver()
})
beforeEach(async () => {
  client = await newAccount(service)
  site = await connectSite(client, receiver, 'First')
  receiver.received.length = 0
})
afterAll(async () => {
  await receiver.close()
  await service.stop()
})

/** Ids sort by the millisecond in which they were made. */
const publish = async (title: string) => {
  service.clock.advance(1)
  const post = await client.posts.create({ title, status: 'published' })
  await service.drain()
  return post
}

/** All four attempts fail. */
async function failForGood(title: string) {
  receiver.answerNext(500, 500, 500, 503)
  const post = await publish(title)
  for (const delay of [30_000, 300_000, 1_800_000]) await service.advance(delay)
  return post
}

const titles = async (query: Parameters<PostriderClient['deliveries']['list']>[0] = {}) =>
  (await client.deliveries.list(query)).data.map(({ post_title }) => post_title)
const idOf = async (postId: string) => (await client.deliveries.list({ post_id: postId })).data[0]?.id ?? ''

describe('where a post is shown', () => {
  it('is what its site says in the answer to the webhook, and stays while later answers say nothing', async () => {
    const url = 'https://blog.example.com/where'
    receiver.answerNext((_, response) => response.writeHead(200).end(JSON.stringify({ ok: true, url })))
    const { id } = await publish('Where')
    const live = { state: 'claimed', url }
    expect((await client.posts.summaries()).data[0]?.deliveries).toMatchObject([{ live }])
    expect((await client.deliveries.list({ post_id: id })).data).toMatchObject([{ live }])
    expect(await client.deliveries.get(await idOf(id))).toMatchObject({ live })
    receiver.answerNext((_, response) => response.writeHead(200).end('{"url":"javascript:alert(1)"}'))
    const { id: other } = await publish('Nowhere')
    expect((await client.deliveries.list({ post_id: other })).data).toMatchObject([
      { live: { state: 'unknown', url: null } },
    ])
  })
})

describe('GET /api/deliveries', () => {
  it('shows what was sent, newest first, with the post and the site by name', async () => {
    const first = await publish('One')
    service.clock.advance(1)
    await client.posts.update(first.id, { title: 'One, changed' })
    await service.drain()
    const { data, next_cursor } = await client.deliveries.list()
    expect(next_cursor).toBeNull()
    expect(data).toMatchObject([
      { event: 'post.updated', post_id: first.id, post_title: 'One, changed', site_id: site.id, site_name: 'First' },
      { event: 'post.published', status: 'delivered', attempts: 1, response_code: 200, can_retry: false },
    ])
    expect(data[1]?.id).toBe(receiver.received[0]?.headers['x-service-delivery'])
  })

  it('is read page by page, in step while deliveries are added', async () => {
    for (const title of ['One', 'Two', 'Three', 'Four', 'Five']) await publish(title)
    const page = await client.deliveries.list({ limit: 2 })
    expect(page.data.map(({ post_title }) => post_title)).toEqual(['Five', 'Four'])
    await publish('Six')
    const next = await client.deliveries.list({ limit: 2, cursor: page.next_cursor ?? '' })
    expect(next.data.map(({ post_title }) => post_title)).toEqual(['Three', 'Two'])
    const all: string[] = []
    for await (const { post_title } of client.deliveries.all({ limit: 2 })) all.push(post_title)
    expect(all).toEqual(['Six', 'Five', 'Four', 'Three', 'Two', 'One'])
  })

  it('merges the sites in one order', async () => {
    const second = await connectSite(client, receiver, 'Second')
    const posts = [await publish('One'), await publish('Two')]
    const { data } = await client.deliveries.list({ limit: 3 })
    expect(data.map(({ id }) => id)).toEqual(
      data
        .map(({ id }) => id)
        .toSorted()
        .reverse(),
    )
    expect(data.map(({ post_id }) => post_id)).toEqual([posts[1]?.id, posts[1]?.id, posts[0]?.id])
    expect(await titles({ site_id: second.id })).toEqual(['Two', 'One'])
  })

  it('is narrowed by status, site and post', async () => {
    const broken = await failForGood('Broken')
    receiver.answerNext(500)
    await publish('Shaky')
    await service.advance(30_000)
    const fine = await publish('Fine')
    receiver.answerNext(500)
    await publish('Waiting')
    expect(await titles({ status: 'failed' })).toEqual(['Broken'])
    expect(await titles({ status: 'delivered_retry' })).toEqual(['Shaky'])
    expect(await titles({ status: 'delivered' })).toEqual(['Fine'])
    expect(await titles({ status: 'pending' })).toEqual(['Waiting'])
    expect(await titles({ post_id: fine.id })).toEqual(['Fine'])
    expect(await titles({ post_id: broken.id, status: 'delivered' })).toEqual([])
    expect(await titles({ post_id: 'nothing' })).toEqual([])
    await service.advance(30_000)
  })

  it('is narrowed to a period of time', async () => {
    const times: string[] = []
    for (const title of ['One', 'Two', 'Three']) {
      await publish(title)
      times.push(service.clock.now().toISOString())
    }
    const [one = '', two = '', three = ''] = times
    expect(await titles({ from: two })).toEqual(['Three', 'Two'])
    expect(await titles({ to: two })).toEqual(['Two', 'One'])
    expect(await titles({ from: two, to: two })).toEqual(['Two'])
    expect(await titles({ from: one.slice(0, 10), to: three.slice(0, 10) })).toEqual(['Three', 'Two', 'One'])
    expect(await titles({ to: '2020-01-01' })).toEqual([])
  })

  it('is narrowed to what can be sent again', async () => {
    const gone = await failForGood('Gone')
    const late = await failForGood('Late')
    const replaced = await failForGood('Replaced')
    service.clock.advance(1)
    await client.posts.update(replaced.id, { title: 'Replaced, changed' })
    await service.drain()
    await client.posts.delete(gone.id)
    await service.drain()
    expect(await titles({ status: 'failed' })).toHaveLength(3)
    expect(await titles({ can_retry: 'true' })).toEqual(['Late'])
    expect(await titles({ can_retry: 'true', status: 'delivered' })).toEqual([])
    // Read on past what is left out, and in step.
    const again = [await failForGood('Again'), await failForGood('Once more')]
    const page = await client.deliveries.list({ can_retry: 'true', limit: 2 })
    expect(page.data.map(({ post_id }) => post_id)).toEqual([again[1]?.id, again[0]?.id])
    const next = await client.deliveries.list({ can_retry: 'true', limit: 2, cursor: page.next_cursor ?? '' })
    expect(next).toMatchObject({ data: [{ post_id: late.id, can_retry: true }], next_cursor: null })
  })

  it('is read on past any number of failures that were overtaken', async () => {
    const late = await failForGood('Late')
    const replaced = await failForGood('Replaced')
    await failedBefore(service, replaced.id, 1_100)
    await client.posts.update(replaced.id, { title: 'Replaced, changed' })
    await service.drain()
    expect((await client.deliveries.list({ can_retry: 'true' })).data.map(({ post_id }) => post_id)).toEqual([late.id])
    expect(await client.deliveries.retryFailed({})).toMatchObject({ queued: 1 })
  })

  it('sends a deletion again that failed for good, although the post is gone', async () => {
    const posts = [await publish('Alone'), await publish('With others')]
    for (const post of posts) {
      service.clock.advance(1)
      receiver.answerNext(500, 500, 500, 500)
      await client.posts.delete(post.id)
      await service.drain()
      for (const delay of [30_000, 300_000, 1_800_000]) await service.advance(delay)
    }
    const removals = async () =>
      (await client.deliveries.list({ can_retry: 'true' })).data.map((one) => [one.post_title, one.event])
    expect(await removals()).toEqual([
      ['With others', 'post.deleted'],
      ['Alone', 'post.deleted'],
    ])
    await client.deliveries.retry(await idOf(posts[0]?.id ?? ''))
    await service.drain()
    expect(await removals()).toEqual([['With others', 'post.deleted']])
    expect(await client.deliveries.retryFailed({})).toMatchObject({ queued: 1 })
    await service.drain()
    expect(await removals()).toEqual([])
    expect(receiver.received.slice(-2).map(({ json }) => json.event)).toEqual(['post.deleted', 'post.deleted'])
  })

  it('keeps the names of what is deleted, and says that it is', async () => {
    const post = await publish('Once')
    const states = async () =>
      (await client.deliveries.list({ post_id: post.id })).data.map((one) => [one.post_deleted, one.site_deleted])
    expect(await states()).toEqual([[false, false]])
    service.clock.advance(1)
    await client.posts.delete(post.id)
    await service.drain()
    expect(await states()).toEqual([
      [true, false],
      [true, false],
    ])
    await client.sites.delete(site.id)
    expect(await states()).toEqual([
      [true, true],
      [true, true],
    ])
    const { data } = await client.deliveries.list({ site_id: site.id })
    expect(data).toMatchObject([
      { event: 'post.deleted', post_title: 'Once', site_name: 'First' },
      { event: 'post.published', post_title: 'Once', site_name: 'First' },
    ])
  })

  it.each([
    ['limit', { limit: 101 }],
    ['status', { status: 'lost' as never }],
    ['site_id', { site_id: 'nothing' }],
    ['cursor', { cursor: 'nothing' }],
    ['from', { from: 'yesterday' }],
    ['to', { to: '1999-12-31' }],
    ['from', { from: '2026-11-02', to: '2026-11-01' }],
    ['can_retry', { can_retry: 'false' as never }],
  ])('names %s when it is wrong', async (field, query) => {
    await expect(client.deliveries.list(query)).rejects.toMatchObject({ status: 400, field })
  })
})

describe('GET /api/deliveries/:id', () => {
  it('shows every attempt with what the site said about failures', async () => {
    receiver.answerNext(
      (_request, response) => response.writeHead(500).end('{"error":"no such table: posts\\u0000"}'),
      (_request, response) => response.destroy(),
    )
    const post = await publish('Told')
    await service.advance(30_000)
    await service.advance(300_000)
    const { history, ...delivery } = await client.deliveries.get(await idOf(post.id))
    expect(delivery).toMatchObject({ status: 'delivered_retry', attempts: 3, webhook_url: receiver.url })
    expect(history).toEqual([
      {
        attempt: 1,
        at: expect.any(String),
        code: 500,
        error: 'http_error',
        took_ms: expect.any(Number),
        response: '{"error":"no such table: posts\\u0000"}',
      },
      expect.objectContaining({ attempt: 2, code: null, error: 'connection_reset', response: null }),
      expect.objectContaining({ attempt: 3, code: 200, error: null, response: null }),
    ])
  })

  it('shows a request that the site would accept now', async () => {
    const post = await publish('Shown')
    service.clock.advance(3_600_000)
    const { request } = await client.deliveries.get(await idOf(post.id))
    if (request === null) throw new Error('there is a request')
    const now = service.clock.now()
    const { event, deliveryId } = await verifyWebhook({ ...request, secret: site.webhook_secret, now: now.getTime() })
    expect(event).toMatchObject({ event: 'post.published', post: { id: post.id } })
    expect(deliveryId).toBe(receiver.received[0]?.headers['x-service-delivery'])
    const sent = receiver.received[0]?.json
    expect(JSON.parse(request.body)).toEqual({ ...sent, delivered_at: now.toISOString() })
  })

  it('has no request when the site is deleted', async () => {
    const post = await publish('Gone')
    const id = await idOf(post.id)
    await client.sites.delete(site.id)
    expect(await client.deliveries.get(id)).toMatchObject({ request: null, site_name: 'First' })
  })
})

describe('POST /api/deliveries/:id/retry', () => {
  it('sends a failed delivery again, and only that', async () => {
    const post = await failForGood('Again')
    await failForGood('Left alone')
    expect(await client.deliveries.retry(await idOf(post.id))).toMatchObject({ status: 'pending' })
    await service.drain()
    expect(receiver.received).toHaveLength(9)
    expect((await client.deliveries.list()).data).toMatchObject([
      { post_title: 'Left alone', status: 'failed', can_retry: true },
      { post_title: 'Again', status: 'delivered_retry', attempts: 5 },
    ])
  })

  it('brings the next attempt forward, without more attempts than the schedule has', async () => {
    receiver.answerNext(500, 500, 500, 500)
    const post = await publish('Hurried')
    const id = await idOf(post.id)
    await client.deliveries.retry(id)
    await service.drain()
    expect(receiver.received).toHaveLength(2)
    expect((await client.deliveries.get(id)).next_attempt_at).toBe(
      new Date(service.clock.now().getTime() + 300_000).toISOString(),
    )
    for (const delay of [300_000, 1_800_000, 3_600_000]) await service.advance(delay)
    expect(receiver.received).toHaveLength(4)
    expect(await client.deliveries.get(id)).toMatchObject({ status: 'failed', attempts: 4 })
  })

  it('refuses with the reason what must not or need not be sent', async () => {
    const refusal = async (postId: string) => {
      const { data } = await client.deliveries.list({ post_id: postId })
      return client.deliveries.retry(data.at(-1)?.id ?? '').catch(({ status, message }) => `${status} ${message}`)
    }
    const overtaken = await failForGood('Old')
    service.clock.advance(1)
    await client.posts.update(overtaken.id, { title: 'New' })
    await service.drain()
    expect(await refusal(overtaken.id)).toMatch(/^409 .*newer version/)
    expect(await refusal((await publish('Arrived')).id)).toMatch(/^409 .*already succeeded/)
    const waiting = await client.posts.create({ title: 'Waiting', status: 'published' })
    expect(await refusal(waiting.id)).toMatch(/^409 .*under way/)
    await service.drain()
    const deleted = await failForGood('Deleted')
    service.clock.advance(1)
    receiver.answerNext(500, 500, 500, 500)
    await client.posts.delete(deleted.id)
    await service.drain()
    expect(await refusal(deleted.id)).toMatch(/^409 .*has been deleted/)
    const lost = await failForGood('Disconnected')
    await client.sites.delete(site.id)
    expect(await refusal(lost.id)).toMatch(/^409 .*no longer connected/)
  })
})

describe('POST /api/deliveries/retry', () => {
  it('queues the named failures, those of a site, or all', async () => {
    const other = await startReceiver()
    const second = await connectSite(client, other, 'Second')
    const posts = []
    for (const title of ['One', 'Two', 'Three']) {
      other.answerNext(500, 500, 500, 500)
      posts.push(await failForGood(title))
    }
    const failed = async (siteId: string) =>
      (await client.deliveries.list({ status: 'failed', site_id: siteId })).data.map(({ id }) => id)
    const [newest = ''] = await failed(site.id)
    expect(await client.deliveries.retryFailed({ ids: [newest, 'nothing'] })).toMatchObject({
      queued: 1,
      more: false,
      message: 'One delivery is queued again.',
    })
    expect((await client.deliveries.retryFailed({ site_id: second.id })).queued).toBe(3)
    expect(await failed(second.id)).toEqual([])
    await client.posts.delete(posts[0]?.id ?? '')
    expect((await client.deliveries.retryFailed()).queued).toBe(1)
    expect(await client.deliveries.retryFailed()).toMatchObject({ queued: 0, message: 'There is nothing to retry.' })
    await other.close()
  })

  it.each([
    ['ids', { ids: [] }],
    ['ids', { ids: Array<string>(101).fill('x') }],
    ['site_id', { site_id: 'nothing' }],
  ])('names %s when it is wrong', async (field, which) => {
    await expect(client.deliveries.retryFailed(which)).rejects.toMatchObject({ status: 400, field })
  })
})
