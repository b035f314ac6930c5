/** Sites that come back by themselves, what they lack meanwhile, and sending that by hand. */
import type { PostriderClient, SiteWithSecrets } from '@postrider/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { newAccount, startService, type TestService } from './support/service.ts'

const MINUTE_MS = 60_000
/** After four attempts a delivery has failed. */
const UNTIL_FAILED = [30_000, 5 * MINUTE_MS, 30 * MINUTE_MS]

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

let receiver: Receiver
let client: PostriderClient
beforeEach(async () => {
  receiver = await startReceiver()
  client = await newAccount(service)
  return () => receiver.close()
})

const connect = (more: object = {}): Promise<SiteWithSecrets> =>
  client.sites.create({
    name: 'My blog',
    url: 'https://blog.example.com',
    webhook_url: receiver.url,
    recovery: 'automatic',
    ...more,
  })
const publish = (title: string) => {
  service.clock.advance(1_000) // ids are in the order of milliseconds
  return client.posts.create({ title, status: 'published' })
}
const missing = async (site: SiteWithSecrets) => (await client.sites.get(site.id)).delivery_stats.missing
/** Takes the site down, or brings it back, and forgets what it was sent until now. */
const setDown = (isDown: boolean) => {
  receiver.answerUsually(isDown ? 503 : 200)
  receiver.received.splice(0)
}
const arrived = () => receiver.received.filter(({ json }) => json.event !== 'site.test')
const titles = () => arrived().map(({ json }) => (json.post as { title: string }).title)
const pass = async (ms: number, stepMs: number) => {
  for (let passed = 0; passed < ms; passed += stepMs) await service.advance(stepMs)
}
const failForGood = async () => {
  await service.drain()
  for (const ms of UNTIL_FAILED) await service.advance(ms)
}

describe('a site that recovers by itself', () => {
  it('has within 20 minutes of its return all that was published while it was down, the oldest first and once', async () => {
    const site = await connect()
    setDown(true)
    const all = Array.from({ length: 50 }, (_, index) => `Post ${index + 1}`)
    for (const title of all) {
      await publish(title)
      await pass(3.6 * MINUTE_MS, 36_000)
    }
    expect(await missing(site)).toBeGreaterThan(30)
    setDown(false)
    await pass(20 * MINUTE_MS, 10_000)
    const sent = titles()
    expect(sent.toSorted()).toEqual(all.toSorted())
    // What was still on its schedule may come at any time; what had failed comes in order, the first ten one by one.
    expect(sent.filter((title) => all.indexOf(title) < 30).slice(0, 10)).toEqual(all.slice(0, 10))
    expect(await missing(site)).toBe(0)
    expect(await client.sites.get(site.id)).toMatchObject({ status: 'active', recovery: 'automatic' })
  })

  it('is asked every 15 minutes while it is sent nothing, and stops at what it refuses', async () => {
    const site = await connect()
    setDown(true)
    for (const title of ['One', 'Two', 'Three']) await publish(title)
    await failForGood()
    expect(await missing(site)).toBe(3)
    // It answers the test, but takes no posts.
    receiver.received.splice(0)
    receiver.answerUsually((request, response) =>
      response.writeHead(request.headers['x-service-event'] === 'site.test' ? 200 : 503).end(),
    )
    await service.advance(14 * MINUTE_MS)
    expect(receiver.received).toEqual([])
    await service.advance(MINUTE_MS)
    await pass(5_000, 1_000)
    expect(receiver.received.map(({ json }) => json.event)).toEqual(['site.test', 'post.published'])
    expect(titles()).toEqual(['One'])
    expect(await missing(site)).toBe(2) // the first is on its schedule again

    setDown(false)
    await pass(25_000, 5_000) // its next attempt is the first that is accepted
    await pass(10_000, 1_000)
    expect(titles()).toEqual(['One', 'Two', 'Three'])
    expect(await missing(site)).toBe(0)
  })

  it('is not sent the rest when it refused a post that was withdrawn meanwhile', async () => {
    const site = await connect()
    setDown(true)
    const { id } = await publish('One')
    for (const title of ['Two', 'Three']) await publish(title)
    await failForGood()
    receiver.received.splice(0)
    receiver.answerUsually((request, response) =>
      response.writeHead(request.headers['x-service-event'] === 'site.test' ? 200 : 503).end(),
    )
    await client.sites.testDelivery(site.id)
    await service.drain()
    await client.posts.update(id, { status: 'draft' })
    await service.drain()
    await pass(5_000, 1_000)
    expect(arrived().map(({ json }) => json.event)).toEqual(['post.published', 'post.deleted'])
    setDown(false)
    await pass(40_000, 1_000) // the removal's next attempt is the first that is accepted
    expect(titles()).toEqual([undefined, 'Two', 'Three'])
    expect(await missing(site)).toBe(0)
  })

  it('begins when a test is accepted, when it is resumed, and when somebody makes it automatic', async () => {
    const site = await connect({ recovery: 'manual' })
    const fails = async (title: string) => {
      setDown(true)
      await publish(title)
      await failForGood()
      setDown(false)
      expect(await missing(site)).toBe(1)
    }
    await fails('One')
    await client.sites.update(site.id, { recovery: 'automatic' })
    await service.drain()
    expect(titles()).toEqual(['One'])

    await fails('Two')
    await client.sites.testDelivery(site.id)
    await service.drain()
    expect(titles()).toEqual(['Two'])

    await fails('Three')
    await client.sites.update(site.id, { status: 'inactive' })
    await pass(40 * MINUTE_MS, 10 * MINUTE_MS)
    expect(titles()).toEqual([])
    await client.sites.update(site.id, { status: 'active' })
    await service.drain()
    expect(titles()).toEqual(['Three'])
  })

  it('and is a build hook is not asked, but builds with the next publication, once for all that is missing', async () => {
    const site = await connect({ kind: 'build_hook' })
    setDown(true)
    for (const title of ['One', 'Two']) await publish(title)
    await service.drain()
    await pass(2 * 60 * MINUTE_MS, 10 * MINUTE_MS)
    expect(await missing(site)).toBe(2)
    setDown(false)
    await pass(60 * MINUTE_MS, 10 * MINUTE_MS)
    expect(receiver.received).toEqual([])
    await publish('Three')
    await service.drain()
    await pass(3 * MINUTE_MS, 30_000)
    expect(receiver.received).toHaveLength(2)
    expect(await missing(site)).toBe(0)
  })
})

