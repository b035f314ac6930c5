/** What is withdrawn before it arrived is not sent any more, and what is changed before it was sent is sent once. */
import { createPullClient, type PostriderClient, type SiteWithSecrets } from '@postrider/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { heldAnswer, type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'
import { workerOf } from './support/worker.ts'

let service: TestService
let receiver: Receiver
let client: PostriderClient
let site: SiteWithSecrets

beforeAll(async () => {
  service = await startService()
  receiver = await startReceiver()
})
beforeEach(async () => {
  await service.drain()
  client = await newAccount(service)
  site = await connectSite(client, receiver)
  receiver.received.length = 0
})
afterAll(async () => {
  await receiver.close()
  await service.stop()
})

const publish = async () => (await client.posts.create({ title: 'Post', status: 'published' })).id
const eventsOf = (postId: string) =>
  receiver.received.filter(({ json }) => (json.post as { id: string }).id === postId).map(({ json }) => json.event)
const events = () => receiver.received.map(({ json }) => json.event)
const deliveriesOf = async (postId: string) =>
  (await client.deliveries.list({ post_id: postId })).data.sort((a, b) => a.created_at.localeCompare(b.created_at))

/** Ends when a day has gone by, in steps in which every retry comes due. */
async function waitADay(): Promise<void> {
  for (let hours = 0; hours < 24; hours += 1) await service.advance(3_600_000)
}

/** A worker that has begun to send the first of two posts; the second waits in the lane that it holds. */
async function sendSlowly(status = 200) {
  const { answer, finish } = heldAnswer(status)
  receiver.answerNext(answer)
  const posts = [await publish(), await publish()]
  const worker = workerOf(service.ctx)
  service.ctx.signals.on('superseded', (subject) => worker.superseded(subject))
  await worker.step()
  await expect.poll(() => receiver.received.length).toBe(1)
  const [first = '', second = ''] = posts.toSorted((one) => (receiver.received[0]?.body.includes(one) ? -1 : 1))
  return {
    first,
    second,
    finish: async () => {
      finish()
      await worker.idle()
    },
    /** The process ends before the site has answered. */
    stop: async () => {
      const stopped = worker.stop(1)
      service.clock.advance(1)
      await stopped
    },
  }
}

describe('a post that is withdrawn while its site is down', () => {
  it.each(['unpublished', 'deleted'])('is not sent when the site is back; it is %s', async (how) => {
    receiver.answerNext(503)
    const id = await publish()
    await service.drain()
    service.clock.advance(1)
    await (how === 'deleted' ? client.posts.delete(id) : client.posts.update(id, { status: 'draft' }))
    await waitADay()
    expect(events()).toEqual(['post.published', 'post.deleted'])
    expect(await deliveriesOf(id)).toMatchObject([
      { event: 'post.published', status: 'failed', last_error: 'superseded', attempts: 1 },
      { event: 'post.deleted', status: 'delivered' },
    ])
  })

  it('is withdrawn though the site takes long to come back; trying it now does not send it either', async () => {
    receiver.answerNext(...Array.from({ length: 3 }, () => 503))
    const id = await publish()
    await service.drain()
    await client.posts.update(id, { title: 'Changed' })
    await service.drain()
    const pending = (await client.deliveries.list()).data.map((one) => one.id)
    await client.posts.update(id, { status: 'draft' })
    await service.drain()
    for (const one of pending) await expect(client.deliveries.retry(one)).rejects.toMatchObject({ status: 409 })
    expect(await client.analytics.retry(id)).toMatchObject({ status: 'queued' })
    await waitADay()
    expect(events()).toEqual(['post.published', 'post.updated', 'post.deleted', 'post.deleted'])
  })

  it('counts nowhere as a failure', async () => {
    receiver.answerNext(503)
    const id = await publish()
    await service.drain()
    await client.posts.delete(id)
    await waitADay()
    expect((await client.analytics.overview()).totals).toMatchObject({ deliveries: 1, failed: 0 })
    expect((await client.analytics.failures()).failures.filter((one) => one.can_retry)).toEqual([])
    expect((await client.sites.get(site.id)).status).toBe('active')
  })
})

