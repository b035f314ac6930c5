/** What every store promises, tried with each but PostgreSQL, which is tried with the service. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileStore } from '../files.ts'
import type { WebhookPost } from '../webhooks.ts'
import { memoryStore } from './memory.ts'
import { hasRedis, startRedis } from './redis.fixture.ts'
import { redisStore } from './redis.ts'
import { type D1Database, d1Store, sqliteStore } from './sql.ts'
import { applyChange, applyEvent, type Kept, type PostEvent, type Store } from './store.ts'

const folders: string[] = []
const folder = async () => {
  const made = await mkdtemp(join(tmpdir(), 'postrider-store-'))
  folders.push(made)
  return join(made, 'content/posts')
}
afterAll(() => Promise.all(folders.map((made) => rm(made, { recursive: true }))))

/** D1's interface over SQLite, which is what D1 is. */
function d1(): D1Database {
  const database = new DatabaseSync(':memory:')
  return {
    prepare: (text) => ({
      bind: (...values) => ({
        async run() {
          const statement = database.prepare(text)
          if (text.startsWith('select')) return { results: statement.all(...values), meta: {} }
          return { meta: { changes: Number(statement.run(...values).changes) } }
        },
      }),
    }),
  }
}

const STORES: Record<string, () => Promise<Store>> = {
  memory: async () => memoryStore(),
  files: async () => fileStore(await folder()),
  SQLite: async () => sqliteStore(new DatabaseSync(':memory:')),
  'Cloudflare D1': async () => d1Store(d1()),
}

if (hasRedis) {
  let redis: Awaited<ReturnType<typeof startRedis>>
  let stores = 0
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.stop())
  STORES.Redis = async () => {
    stores += 1
    return redisStore(redis.send, { prefix: `{blog ${stores}}:` })
  }
}

let number = 0
function post(more: Partial<WebhookPost> = {}): WebhookPost {
  number += 1
  const id = `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`
  return {
    id,
    version: 1,
    title: `Post ${number}`,
    slug: `post-${number}`,
    excerpt: '',
    tags: [],
    meta: { title: null, description: null, canonical_url: null, og_image: null, keywords: null },
    body: { markdown: 'Text', html: '<p>Text</p>', json: { type: 'doc', content: [] } },
    status: 'published',
    published_at: `2026-11-02T08:00:00.${String(number).padStart(3, '0')}Z`,
    ...more,
  } as WebhookPost
}
const SITE = { id: 'site', name: 'Site' }
const published = (of: WebhookPost): PostEvent => ({ event: 'post.published', post: of, site: SITE, delivered_at: '' })
const updated = (of: WebhookPost): PostEvent => ({
  event: 'post.updated',
  post: of,
  site: SITE,
  previous_version: of.version,
})
const deleted = ({ id, slug }: WebhookPost): PostEvent =>
  ({ event: 'post.deleted', post: { id, slug }, site: SITE, deleted_at: '' }) as PostEvent
const keep = (of: WebhookPost): Kept => ({ post: of, version: of.version, sentAt: 0 })
const slugs = async (store: Store, query = {}) => (await store.list(query)).posts.map(({ slug }) => slug)

describe.each(Object.entries(STORES))('%s', (_, make) => {
  it('finds a post by its slug and by those it had before, and not once it is removed', async () => {
    const store = await make()
    expect(await store.list()).toEqual({ posts: [] })
    const [moved, taken] = [post({ previous_slugs: ['old_1%', 'shared'] }), post({ slug: 'shared' })]
    for (const one of [moved, taken]) await applyEvent(store, published(one), 10)
    expect(await store.find(moved.slug)).toEqual(moved)
    expect((await store.find('old_1%'))?.id).toBe(moved.id)
    expect((await store.find('shared'))?.id).toBe(taken.id)
    expect(await store.find('old_12')).toBeUndefined()
    await applyEvent(store, deleted(moved), 11)
    expect(await store.find(moved.slug)).toBeUndefined()
    expect(await store.find('old_1%')).toBeUndefined()
    expect(await slugs(store)).toEqual(['shared'])
  })

  it('lists the newest first, in parts, and with a tag', async () => {
    const store = await make()
    const instant = '2026-11-03T00:00:00.000Z'
    const all = [
      post({ tags: ['a', 'b c'] }),
      post(),
      post({ published_at: instant, tags: ['a'] }),
      post({ published_at: instant }),
    ]
    for (const one of all) await applyEvent(store, published(one), 10)
    const newest = [all[3], all[2], all[1], all[0]].map((one) => one?.slug)
    expect(await slugs(store)).toEqual(newest)
    const first = await store.list({ limit: 1 })
    expect(first.posts[0]).not.toHaveProperty('body')
    const walked = [first]
    for (let { after } = first; after !== undefined; ) {
      const part = await store.list({ limit: 1, after })
      walked.push(part)
      after = part.after
    }
    expect(walked.flatMap(({ posts }) => posts.map(({ slug }) => slug))).toEqual(newest)
    expect(await slugs(store, { tag: 'a' })).toEqual([all[2]?.slug, all[0]?.slug])
    expect(await slugs(store, { tag: 'b c' })).toEqual([all[0]?.slug])
    expect(await slugs(store, { tag: 'b' })).toEqual([])
    expect(await store.list({ after: 'nonsense' })).toEqual({ posts: [] })
  })

  it('replaces only what was read', async () => {
    const store = await make()
    const one = post()
    expect(await store.write(one.id, keep(one), undefined)).toBe(true)
    expect(await store.write(one.id, keep(one), undefined)).toBe(false)
    const here = await store.read(one.id)
    const next = { ...one, title: 'Next', version: 2 }
    expect(await store.write(one.id, keep(next), here?.revision)).toBe(true)
    expect(await store.write(one.id, keep(one), here?.revision)).toBe(false)
    expect((await store.find(one.slug))?.title).toBe('Next')
  })

  it('has the newest of changes that come together', async () => {
    const store = await make()
    const one = post()
    const versions = Array.from({ length: 20 }, (_, index) => ({ ...one, version: index + 1, title: `V${index + 1}` }))
    await Promise.all(versions.reverse().map((version) => applyEvent(store, published(version), 10)))
    expect(await store.find(one.slug)).toMatchObject({ version: 20, title: 'V20' })
  })

  it('keeps the cursor', async () => {
    const store = await make()
    expect(await store.readCursor()).toBeUndefined()
    await store.writeCursor('one')
    await store.writeCursor('two')
    expect(await store.readCursor()).toBe('two')
  })
})