describe('a site of which nobody said that it recovers by itself', () => {
  it('is not asked, and what failed stays failed, until somebody sends it again', async () => {
    const site = await client.sites.create({ name: 'Mine', url: 'https://blog.example.com', webhook_url: receiver.url })
    expect(site.recovery).toBe('manual')
    setDown(true)
    for (const title of ['One', 'Two']) await publish(title)
    await failForGood()
    setDown(false)
    await publish('Three')
    await service.drain()
    await pass(2 * 60 * MINUTE_MS, 20 * MINUTE_MS)
    expect(receiver.received.map(({ json }) => json.event)).toEqual(['post.published'])
    expect(await missing(site)).toBe(2)

    expect(await client.sites.retry(site.id)).toEqual({ site_id: site.id, queued: 2, skipped: 0 })
    await service.drain()
    expect(titles().toSorted()).toEqual(['One', 'Three', 'Two'])
    expect(await missing(site)).toBe(0)
    expect(await client.sites.retry(site.id)).toMatchObject({ queued: 0 })
  })
})

describe('what a site lacks', () => {
  it('counts each post once, and not what was withdrawn', async () => {
    const site = await connect({ recovery: 'manual' })
    setDown(true)
    const post = await publish('One')
    await failForGood()
    await client.posts.update(post.id, { title: 'One, changed' })
    expect(await missing(site)).toBe(0) // it is on its way
    await failForGood()
    expect(await missing(site)).toBe(1)
    await client.posts.update(post.id, { status: 'draft' })
    await failForGood()
    expect(await missing(site)).toBe(0)
    // The removal has failed, and is sent again all the same.
    setDown(false)
    expect(await client.sites.retry(site.id)).toMatchObject({ queued: 1 })
    await service.drain()
    expect(receiver.received.map(({ json }) => json.event)).toEqual(['post.deleted'])
  })

  it('contains what was published while it was paused, until it is sent that', async () => {
    const site = await connect()
    await client.sites.update(site.id, { status: 'inactive' })
    const [one] = [await publish('One'), await publish('Two'), await publish('Three')]
    await client.posts.delete(one.id)
    const chosen = await client.posts.create({ title: 'For nobody else', site_ids: [site.id], status: 'published' })
    await service.drain()
    expect(await missing(site)).toBe(3)
    await expect(client.sites.retry(site.id)).rejects.toMatchObject({ status: 409 })
    await client.sites.update(site.id, { status: 'active' })
    await client.posts.publish(chosen.id)
    expect(await missing(site)).toBe(2)
    expect(await client.sites.retry(site.id)).toEqual({ site_id: site.id, queued: 0, skipped: 2 })
    await service.drain()
    expect(titles().toSorted()).toEqual(['For nobody else', 'Three', 'Two'])
    expect(await missing(site)).toBe(0)
  })

  it('can be sent from a time on', async () => {
    const site = await connect({ recovery: 'manual' })
    setDown(true)
    await publish('One')
    await failForGood()
    const since = service.clock.now().toISOString()
    await service.advance(1_000)
    await publish('Two')
    await failForGood()
    setDown(false)
    expect(await client.sites.retry(site.id, { since })).toMatchObject({ queued: 1 })
    await service.drain()
    expect(titles()).toEqual(['Two'])
    expect(await missing(site)).toBe(1)
  })
})
