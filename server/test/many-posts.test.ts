/** Lists of posts without their texts, and doing the same to many posts. */
import type { PostriderClient, SiteWithSecrets } from '@postrider/sdk'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { purgeDeletedSites } from '../src/engine/index.ts'
import { plusMs } from '../src/platform/clock.ts'
import { forgetNamesOfGoneSites } from '../src/posts/index.ts'
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

const MISSING = '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11'

describe('GET /api/posts/summaries', () => {
  it('shows posts without their texts, each with its newest delivery per connected site', async () => {
    const gone = await connectSite(client, receiver, 'Gone')
    const post = await client.posts.create({ title: 'One', body: { markdown: 'Long.' }, status: 'published' })
    service.clock.advance(1)
    await client.posts.create({ title: 'Draft' })
    await service.drain()
    receiver.answerNext(503, 503)
    await client.posts.update(post.id, { title: 'One, changed' })
    await service.drain()
    await client.sites.delete(gone.id)
    const { data, pagination } = await client.posts.summaries()
    expect(pagination).toEqual({ page: 1, limit: 20, total: 2, pages: 1 })
    const { body, ...brief } = await client.posts.get(post.id)
    expect(data).toEqual([
      expect.objectContaining({ title: 'Draft', deliveries: [] }),
      {
        ...brief,
        deliveries: [
          {
            site_id: site.id,
            event: 'post.updated',
            status: 'pending',
            attempts: 1,
            last_error: 'http_error',
            delivered_at: null,
            live: { state: 'unknown', url: null, checked_at: null, problem: null },
            next_attempt_at: plusMs(service.clock.now(), 30_000).toISOString(),
          },
        ],
      },
    ])
    expect(body.markdown).toContain('Long.')
  })

  it('shows what was changed last first, if asked to', async () => {
    const posts: string[] = []
    for (const title of ['One', 'Two', 'Three']) {
      service.clock.advance(1)
      posts.push((await client.posts.create({ title })).id)
    }
    service.clock.advance(1)
    await client.posts.update(posts[0] ?? '', { excerpt: 'Changed.' })
    const { data } = await client.posts.summaries({ sort: 'updated_at', limit: 2 })
    expect(data.map(({ title }) => title)).toEqual(['One', 'Three'])
  })

  it('is narrowed as the other list is, and ordered by schedule', async () => {
    const later = (ms: number) => plusMs(service.clock.now(), ms).toISOString()
    await client.posts.create({ title: 'Second', status: 'scheduled', scheduled_at: later(7_200_000) })
    await client.posts.create({ title: 'First', status: 'scheduled', scheduled_at: later(3_600_000), tags: ['red'] })
    await client.posts.create({ title: 'Third', status: 'scheduled', scheduled_at: later(9_000_000) })
    service.clock.advance(1)
    await client.posts.create({ title: 'Draft', tags: ['red'] })
    const titles = async (query: Parameters<PostriderClient['posts']['summaries']>[0]) =>
      (await client.posts.summaries(query)).data.map(({ title }) => title)
    expect(await titles({ status: 'scheduled', sort: 'scheduled_at', limit: 2 })).toEqual(['First', 'Second'])
    expect(await titles({ tag: 'red' })).toEqual(['Draft', 'First'])
    expect(await titles({ search: 'thir' })).toEqual(['Third'])
    await expect(titles({ site_id: MISSING })).rejects.toMatchObject({ field: 'site_id' })
    await expect(client.posts.summaries({ sort: 'title' as never })).rejects.toMatchObject({ field: 'sort' })
  })
})

