/** Sending a site what was published before it was connected, and what never arrived there. */
import type { PostriderClient, SiteWithSecrets } from '@postrider/sdk'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let receiver: Receiver
let client: PostriderClient
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
beforeEach(async () => {
  receiver = await startReceiver()
  client = await newAccount(service)
  return () => receiver.close()
})

const publish = (title: string, tags: string[] = []) => client.posts.create({ title, tags, status: 'published' })
const titles = () => receiver.received.splice(0).map(({ json }) => (json.post as { title: string }).title)
const counts = async (site: SiteWithSecrets) => {
  const { posts, pending } = await client.sites.backfill(site.id, { dry_run: true })
  return [posts, pending]
}

it('sends what was published before the site was connected, oldest first, each post once', async () => {
  for (let n = 1; n <= 30; n += 1) {
    await publish(`Post ${n}`)
    service.clock.advance(1_000)
  }
  await client.posts.create({ title: 'A draft' })
  const site = await connectSite(client, receiver)
  await publish('New')
  await service.drain()
  expect(titles()).toEqual(['New'])
  expect(await counts(site)).toEqual([30, 0])
  await service.drain()
  expect(titles()).toEqual([])

  expect(await client.sites.backfill(site.id)).toEqual({ site_id: site.id, dry_run: false, posts: 30, pending: 0 })
  await service.drain()
  const arrived = titles()
  expect(arrived.toSorted()).toEqual(Array.from({ length: 30 }, (_, index) => `Post ${index + 1}`).toSorted())
  expect(await counts(site)).toEqual([0, 0])
  await client.sites.backfill(site.id)
  await service.drain()
  expect(titles()).toEqual([])
})

it('sends what failed for good or was removed and published again, but not what is on its way', async () => {
  const site = await connectSite(client, receiver)
  receiver.answerNext(500, 500, 500, 500)
  await publish('Failed')
  await service.drain()
  for (const ms of [30_000, 300_000, 1_800_000]) await service.advance(ms)
  const arrived = await publish('Arrived')
  await service.drain()
  receiver.answerNext(500)
  await publish('Waiting')
  await service.drain()
  receiver.received.splice(0)
  expect(await counts(site)).toEqual([1, 1])
  await client.sites.backfill(site.id)
  await service.drain()
  expect(titles()).toEqual(['Failed'])
  expect(await counts(site)).toEqual([0, 1])
  expect((await client.posts.get(arrived.id)).deliveries).toMatchObject([{ status: 'delivered' }])
})

it('sends those of a time or with a tag, and leaves other sites and what the site may not show alone', async () => {
  const [other, hidden] = [await startReceiver(), await client.posts.create({ title: 'Hidden' })]
  const first = await connectSite(client, other, 'First')
  await client.posts.publish(hidden.id, [first.id])
  await publish('Old bread', ['bread'])
  service.clock.advance(86_400_000)
  const since = service.clock.now().toISOString()
  await publish('New bread', ['bread'])
  await publish('New cake', ['cake'])
  await service.drain()
  const sentToOther = other.received.length
  const site = await connectSite(client, receiver)
  await client.sites.backfill(site.id, { since, tag: 'bread' })
  await service.drain()
  expect(titles()).toEqual(['New bread'])
  expect(await counts(site)).toEqual([2, 0])
  expect(other.received).toHaveLength(sentToOther)
  await other.close()
})

it('waits until a paused site is active again, but counts', async () => {
  await publish('One')
  const site = await connectSite(client, receiver)
  await client.sites.update(site.id, { status: 'inactive' })
  expect(await counts(site)).toEqual([1, 0])
  await expect(client.sites.backfill(site.id)).rejects.toMatchObject({ status: 409, field: 'status' })
})
