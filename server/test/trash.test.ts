/** The trash: what a post loses when it is put there, what comes back with it, and when it is gone for good. */
import { createPullClient, type PostriderClient } from '@postrider/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { emptyTrash } from '../src/posts/index.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

const DAY = 24 * 3_600_000

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

let client: PostriderClient
let site: Receiver
let apiKey: string
beforeEach(async () => {
  client = await newAccount(service)
  site = await startReceiver()
  apiKey = (await connectSite(client, site)).api_key
  return () => site.close()
})

const published = async (title: string) => {
  const { id, version } = await client.posts.create({ title, status: 'published' })
  await service.drain()
  return { id, version }
}
const listed = async (query: Parameters<PostriderClient['posts']['list']>[0] = {}) =>
  (await client.posts.list(query)).data.map(({ title }) => title)
const events = () => site.received.map(({ json }) => json.event)

describe('a post that is put into the trash', () => {
  it('leaves its sites, and every list but that of the trash', async () => {
    const { id } = await published('Bread')
    await client.posts.create({ title: 'Soup' })
    const trashed = await client.posts.trash(id)
    expect(trashed).toMatchObject({ status: 'trash', trashed_at: expect.any(String), published_at: null })
    await service.drain()
    expect(events()).toEqual(['post.published', 'post.deleted'])
    expect(await listed()).toEqual(['Soup'])
    expect(await listed({ search: 'bread' })).toEqual([])
    expect(await listed({ status: 'draft' })).toEqual(['Soup'])
    expect(await listed({ status: 'trash' })).toEqual(['Bread'])
    expect((await client.posts.summaries()).pagination.total).toBe(1)
    const { data } = await client.posts.summaries({ status: 'trash' })
    expect(data).toMatchObject([{ title: 'Bread', status: 'trash', trashed_at: trashed.trashed_at }])
    expect((await createPullClient({ baseUrl: service.url, apiKey }).list()).posts).toEqual([])
    expect((await client.analytics.overview()).totals.posts_published).toBe(0)
  })

  it('is found only by who takes it out or deletes it', async () => {
    const { id } = await published('Bread')
    await client.posts.trash(id)
    const missing = { status: 404 }
    await expect(client.posts.get(id)).rejects.toMatchObject(missing)
    await expect(client.posts.update(id, { title: 'Cake' })).rejects.toMatchObject(missing)
    await expect(client.posts.publish(id)).rejects.toMatchObject(missing)
    await expect(client.posts.duplicate(id)).rejects.toMatchObject(missing)
    await expect(client.posts.revisions(id)).rejects.toMatchObject(missing)
    await expect(client.posts.trash(id)).rejects.toMatchObject(missing)
    expect(await client.posts.bulk({ action: 'publish', ids: [id] })).toEqual({ changed: [], missing: 1 })
    await client.posts.delete(id)
    await expect(client.posts.untrash(id)).rejects.toMatchObject(missing)
    expect(await listed({ status: 'trash' })).toEqual([])
  })

  it('comes back as a draft with its text, its history, its sites and its former addresses', async () => {
    const other = await startReceiver()
    const chosen = await connectSite(client, other)
    const { id } = await client.posts.create({
      title: 'Bread',
      body: { markdown: 'Mix *well*.' },
      status: 'published',
      site_ids: [chosen.id],
    })
    await client.posts.update(id, { slug: 'good-bread' })
    await client.posts.trash(id)
    const back = await client.posts.untrash(id)
    expect(back).toMatchObject({ status: 'draft', slug: 'good-bread', site_ids: [chosen.id], published_at: null })
    expect(back).not.toHaveProperty('trashed_at')
    expect(back.body.markdown).toBe('Mix *well*.')
    expect((await client.posts.revisions(id)).revisions.map(({ version }) => version)).toEqual([3, 2, 1])
    await client.posts.publish(id)
    await service.drain()
    const pull = createPullClient({ baseUrl: service.url, apiKey: chosen.api_key })
    expect((await pull.get('good-bread')).previous_slugs).toEqual(['bread'])
    await other.close()
  })

  it('leaves its slug to others, and has a numbered one if it comes back', async () => {
    const { id } = await published('Bread')
    await client.posts.trash(id)
    const second = await client.posts.create({ title: 'Bread' })
    expect(second.slug).toBe('bread')
    await client.posts.trash(second.id)
    expect((await client.posts.untrash(id)).slug).toBe('bread')
    expect((await client.posts.untrash(second.id)).slug).toBe('bread-2')
  })

  it('is refused for a version that was not seen', async () => {
    const { id, version } = await published('Bread')
    await client.posts.update(id, { title: 'Better bread' })
    await expect(client.posts.trash(id, version)).rejects.toMatchObject({ status: 412 })
    await client.posts.trash(id, version + 1)
  })

  it('forgets when it was to be published and unpublished', async () => {
    const at = new Date(service.clock.now().getTime() + DAY).toISOString()
    const end = new Date(service.clock.now().getTime() + 2 * DAY).toISOString()
    const { id } = await client.posts.create({
      title: 'Bread',
      status: 'scheduled',
      scheduled_at: at,
      unpublish_at: end,
    })
    await client.posts.trash(id)
    await service.advance(3 * DAY)
    await service.drain()
    expect(site.received).toEqual([])
    expect(await client.posts.untrash(id)).toMatchObject({ status: 'draft', scheduled_at: null, unpublish_at: null })
  })

  it('is gone for good after 30 days', async () => {
    const { id } = await published('Bread')
    await client.posts.trash(id)
    const emptied = (days: number) =>
      emptyTrash(service.ctx.db.root, new Date(service.clock.now().getTime() + days * DAY))
    await emptied(29)
    expect(await listed({ status: 'trash' })).toEqual(['Bread'])
    await emptied(31)
    expect(await listed({ status: 'trash' })).toEqual([])
    await expect(client.posts.untrash(id)).rejects.toMatchObject({ status: 404 })
  })

  it('goes there and comes back with many others', async () => {
    const { id: bread } = await published('Bread')
    service.clock.advance(1_000)
    const ids = [bread, (await client.posts.create({ title: 'Soup' })).id]
    expect(await client.posts.bulk({ action: 'trash', ids })).toEqual({ changed: ids, missing: 0 })
    expect(await listed()).toEqual([])
    expect(await client.posts.bulk({ action: 'untrash', ids })).toEqual({ changed: ids, missing: 0 })
    expect(await listed()).toEqual(['Soup', 'Bread'])
    await client.posts.bulk({ action: 'trash', ids })
    await client.posts.bulk({ action: 'delete', ids })
    expect(await listed({ status: 'trash' })).toEqual([])
  })

  it('is not put there by a change of its status', async () => {
    const { id } = await client.posts.create({ title: 'Bread' })
    await expect(client.posts.update(id, { status: 'trash' as never })).rejects.toMatchObject({
      status: 400,
      field: 'status',
    })
  })
})