describe('POST /api/posts/bulk', () => {
  const drafts = (...titles: string[]) => Promise.all(titles.map((title) => client.posts.create({ title })))
  const ids = (posts: ReadonlyArray<{ id: string }>) => posts.map(({ id }) => id)

  it('publishes posts to all sites', async () => {
    await connectSite(client, receiver, 'Second')
    const posts = await drafts('One', 'Two', 'Three')
    const answer = await client.posts.bulk({ action: 'publish', ids: [...ids(posts), MISSING, 'nothing'] })
    expect(answer).toEqual({ changed: ids(posts).toSorted(), missing: 2 })
    await service.drain()
    expect(receiver.received).toHaveLength(6)
    expect((await client.posts.summaries({ status: 'published' })).pagination.total).toBe(3)
  })

  it('makes drafts of published and of scheduled posts, and tells the sites that have them', async () => {
    const [sent, kept] = await drafts('Sent', 'Draft')
    const tomorrow = plusMs(service.clock.now(), 86_400_000).toISOString()
    const planned = await client.posts.create({ title: 'Planned', status: 'scheduled', scheduled_at: tomorrow })
    await client.posts.publish(sent?.id ?? '')
    await service.drain()
    const all = [sent?.id ?? '', kept?.id ?? '', planned.id]
    expect(await client.posts.bulk({ action: 'unpublish', ids: all })).toMatchObject({ missing: 0 })
    await service.drain()
    expect(receiver.received.map(({ json }) => json.event)).toEqual(['post.published', 'post.deleted'])
    const { data } = await client.posts.summaries()
    expect(data.map(({ status, scheduled_at }) => [status, scheduled_at])).toEqual(Array(3).fill(['draft', null]))
    expect((await client.posts.get(kept?.id ?? '')).version).toBe(kept?.version)
  })

  it('deletes posts and tells the sites that have them', async () => {
    const [sent, kept] = await drafts('Sent', 'Draft')
    await client.posts.publish(sent?.id ?? '')
    await service.drain()
    await client.posts.bulk({ action: 'delete', ids: [sent?.id ?? '', kept?.id ?? ''] })
    await service.drain()
    expect(receiver.received.map(({ json }) => json.event)).toEqual(['post.published', 'post.deleted'])
    expect((await client.posts.list()).data).toEqual([])
  })

  it('puts a tag on posts and takes it away, and sends the changes out', async () => {
    const posts = await drafts('One', 'Two')
    await client.posts.update(posts[0]?.id ?? '', { tags: ['old'] })
    await client.posts.publish(posts[1]?.id ?? '')
    await service.drain()
    await client.posts.bulk({ action: 'tag', ids: ids(posts), tag: ' new ' })
    await client.posts.bulk({ action: 'tag', ids: ids(posts), tag: 'new' })
    const tags = async () => Promise.all(posts.map(async ({ id }) => (await client.posts.get(id)).tags))
    expect(await tags()).toEqual([['old', 'new'], ['new']])
    await client.posts.bulk({ action: 'untag', ids: ids(posts), tag: 'old' })
    expect(await tags()).toEqual([['new'], ['new']])
    await service.drain()
    expect(receiver.received.map(({ json }) => json.event)).toEqual(['post.published', 'post.updated'])
  })

  it('does it to all of them or to none', async () => {
    const full = await client.posts.create({ title: 'Full', tags: Array.from({ length: 50 }, (_, n) => `tag-${n}`) })
    const posts = [...(await drafts('One')), full, ...(await drafts('Two'))]
    await expect(client.posts.bulk({ action: 'tag', ids: ids(posts), tag: 'one more' })).rejects.toMatchObject({
      status: 400,
      field: 'ids.1',
    })
    expect((await client.posts.list({ tag: 'one more' })).data).toEqual([])
  })

  it.each([
    ['action', { action: 'frame' as never, ids: [MISSING] }],
    ['ids', { action: 'publish' as const, ids: [] }],
    ['ids', { action: 'publish' as const, ids: Array<string>(101).fill(MISSING) }],
    ['tag', { action: 'tag' as const, ids: [MISSING] }],
    ['tag', { action: 'delete' as const, ids: [MISSING], tag: 'x' }],
  ])('names %s when it is wrong', async (field, change) => {
    await expect(client.posts.bulk(change)).rejects.toMatchObject({ status: 400, field })
  })
})

describe('posts published to some sites only', () => {
  /** How many posts a site may see because they were published to it by name. */
  async function named(siteId: string): Promise<number> {
    const { rows } = await sql<{ posts: number }>`
      select count(*) as posts from post_sites where site_id = ${siteId} and named
    `.execute(service.ctx.db.root)
    return rows[0]?.posts ?? 0
  }

  async function expectCounted(expected: readonly [SiteWithSecrets, number][]): Promise<void> {
    for (const [{ id }, posts] of expected) {
      expect(await named(id)).toBe(posts)
      const { data, pagination } = await client.posts.list({ site_id: id, limit: 50 })
      expect(data).toHaveLength(pagination.total)
    }
  }

  it('are counted by site, whatever becomes of them', async () => {
    const second = await connectSite(client, receiver, 'Second')
    const third = await connectSite(client, receiver, 'Third')
    const posts = await Promise.all(Array.from({ length: 8 }, (_, index) => client.posts.create({ title: `${index}` })))
    const [a = '', b = '', c = '', d = '', ...others] = posts.map(({ id }) => id)
    await Promise.all([
      ...[a, b, c, d].map((id) => client.posts.publish(id, [site.id, second.id])),
      ...others.map((id) => client.posts.publish(id, [second.id, site.id, third.id])),
    ])
    await expectCounted([
      [site, 8],
      [second, 8],
      [third, 4],
    ])
    await client.posts.publish(a, [site.id])
    await client.posts.publish(a, [third.id])
    await expectCounted([
      [site, 8],
      [second, 8],
      [third, 5],
    ])
    await client.posts.publish(a)
    await expectCounted([
      [site, 7],
      [second, 7],
      [third, 4],
    ])
    await client.posts.publish(a, [site.id])
    await client.posts.update(b, { status: 'draft' })
    await client.posts.delete(c)
    await expectCounted([
      [site, 5],
      [second, 5],
      [third, 4],
    ])
    await Promise.all([
      client.posts.bulk({ action: 'unpublish', ids: others.slice(0, 2) }),
      client.posts.bulk({ action: 'delete', ids: others.slice(2, 3) }),
      client.posts.bulk({ action: 'publish', ids: others.slice(3) }),
      client.posts.publish(b, [third.id, site.id]),
    ])
    await expectCounted([
      [site, 2],
      [second, 1],
      [third, 1],
    ])
    await client.posts.delete(d)
    await client.posts.delete(b)
    await expectCounted([
      [site, 0],
      [second, 0],
      [third, 0],
    ])
  })

  it('stay as long as the history of a deleted site, and go with it', async () => {
    const second = await connectSite(client, receiver, 'Second')
    const { id } = await client.posts.create({ title: 'One' })
    await client.posts.publish(id, [site.id, second.id])
    await service.drain()
    await client.sites.delete(second.id)
    const purge = async (days: number) => {
      const at = plusMs(service.clock.now(), days * 86_400_000)
      while (await purgeDeletedSites(service.ctx.db, at)) {}
      expect(await forgetNamesOfGoneSites(service.ctx.db.root)).toBe(false)
    }
    await purge(89)
    await expectCounted([
      [site, 1],
      [second, 1],
    ])
    await purge(90)
    expect(await named(second.id)).toBe(0)
    await expectCounted([[site, 1]])
    await client.posts.update(id, { status: 'draft' })
    await expectCounted([[site, 0]])
  })
})
