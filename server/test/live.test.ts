/** Live updates: what is told of every kind of change. */
import { createPullClient, type PostriderClient } from '@postrider/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Following, follow } from './support/follow.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let receiver: Receiver
let client: PostriderClient
const open: Following[] = []

beforeAll(async () => {
  service = await startService({ DELIVERY_RETRY_DELAYS: '30s' })
  receiver = await startReceiver()
})
beforeEach(async () => {
  await service.drain()
  client = await newAccount(service)
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})
afterAll(async () => {
  await receiver.close()
  await service.stop()
})

/** Follows an account's events until the end of the test. */
async function listen(one: PostriderClient): Promise<Following> {
  const following = await follow(one, { clock: service.clock })
  open.push(following)
  return following
}

/** A site that sends to the receiver; its platform is not looked for. */
const connectSite = (name = 'My blog') =>
  client.sites.create({ name, url: 'https://blog.example.com', webhook_url: receiver.url, platform: 'custom' })

describe('what changes is told', () => {
  it('of posts: made, changed, published and gone', async () => {
    const stream = await listen(client)
    const post = await client.posts.create({ title: 'Hello' })
    const { body: _, excerpt: __, meta: ___, tags: ____, deliveries: _____, ...state } = post
    expect(await stream.told('post.changed')).toEqual(state)
    await client.posts.update(post.id, { title: 'Hello again', slug: 'again' })
    const changed = { id: post.id, title: 'Hello again', slug: 'again', version: 2, status: 'draft' } as const
    await stream.told('post.changed', changed)
    await client.posts.publish(post.id)
    expect((await stream.told('post.changed', { status: 'published' })).published_at).toEqual(expect.any(String))
    await client.posts.delete(post.id)
    expect(await stream.told('post.deleted')).toEqual({ id: post.id })
  })

  it('of jobs that write drafts: begun, complete with the post, and gone', async () => {
    const stream = await listen(client)
    const { job_id: id } = await client.drafts.generate({ topic: 'Watering tomatoes' })
    expect(await stream.told('job.changed', { id })).toMatchObject({ status: 'processing', post_id: null })
    await service.drain()
    const complete = await stream.told('job.changed', { id, status: 'complete' })
    expect(complete).toMatchObject({ progress: { percent: 100 }, error: null })
    const { post } = await client.drafts.job(id)
    expect(complete.post_id).toBe(post?.id)
    await client.drafts.cancel(id)
    expect(await stream.told('job.deleted')).toEqual({ id })
  })

  it('of a schedule that is kept', async () => {
    // Soon: after a jump of hours nobody is watched any more, and the stream may say `resync` instead.
    const inMs = 30_000
    const scheduled_at = new Date(service.clock.now().getTime() + inMs).toISOString()
    const { id } = await client.posts.create({ title: 'Later', status: 'scheduled', scheduled_at })
    const stream = await listen(client)
    await service.advance(inMs)
    expect(await stream.told('post.changed', { id, status: 'published' })).toMatchObject({ scheduled_at: null })
  })

  it('of deliveries: pending, failed for now, delivered; and of the site they go to', async () => {
    const site = await connectSite()
    const stream = await listen(client)
    receiver.answerNext(500)
    const post = await client.posts.create({ title: 'Hello', status: 'published' })
    const pending = await stream.told('delivery.changed')
    expect(pending).toMatchObject({ post_id: post.id, site_id: site.id, event: 'post.published', status: 'pending' })
    expect(pending).toMatchObject({ attempts: 0, response_code: null, delivered_at: null })
    await service.drain()
    const failed = await stream.told('delivery.changed', { attempts: 1 })
    expect(failed).toMatchObject({ id: pending.id, status: 'pending', response_code: 500, last_error: 'http_error' })
    expect(failed.next_attempt_at).toEqual(expect.any(String))
    await service.advance(30_000)
    const delivered = await stream.told('delivery.changed', { status: 'delivered_retry' })
    expect(delivered).toMatchObject({ id: pending.id, attempts: 2, response_code: 200, last_error: null })
    expect(delivered.delivered_at).toEqual(expect.any(String))
    service.clock.advance(1_000)
    await client.sites.update(site.id, { niche: 'gardens' })
    expect(await stream.told('site.changed', { niche: 'gardens' })).toEqual((await client.sites.list()).sites[0])
  })

  it("of a site's health", async () => {
    const site = await connectSite()
    receiver.answerNext(500, 500)
    const { id } = await client.posts.create({ title: 'Hello', status: 'published' })
    const stream = await listen(client)
    await service.drain()
    await service.advance(30_000)
    const unwell = await stream.told('site.changed', { status: 'error' })
    expect(unwell).toMatchObject({ id: site.id, delivery_stats: { total: 1, success_rate: 0 } })
    await client.analytics.retry(id)
    await stream.told('delivery.changed', { post_id: id, status: 'pending' })
    await service.drain()
    await stream.told('site.changed', { status: 'active' })
  })

  it('of deliveries that a newer one has made pointless', async () => {
    await connectSite()
    receiver.answerNext(500)
    const { id } = await client.posts.create({ title: 'Hello', status: 'published' })
    await service.drain()
    const stream = await listen(client)
    await client.posts.update(id, { title: 'Hello again' })
    await service.drain()
    expect(await stream.told('delivery.changed', { last_error: 'superseded' })).toMatchObject({ status: 'failed' })
  })

  it('of sites: connected, changed, paused, found out about and gone', async () => {
    const stream = await listen(client)
    const { id } = await client.sites.create({ name: 'B', url: 'https://b.example', webhook_url: receiver.url })
    const told1 = await stream.told('site.changed')
    expect(told1).toMatchObject({ id, name: 'B', status: 'active', platform: 'custom' })
    expect(JSON.stringify(told1)).not.toMatch(/api_key|secret/)
    await client.sites.update(id, { status: 'inactive' })
    await stream.told('site.changed', { status: 'inactive' })
    await client.sites.update(id, { status: 'active' })
    const { id: postId } = await client.posts.create({ title: 'Hello', status: 'published' })
    await client.sites.delete(id)
    await stream.told('site.deleted', { id })
    await stream.told('delivery.changed', { post_id: postId, status: 'failed', last_error: 'site_deleted' })
  })

  it('of what a site reports itself', async () => {
    const site = await connectSite()
    const pull = createPullClient({ baseUrl: service.url, apiKey: site.api_key })
    const { id } = await client.posts.create({ title: 'Hello', status: 'published' })
    const stream = await listen(client)
    await pull.confirm(id, site.id, 'failed', { error_message: 'disk full' })
    await stream.told('delivery.changed', { post_id: id, status: 'pending', last_error: 'disk full' })
    await pull.confirm(id, site.id, 'delivered')
    await stream.told('delivery.changed', { post_id: id, status: 'delivered' })
    await client.sites.update(site.id, { status: 'inactive' })
    const later = await client.posts.create({ title: 'Later', status: 'published' })
    await pull.confirm(later.id, site.id, 'delivered')
    await stream.told('delivery.changed', { post_id: later.id, status: 'delivered' })
  })

  it('to every stream of the account, and to nobody else', async () => {
    const stranger = await newAccount(service)
    const [one, two, other] = [await listen(client), await listen(client), await listen(stranger)]
    await connectSite()
    const { id } = await client.posts.create({ title: 'Hello', status: 'published' })
    await service.drain()
    for (const stream of [one, two]) await stream.told('delivery.changed', { post_id: id, status: 'delivered' })
    const own = await stranger.posts.create({ title: 'Own' })
    expect(await other.told('post.changed')).toMatchObject({ id: own.id })
    expect(other.seen.map(({ event }) => event)).toEqual(['ready', 'post.changed'])
  })
})
