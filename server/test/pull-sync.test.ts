/** A site that follows changes by cursor, confirms what it has, and compares. */
import { createHash } from 'node:crypto'
import {
  createPullClient,
  type PostChange,
  type PostriderClient,
  type PullClient,
  type SiteWithSecrets,
} from '@postrider/sdk'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { forgetTombstones, recordUnlistedPosts } from '../src/posts/index.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let receiver: Receiver
let client: PostriderClient
let site: SiteWithSecrets
let pull: PullClient

beforeAll(async () => {
  service = await startService()
  receiver = await startReceiver()
})
beforeEach(async () => {
  await service.drain()
  client = await newAccount(service)
  site = await connectSite(client, receiver)
  pull = clientOf(site)
  receiver.received.length = 0
})
afterAll(async () => {
  await receiver.close()
  await service.stop()
})

const clientOf = ({ api_key: apiKey }: SiteWithSecrets, options = {}) =>
  createPullClient({ baseUrl: service.url, apiKey, ...options })
const publish = async (title: string) =>
  client.posts.create({ title, body: { markdown: `# ${title}` }, status: 'published' })
const eventsOf = (changes: readonly PostChange[]) => changes.map(({ event, slug }) => `${event} ${slug}`)
/** Everything since a cursor, a page at a time. */
async function follow(
  from?: string,
  limit = 100,
  one = pull,
): Promise<{ events: string[]; cursor: string; pages: number }> {
  const events: string[] = []
  for (let cursor = from, pages = 1; ; pages += 1) {
    const page = await one.changes({ ...(cursor === undefined ? {} : { cursor }), limit })
    events.push(...eventsOf(page.changes))
    cursor = page.cursor
    if (!page.more) return { events, cursor, pages }
  }
}

describe('changes', () => {
  it('begin with everything that the site may show, and go on with what changed, each post once', async () => {
    await client.posts.create({ title: 'Draft' })
    const [one, two] = [await publish('One'), await publish('Two'), await publish('Three')]
    const start = await follow(undefined, 1)
    expect(start).toMatchObject({ events: ['published one', 'published two', 'published three'], pages: 3 })
    expect(await follow(start.cursor)).toMatchObject({ events: [], pages: 1 })

    await client.posts.update(one.id, { title: 'Changed' })
    await client.posts.update(one.id, { excerpt: 'Again' })
    await client.posts.delete(two.id)
    await publish('Four')
    const next = await follow(start.cursor, 2)
    expect(next.events).toEqual(['updated one', 'deleted two', 'published four'])
    await client.posts.update(one.id, { status: 'draft' })
    await client.posts.update(one.id, { status: 'published' })
    expect((await follow(next.cursor)).events).toEqual(['published one'])
    expect((await follow()).events.sort()).toEqual(['published four', 'published one', 'published three'])
  })

  it('carry the whole post if it is asked for, as it is got alone', async () => {
    const { slug } = await publish('Whole')
    const { changes } = await pull.changes({ include: 'body' })
    expect(changes[0]).toMatchObject({ event: 'published', slug, version: 1, post: await pull.get(slug) })
    expect((await pull.changes()).changes[0]).not.toHaveProperty('post')
  })

  it('tell a removal that falls into the first walk, and none from before it', async () => {
    const gone = await publish('Gone')
    await client.posts.delete(gone.id)
    const first = await publish('First')
    await publish('Second')
    const { changes, cursor } = await pull.changes({ limit: 1 })
    expect(eventsOf(changes)).toEqual(['published first'])
    await client.posts.delete(first.id)
    expect((await follow(cursor)).events).toEqual(['published second', 'deleted first'])
  })

  it('are only of posts that the site may see', async () => {
    const other = await connectSite(client, receiver, 'Other')
    const { cursor } = await follow()
    const post = await client.posts.create({ title: 'Named' })
    await client.posts.publish(post.id, [other.id])
    expect((await follow(cursor)).events).toEqual([])
    expect((await follow(cursor, 100, clientOf(other))).events).toEqual(['published named'])
    await client.posts.delete(post.id)
    expect((await follow(cursor)).events).toEqual([])
    expect((await follow(cursor, 100, clientOf(other))).events).toEqual(['deleted named'])
  })

  it('begin with everything also where a restored backup knew of no changes', async () => {
    await publish('One')
    const { root, tx } = service.ctx.db
    await sql`delete from post_changes`.execute(root)
    await tx((restoring) => recordUnlistedPosts(restoring))
    expect((await follow()).events).toEqual(['published one'])
  })

  it('are forgotten after 90 days: an older cursor is answered 410, and so is one of nobody', async () => {
    const { id } = await publish('Old')
    const old = await follow()
    await client.posts.delete(id)
    const kept = await follow(old.cursor)
    expect(kept.events).toEqual(['deleted old'])
    const { root } = service.ctx.db
    await sql`update post_changes set removed_at = removed_at - interval '91 days'`.execute(root)
    await forgetTombstones(root, new Date())
    for (const cursor of [old.cursor, 'nonsense', Buffer.from('9007199254740991.x.0').toString('base64url')])
      await expect(pull.changes({ cursor })).rejects.toMatchObject({ status: 410, code: 'gone' })
    expect((await follow(kept.cursor)).events).toEqual([])
    expect((await follow()).events).toEqual([])
  })
})