describe('a post that is withdrawn before anything of it was sent', () => {
  it('leaves nothing to send, and no delivery on the post', async () => {
    const id = await publish()
    await client.sites.update(site.id, { status: 'inactive' })
    await service.drain()
    await client.posts.update(id, { status: 'draft' })
    expect((await client.posts.get(id)).deliveries).toEqual([])
    await client.sites.update(site.id, { status: 'active' })
    await waitADay()
    expect(events()).toEqual([])
    await client.posts.publish(id)
    await service.drain()
    expect(events()).toEqual(['post.published'])
    expect((await client.posts.get(id)).deliveries).toMatchObject([{ status: 'delivered' }])
  })

  it('is removed if the site has confirmed that it pulled the post', async () => {
    const id = await publish()
    await client.sites.update(site.id, { status: 'inactive' })
    await createPullClient({ baseUrl: service.url, apiKey: site.api_key }).confirm(id, site.id, 'delivered')
    await client.posts.update(id, { title: 'Changed' })
    await client.posts.delete(id)
    await client.sites.update(site.id, { status: 'active' })
    await service.drain()
    expect(events()).toEqual(['post.deleted'])
  })
})

describe('a post that is withdrawn while it is being sent', () => {
  it('is removed afterwards, and its answer is on record', async () => {
    const { first, finish } = await sendSlowly()
    service.clock.advance(1)
    await client.posts.delete(first)
    await finish()
    await service.drain()
    expect(eventsOf(first)).toEqual(['post.published', 'post.deleted'])
    expect(await deliveriesOf(first)).toMatchObject([
      { event: 'post.published', status: 'delivered', attempts: 1 },
      { event: 'post.deleted', status: 'delivered' },
    ])
    expect((await client.analytics.overview()).totals).toMatchObject({ deliveries: 3, successful: 3 })
  })

  it('is removed though its worker has died and another has held the lane since, with nothing to send', async () => {
    const { first, finish } = await sendSlowly()
    await client.sites.update(site.id, { status: 'inactive' })
    await service.advance(300_000) // the lease has run out; whoever takes the lane releases it
    await client.posts.delete(first)
    await client.sites.update(site.id, { status: 'active' })
    await service.drain()
    expect(eventsOf(first)).toEqual(['post.published', 'post.deleted'])
    await finish()
  })

  it('is removed though its worker stopped before the site had answered', async () => {
    const { first, stop } = await sendSlowly()
    await stop()
    await client.posts.delete(first)
    await service.drain()
    expect(eventsOf(first)).toEqual(['post.published', 'post.deleted'])
  })

  it('is not tried again if that fails', async () => {
    const { first, finish } = await sendSlowly(503)
    service.clock.advance(1)
    await client.posts.delete(first)
    await finish()
    await waitADay()
    expect(eventsOf(first)).toEqual(['post.published', 'post.deleted'])
    const [publication] = await deliveriesOf(first)
    expect(publication).toMatchObject({ status: 'failed', last_error: 'superseded', attempts: 1, response_code: 503 })
    expect((await client.analytics.overview()).totals).toMatchObject({ deliveries: 2, failed: 0 })
  })

  it('is not sent by a worker that has read it already', async () => {
    const { second, finish } = await sendSlowly()
    await client.posts.delete(second)
    await finish()
    await service.drain()
    expect(eventsOf(second)).toEqual(['post.deleted'])
  })
})

describe('a post that is changed before it was sent', () => {
  it('arrives once, in its newest form, as a publication', async () => {
    const id = await publish()
    await client.posts.update(id, { title: 'Better' })
    await client.posts.update(id, { title: 'Best' })
    await service.drain()
    expect(receiver.received.map(({ json }) => json)).toMatchObject([
      { event: 'post.published', post: { title: 'Best', version: 3 } },
    ])
    expect((await client.posts.get(id)).deliveries).toMatchObject([{ site_id: site.id, status: 'delivered' }])
    expect((await client.analytics.overview()).totals).toMatchObject({ deliveries: 1, successful: 1, failed: 0 })
  })

  it('is updated once if the site has it, from the version that it has', async () => {
    const id = await publish()
    await service.drain()
    await client.posts.update(id, { title: 'Better' })
    await client.posts.update(id, { title: 'Best' })
    await service.drain()
    expect(receiver.received.slice(1).map(({ json }) => json)).toMatchObject([
      { event: 'post.updated', previous_version: 1, post: { title: 'Best', version: 3 } },
    ])
  })

  it('is updated afterwards if it is being sent at that moment', async () => {
    const { first, finish } = await sendSlowly()
    await client.posts.update(first, { title: 'Better' })
    await finish()
    await service.drain()
    expect(eventsOf(first)).toEqual(['post.published', 'post.updated'])
  })

  it('keeps what was tried already: an update follows it', async () => {
    receiver.answerNext(503, 503)
    const id = await publish()
    await service.drain()
    await client.posts.update(id, { title: 'Better' })
    await service.drain()
    await client.posts.update(id, { title: 'Best' })
    await service.drain()
    expect(events()).toEqual(['post.published', 'post.updated', 'post.updated'])
  })
})