describe('what is older than what is here', () => {
  const change = (event: 'published' | 'deleted', of: WebhookPost, at: string) => ({
    event,
    post_id: of.id,
    slug: of.slug,
    version: of.version,
    at,
    ...(event === 'published' ? { post: { ...of, updated_at: at } } : {}),
  })

  it('does not bring back what was removed, and brings back what was published again', async () => {
    const store = memoryStore()
    const one = post()
    await applyEvent(store, published(one), 10)
    await applyEvent(store, deleted(one), 30)
    // The handler of an earlier request was still at work.
    expect(await applyEvent(store, published({ ...one, version: 2 }), 20)).toBe(false)
    // A page of changes was read before the removal.
    expect(await applyChange(store, change('published', one, new Date(20_000).toISOString()))).toBe(false)
    expect(await store.find(one.slug)).toBeUndefined()
    expect(await applyChange(store, change('published', one, new Date(40_000).toISOString()))).toBe(true)
    expect(await applyEvent(store, deleted(one), 50)).toBe(true)
    expect(await applyEvent(store, published(one), 50)).toBe(true)
    expect((await store.find(one.slug))?.version).toBe(1)
  })

  it('is not what has the same version: it may bring the address of the original', async () => {
    const store = memoryStore()
    const one = post()
    await applyEvent(store, published(one), 10)
    const canonical = async () => (await store.find(one.slug))?.meta.canonical_url
    const copy = (url: string) => ({ ...one, meta: { ...one.meta, canonical_url: url } })
    expect(await applyEvent(store, updated(copy('https://a.example.com/')), 11)).toBe(true)
    expect(await canonical()).toBe('https://a.example.com/')
    const at = new Date(20_000).toISOString()
    expect(await applyChange(store, change('published', copy('https://b.example.com/'), at))).toBe(true)
    expect(await canonical()).toBe('https://b.example.com/')
  })

  it('does not remove or replace what is newer', async () => {
    const store = memoryStore()
    const one = post({ version: 5 })
    await applyChange(store, change('published', one, new Date(20_000).toISOString()))
    expect(await applyEvent(store, published({ ...one, version: 4 }), 90)).toBe(false)
    expect(await applyChange(store, change('deleted', { ...one, version: 4 }, new Date(10_000).toISOString()))).toBe(
      false,
    )
    expect((await store.find(one.slug))?.version).toBe(5)
  })
})

describe('files', () => {
  it('are found by another process, and a file that was cut off is a post to fetch', async () => {
    const place = await folder()
    const [writer, reader] = [fileStore(place), fileStore(place)]
    const [one, two] = [post(), post()]
    await applyEvent(writer, published(one), 10)
    expect(await slugs(reader)).toEqual([one.slug])
    await applyEvent(writer, published(two), 10)
    expect(await slugs(reader)).toEqual([two.slug, one.slug])
    const file = join(place, `${one.id}.json`)
    await writeFile(file, (await readFile(file, 'utf8')).slice(0, 100))
    expect(await slugs(reader)).toEqual([two.slug])
    expect(await reader.read(one.id)).toBeUndefined()
    await applyEvent(reader, published(one), 11)
    expect(await slugs(writer)).toEqual([two.slug, one.slug])
  })
})