it('lists have whole posts if they are asked for', async () => {
  for (const title of ['One', 'Two']) await publish(title)
  const get = (path: string, headers = {}) =>
    fetch(`${service.url}${path}`, { headers: { 'x-api-key': site.api_key, ...headers } })
  const answer = await get('/api/pull/posts?include=body&limit=1')
  const { slug } = (await pull.list()).posts[0] ?? { slug: '' }
  expect(await answer.json()).toEqual({ posts: [await pull.get(slug)], total: 2, page: 1, limit: 1, pages: 2 })
  expect(await (await get('/api/pull/posts?include=body&page=9')).json()).toMatchObject({
    posts: [],
    total: 2,
    page: 9,
  })
  const tag = answer.headers.get('etag') ?? ''
  const again = () => get('/api/pull/posts?include=body&limit=1', { 'if-none-match': tag })
  expect((await again()).status).toBe(304)
  await publish('Three')
  expect((await again()).status).toBe(200)
})

describe('confirmations', () => {
  it('are stored or refused one by one', async () => {
    const { id } = await publish('One')
    const draft = await client.posts.create({ title: 'Draft' })
    const other = await connectSite(client, receiver, 'Other')
    const report = { post_id: id, status: 'delivered', published_url: 'https://blog.example.com/one' } as const
    const { confirmations } = await pull.confirmMany([
      report,
      { post_id: draft.id, status: 'delivered' },
      { ...report, site_id: other.id },
    ])
    expect(confirmations).toMatchObject([
      { post_id: id, status: 'delivered' },
      { post_id: draft.id, error: 'not_found' },
      { post_id: id, error: 'forbidden' },
    ])
    const { data } = await client.deliveries.list({ post_id: id, site_id: site.id })
    const [delivery] = data
    expect(await client.deliveries.get(delivery?.id ?? '')).toMatchObject({
      status: 'delivered',
      live: { state: 'claimed', url: 'https://blog.example.com/one' },
    })
    await service.drain()
    expect(receiver.received).toEqual([])
  })

  it.each(['blog/one', '//blog.example.com/one', '/a b', 'ftp://blog.example.com', ''])(
    'name an address or a path, which %j is not',
    async (published_url) => {
      const { id } = await publish('One')
      const refused = pull.confirm(id, site.id, 'delivered', { published_url })
      await expect(refused).rejects.toMatchObject({ status: 400, field: 'published_url' })
    },
  )

  it('of a version end only what tells of that version or an older one', async () => {
    receiver.answerNext(503)
    const { id } = await publish('One')
    await service.drain()
    await client.posts.update(id, { title: 'Changed' })
    await pull.confirm(id, site.id, 'delivered', { version: 1 })
    const statuses = async () =>
      (await client.deliveries.list({ post_id: id })).data.map(({ event, status }) => `${event} ${status}`).sort()
    expect(await statuses()).toEqual(['post.published delivered', 'post.updated pending'])
    await pull.confirm(id, site.id, 'delivered', { version: 2 })
    expect(await statuses()).toEqual(['post.published delivered', 'post.updated delivered'])
    await pull.confirm(id, site.id, 'delivered', { version: 1 })
    expect(await statuses()).toEqual(['post.published delivered', 'post.updated delivered'])
  })
})

describe('the digest', () => {
  it('is that of the posts that the site should have', async () => {
    const posts = [await publish('One'), await publish('Two')]
    await client.posts.create({ title: 'Draft' })
    const lines = posts.map(({ id, version }) => `${id}:${version}`).sort()
    expect(await pull.digest()).toEqual({
      posts: 2,
      digest: createHash('sha256').update(lines.join('\n')).digest('hex'),
    })
  })

  it('is compared with what the site has, and what is missing or outdated is sent', async () => {
    const [one, two, three] = [await publish('One'), await publish('Two'), await publish('Three')]
    await service.drain()
    await client.posts.update(two.id, { title: 'Two again' })
    await service.drain()
    receiver.received.length = 0
    const have = [
      { id: two.id, version: 1 },
      { id: three.id, version: 1 },
      { id: '01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071', version: 1 },
    ]
    const differences = {
      missing: [{ id: one.id, slug: 'one', version: 1 }],
      outdated: [{ id: two.id, slug: 'two', version: 2 }],
      extra: ['01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071'],
    }
    expect(await pull.compare({ have })).toEqual(differences)
    await service.drain()
    expect(receiver.received).toEqual([])
    expect(await pull.compare({ have, send: true })).toEqual(differences)
    await service.drain()
    expect(receiver.received.map(({ json }) => (json.post as { slug: string }).slug).sort()).toEqual(['one', 'two'])
  })
})

describe('sync', () => {
  it('takes two requests for a hundred posts, and hands each over once', async () => {
    for (let count = 0; count < 3; count += 1)
      await Promise.all(Array.from({ length: 100 }, (_, index) => publish(`Post ${100 * count + index}`)))
    let requests = 0
    const counting = clientOf(site, {
      fetch: (...args: Parameters<typeof fetch>) => {
        requests += 1
        return fetch(...args)
      },
    })
    const seen: PostChange[] = []
    const cursor = await counting.sync({ onChange: (change) => void seen.push(change) })
    expect(new Set(seen.map(({ post }) => post?.id)).size).toBe(300)
    expect(requests).toBe(6)
    await service.drain()
    expect(receiver.received).toEqual([]) // all were confirmed
    await client.posts.delete(seen[0]?.post_id ?? '')
    const later: PostChange[] = []
    await counting.sync({ cursor, onChange: (change) => void later.push(change) })
    expect(later.map(({ event, post_id }) => [event, post_id])).toEqual([['deleted', seen[0]?.post_id]])
  }, 120_000)

  it('starts again when its cursor is too old, and says so', async () => {
    await publish('One')
    const calls: string[] = []
    await pull.sync({
      cursor: 'nonsense',
      onStartAgain: () => void calls.push('again'),
      onChange: ({ slug }) => void calls.push(slug),
      onCursor: () => void calls.push('cursor'),
    })
    expect(calls).toEqual(['again', 'one', 'cursor'])
  })
})
