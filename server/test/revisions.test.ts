/** The versions of a post: who made them and what they were, what differs between them, and going back to one. And copies of posts. */
import type { PostriderClient, SiteWithSecrets } from '@postrider/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

const MINUTE = 60_000

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

let client: PostriderClient
let site: Receiver
let connected: SiteWithSecrets
beforeEach(async () => {
  client = await newAccount(service)
  site = await startReceiver()
  connected = await connectSite(client, site)
  return () => site.close()
})

const HTML = '<p dir="rtl">Old <b>words</b>, <kbd>Esc</kbd></p>'

describe('the versions of a post', () => {
  it('say when and by whom they were made, how long they are, and which were sent', async () => {
    const { id } = await client.posts.create({ title: 'Bread', body: { markdown: 'One two.' } })
    await service.advance(MINUTE)
    await client.posts.update(id, { body: { markdown: 'One two three.' } })
    await client.posts.publish(id)
    const end = service.clock.now().getTime() + 60 * MINUTE
    await client.posts.update(id, { title: 'Bread again', unpublish_at: new Date(end).toISOString() })
    await service.drain()
    await service.advance(60 * MINUTE)
    const { revisions, cursor } = await client.posts.revisions(id)
    expect(revisions.map(({ at: _, ...one }) => one)).toEqual([
      { version: 4, by: 'schedule', by_name: null, sent: false, words: 3, title: 'Bread again' },
      { version: 3, by: 'person', by_name: null, sent: true, words: 3, title: 'Bread again' },
      { version: 2, by: 'person', by_name: null, sent: true, words: 3, title: 'Bread' },
      { version: 1, by: 'person', by_name: null, sent: false, words: 2, title: 'Bread' },
    ])
    expect(Date.parse(revisions[2]?.at ?? '') - Date.parse(revisions[3]?.at ?? '')).toBe(MINUTE)
    expect(cursor).toBeNull()
  })

  it('are listed page by page', async () => {
    const { id } = await client.posts.create({ title: 'Title 1' })
    for (let version = 2; version <= 5; version += 1) await client.posts.update(id, { title: `Title ${version}` })
    const seen: number[][] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await client.posts.revisions(id, { limit: 2, ...(cursor === undefined ? {} : { cursor }) })
      seen.push(page.revisions.map(({ version }) => version))
      cursor = page.cursor
    }
    expect(seen).toEqual([[5, 4], [3, 2], [1]])
  })

  it('are kept as they were, in all forms', async () => {
    const post = await client.posts.create({ title: 'Bread', tags: ['a'], meta: { title: 'M' }, body: { html: HTML } })
    await client.posts.update(post.id, { title: 'Cheese', tags: [], meta: { title: '' }, body: { markdown: 'New.' } })
    const { title, slug, excerpt, tags, meta, body } = post
    expect(await client.posts.revision(post.id, 1)).toMatchObject({
      version: 1,
      title,
      slug,
      excerpt,
      tags,
      meta,
      body,
    })
    expect((await client.posts.revision(post.id, 2)).body.markdown).toBe('New.')
    await expect(client.posts.revision(post.id, 3)).rejects.toMatchObject({ status: 404 })
  })

  it('are kept if they were sent; of the others the last hundred', async () => {
    const { id } = await client.posts.create({ title: 'Sent', status: 'published' })
    await client.posts.update(id, { status: 'draft' })
    for (let edit = 1; edit <= 103; edit += 1) await client.posts.update(id, { title: `Edit ${edit}` })
    const versions: number[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await client.posts.revisions(id, { limit: 100, ...(cursor === undefined ? {} : { cursor }) })
      versions.push(...page.revisions.map(({ version }) => version))
      cursor = page.cursor
    }
    // The present one, 105, the hundred before it, and the first, which was sent.
    expect(versions).toEqual([...Array.from({ length: 101 }, (_, index) => 105 - index), 1])
  })

  it('go with their post', async () => {
    const { id } = await client.posts.create({ title: 'Bread' })
    await client.posts.update(id, { title: 'Cheese' })
    await client.posts.delete(id)
    await expect(client.posts.revisions(id)).rejects.toMatchObject({ status: 404 })
    const kept = service.ctx.db.root.selectFrom('post_revisions').select('version').where('post_id', '=', id)
    expect(await kept.execute()).toEqual([])
  })
})

