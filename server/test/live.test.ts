/** Live updates: every kind of change is announced. */
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

describe('what changes is announced', () => {
  it('of posts: made, changed, published and gone', async () => {
    const stream = await listen(client)
    const { id } = await client.posts.create({ title: 'Hello' })
    await stream.changed('post', id)
    await client.posts.update(id, { title: 'Hello again' })
    await stream.changed('post', id)
    await client.posts.publish(id)
    await stream.changed('post', id)
    await client.posts.delete(id)
    await stream.changed('post', id)
  })

  it('of jobs that write drafts: begun, at each step, complete, and gone', async () => {
    const stream = await listen(client)
    const { job_id: id } = await client.drafts.generate({ topic: 'Watering tomatoes' })
    await stream.changed('job', id)
    await service.drain()
    await stream.changed('job', id)
    await client.drafts.cancel(id)
    await stream.changed('job', id)
  })

  it('of a schedule that is kept', async () => {
    const scheduled_at = new Date(service.clock.now().getTime() + 3_600_000).toISOString()
    const { id } = await client.posts.create({ title: 'Later', status: 'scheduled', scheduled_at })
    const stream = await listen(client)
    await service.advance(3_600_000)
    await stream.changed('post', id)
  })

  it('of deliveries: pending, failed for now, delivered; and of the site they go to', async () => {
    const site = await connectSite()
    const stream = await listen(client)
    receiver.answerNext(500)
    await client.posts.create({ title: 'Hello', status: 'published' })
    const [delivery] = (await client.deliveries.list()).data
    const id = delivery?.id ?? ''
    await stream.changed('delivery', id)
    await service.drain()
    await stream.changed('delivery', id)
    await stream.changed('site', site.id)
    await service.advance(30_000)
    await stream.changed('delivery', id)
    expect(await client.deliveries.get(id)).toMatchObject({ status: 'delivered_retry' })
  })

  it('of deliveries that a newer one has made pointless', async () => {
    await connectSite()
    receiver.answerNext(500)
    const { id } = await client.posts.create({ title: 'Hello', status: 'published' })
    await service.drain()
    const [older] = (await client.deliveries.list()).data
    const stream = await listen(client)
    await client.posts.update(id, { title: 'Hello again' })
    await service.drain()
    await stream.changed('delivery', older?.id ?? '')
    expect(await client.deliveries.get(older?.id ?? '')).toMatchObject({ last_error: 'superseded' })
  })

  it('of sites: connected, changed and gone, with the deliveries that end', async () => {
    const stream = await listen(client)
    const { id } = await connectSite()
    await stream.changed('site', id)
    await client.sites.update(id, { status: 'inactive' })
    await stream.changed('site', id)
    await client.sites.update(id, { status: 'active' })
    await client.posts.create({ title: 'Hello', status: 'published' })
    const [delivery] = (await client.deliveries.list()).data
    await stream.changed('delivery', delivery?.id ?? '')
    await client.sites.delete(id)
    await stream.changed('delivery', delivery?.id ?? '')
  })

  it('of what a site reports itself', async () => {
    const site = await connectSite()
    const pull = createPullClient({ baseUrl: service.url, apiKey: site.api_key })
    const { id } = await client.posts.create({ title: 'Hello', status: 'published' })
    const [delivery] = (await client.deliveries.list()).data
    const stream = await listen(client)
    await pull.confirm(id, site.id, 'failed', { error_message: 'disk full' })
    await stream.changed('delivery', delivery?.id ?? '')
    await pull.confirm(id, site.id, 'delivered')
    await stream.changed('delivery', delivery?.id ?? '')
  })

  it('to every stream of the account, and to nobody else', async () => {
    const stranger = await newAccount(service)
    const [one, two, other] = [await listen(client), await listen(client), await listen(stranger)]
    const { id } = await client.posts.create({ title: 'Hello' })
    for (const stream of [one, two]) await stream.changed('post', id)
    const own = await stranger.posts.create({ title: 'Own' })
    await other.changed('post', own.id)
    expect(other.seen).toEqual([
      { event: 'ready', data: {} },
      { event: 'post.changed', data: { ids: [own.id] } },
    ])
  })
})