describe('two versions', () => {
  it('are compared field by field and word by word', async () => {
    const { id } = await client.posts.create({ title: 'Bread', body: { markdown: '# Begin\n\nMix flour well.' } })
    await client.posts.update(id, { title: 'Bread again', body: { markdown: '# Begin\n\nMix flour and water well.' } })
    expect(await client.posts.diff(id, { from: 1, to: 2 })).toEqual({
      from: 1,
      to: 2,
      fields: [{ field: 'title', from: 'Bread', to: 'Bread again' }],
      blocks: [
        { change: 'same', type: 'heading', text: 'Begin' },
        {
          change: 'changed',
          type: 'paragraph',
          words: [
            { change: 'same', text: 'Mix flour ' },
            { change: 'added', text: 'and water ' },
            { change: 'same', text: 'well.' },
          ],
        },
      ],
    })
  })
})

describe('going back to a version', () => {
  it('makes a new one with the content of the old, keeps the address, and tells the sites', async () => {
    const post = await client.posts.create({
      title: 'Bread',
      tags: ['a'],
      meta: { title: 'M' },
      body: { html: HTML },
      status: 'published',
    })
    await service.drain()
    await client.posts.update(post.id, {
      title: 'Cheese',
      slug: 'cheese',
      tags: [],
      meta: { title: '', description: 'D' },
      body: { markdown: 'New.' },
    })
    const restored = await client.posts.restore(post.id, 1, 2)
    const { title, tags, meta, body } = post
    expect(restored).toMatchObject({ version: 3, status: 'published', slug: 'cheese', title, tags, body })
    expect(restored.meta).toEqual(meta)
    await service.drain()
    const last = site.received.at(-1)?.json as { event: string; post: { version: number; body: unknown } }
    expect(last).toMatchObject({
      event: 'post.updated',
      post: { version: 3, slug: 'cheese', title, body: { html: body.html } },
    })
    // Nothing is lost: the version that was left is still there.
    expect((await client.posts.revision(post.id, 2)).title).toBe('Cheese')
    expect((await client.sites.get(connected.id)).delivery_stats.missing).toBe(0)
  })

  it('is refused if the post has changed meanwhile, and if there is nothing to go back to', async () => {
    const { id } = await client.posts.create({ title: 'Bread' })
    await client.posts.update(id, { title: 'Cheese' })
    await expect(client.posts.restore(id, 1, 1)).rejects.toMatchObject({ status: 412 })
    expect(await client.posts.restore(id, 2)).toMatchObject({ version: 2 })
    await expect(client.posts.restore(id, 7)).rejects.toMatchObject({ status: 404 })
    expect(await client.posts.get(id)).toMatchObject({ version: 2, title: 'Cheese' })
  })
})

describe('a copy of a post', () => {
  it('is a draft with the same content for the same sites, and another address', async () => {
    const post = await client.posts.create({
      title: 'Bread',
      tags: ['a'],
      excerpt: 'E',
      meta: { title: 'M', canonical_url: 'https://elsewhere.example.com/bread' },
      body: { html: HTML },
      site_ids: [connected.id],
      status: 'published',
    })
    await service.drain()
    const copy = await client.posts.duplicate(post.id)
    const { excerpt, tags, body } = post
    expect(copy).toMatchObject({
      title: 'Bread (Copy)',
      slug: 'bread-2',
      excerpt,
      tags,
      body,
      status: 'draft',
      version: 1,
    })
    expect(copy).toMatchObject({ meta: { title: 'M' }, site_ids: [connected.id], deliveries: [] })
    expect(copy.meta).not.toHaveProperty('canonical_url')
    expect((await client.posts.list({ search: 'Copy' })).data.map(({ id }) => id)).toEqual([copy.id])
    await client.posts.publish(copy.id)
    await service.drain()
    expect(site.received.map(({ json }) => (json.post as { slug: string }).slug)).toEqual(['bread', 'bread-2'])
  })
})
