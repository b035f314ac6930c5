/** The SDK's receiver beside the real service: webhooks kept in a store, catching up, and reading without a store. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connectionCode, type PostriderClient, type SiteWithSecrets, verifyReceiver } from '@postrider/sdk'
import {
  type Changed,
  createReceiver,
  memoryStore,
  postgresStore,
  type Receiver,
  type Store,
} from '@postrider/sdk/receiver'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { forgetTombstones } from '../src/posts/index.ts'
import { freshDatabase } from './support/database.ts'
import { newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let client: PostriderClient
let site: SiteWithSecrets
let server: Server
let receiver: Receiver
let warnings: string[]
let changed: Changed[]

beforeAll(async () => {
  service = await startService()
  // The receiver refuses what was signed long ago, and the service's clock stands still.
  vi.useFakeTimers({ toFake: ['Date'], now: service.clock.now() })
  server = createServer(async (request, response) => {
    const { status, body } = await receiver.receive(request, request.headers as Record<string, string>)
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(async () => {
  vi.useRealTimers()
  server.close()
  await service.stop()
})
beforeEach(async () => {
  await service.drain()
  client = await newAccount(service)
  const { port } = server.address() as AddressInfo
  site = await client.sites.create({
    name: 'Site',
    url: 'https://example.com',
    webhook_url: `http://127.0.0.1:${port}/`,
  })
  warnings = []
  changed = []
})

const codeOf = ({ id, api_key: key, webhook_secret: secret }: SiteWithSecrets, url = service.url) =>
  connectionCode({ url, site: id, key, secret })
const receive = (store?: Store, more = {}) => {
  receiver = createReceiver({
    connection: codeOf(site),
    ...(store === undefined ? {} : { store }),
    onChange: (one) => void changed.push(one),
    log: (message) => void warnings.push(message),
    ...more,
  })
  return receiver
}
const publish = (title: string) => {
  service.clock.advance(1) // what is listed newest first has instants of its own
  return client.posts.create({ title, body: { markdown: `# ${title}` }, status: 'published' })
}
const shown = async () => (await receiver.posts.list()).posts.map(({ slug }) => slug)
const statusOf = async (postId: string) => (await client.posts.get(postId)).deliveries.map(({ status }) => status)

/** Where the service runs on PostgreSQL, so does a site's store. */
const isPostgres = inject('database').kind === 'postgres'

const STORES: Array<[string, () => Promise<{ store: Store; end(): Promise<void> }>]> = [
  ['memory', async () => ({ store: memoryStore(), end: async () => {} })],
  [
    'PostgreSQL',
    async () => {
      const database = await freshDatabase()
      const pool = new pg.Pool({ connectionString: database.signalsUrl })
      return {
        store: postgresStore(pool),
        async end() {
          await pool.end()
          await database.db.close()
          await database.drop()
        },
      }
    },
  ],
]

describe.each(STORES.filter(([name]) => name !== 'PostgreSQL' || isPostgres))('posts kept in %s', (_, make) => {
  let end: () => Promise<void>
  beforeEach(async () => {
    const made = await make()
    receive(made.store)
    end = made.end
  })
  afterEach(() => end())

  it('arrive, change, move and go by webhook', async () => {
    expect(await client.sites.testDelivery(site.id)).toMatchObject({ success: true })
    const one = await publish('One')
    const two = await publish('Two')
    await service.drain()
    expect(await shown()).toEqual(['two', 'one'])
    await client.posts.update(one.id, { slug: 'moved', title: 'Moved' })
    await service.drain()
    expect(await receiver.posts.find('one')).toMatchObject({ slug: 'moved', title: 'Moved', previous_slugs: ['one'] })
    await client.posts.delete(one.id)
    await service.drain()
    expect(await receiver.posts.find('moved')).toBeUndefined()
    expect(await shown()).toEqual(['two'])
    expect(changed.at(-1)).toEqual({ id: one.id, slug: 'moved', post: null })
    expect(await receiver.receive('{}', {})).toMatchObject({ status: 401, body: { ok: false } })
    await client.posts.delete(two.id)
    await receiver.catchUp() // the first one, before the webhook
    expect(await shown()).toEqual([])
  })

  it('are fetched when the site comes back, and what was withdrawn meanwhile goes', async () => {
    const posts = [await publish('One'), await publish('Two'), await publish('Three')]
    await receiver.catchUp()
    expect(await shown()).toEqual(['three', 'two', 'one'])
    await client.posts.delete(posts[1]?.id ?? '')
    await receiver.catchUp()
    expect(await shown()).toEqual(['three', 'one'])
    // The cursor is older than what the service remembers: everything comes again, and what does not come is removed.
    await client.posts.delete(posts[0]?.id ?? '')
    const { root } = service.ctx.db
    await sql`update post_changes set removed_at = removed_at - interval '91 days'`.execute(root)
    await forgetTombstones(root, service.clock.now())
    await receiver.catchUp()
    expect(await shown()).toEqual(['three'])
  })
})

it('the catch-up goes on until the service answers, and says where posts are', async () => {
  const one = await publish('One')
  await publish('Two')
  const { port } = server.address() as AddressInfo
  let isDown = true
  receive(memoryStore(), {
    addressOf: ({ slug }: { slug: string }) => (slug === 'one' ? '/blog/one' : 'no address'),
    pull: {
      fetch: (input: string | URL, init?: RequestInit) =>
        isDown ? Promise.reject(new TypeError(`no answer from ${port}`)) : fetch(input, init),
    },
    log: (message: string) => {
      warnings.push(message)
      isDown = false
    },
  })
  await receiver.catchUp()
  expect(warnings).toEqual([expect.stringContaining('again in 2 s')])
  expect(await shown()).toEqual(['two', 'one'])
  expect((await client.deliveries.list({ post_id: one.id })).data).toMatchObject([
    { status: 'delivered', live: { url: 'https://example.com/blog/one' } },
  ])
})

describe('without a store', () => {
  it('pages read the service, a webhook makes what was read out of date, and the last answer outlives the service', async () => {
    let isDown = false
    receive(undefined, {
      pull: {
        fetch: (input: string | URL, init?: RequestInit) =>
          isDown ? Promise.reject(new TypeError('no answer')) : fetch(input, init),
      },
    })
    const answer = await client.sites.testDelivery(site.id)
    expect(answer).toMatchObject({ success: true, store: 'pull' })
    const one = await publish('One')
    await service.drain()
    expect(await shown()).toEqual(['one'])
    expect(await receiver.posts.find('one')).toMatchObject({ title: 'One' })
    await client.posts.update(one.id, { title: 'Changed', slug: 'changed' })
    await service.drain()
    expect(await receiver.posts.find('one')).toMatchObject({ slug: 'changed', title: 'Changed' })
    expect(await receiver.posts.find('nothing')).toBeUndefined()
    isDown = true
    await client.posts.update(one.id, { title: 'Again' })
    await service.drain()
    expect(await receiver.posts.find('one')).toMatchObject({ title: 'Changed' })
    await expect(receiver.posts.find('other')).rejects.toThrow('no answer')
  })

  it('what no webhook told this process is noticed, also after one that was about another post', async () => {
    receive(undefined, { pull: { checkMs: 0 } })
    const one = await publish('One')
    const two = await publish('Two')
    await service.drain()
    expect(await shown()).toEqual(['two', 'one'])
    expect(await receiver.posts.find('two')).toMatchObject({ title: 'Two' })
    await client.posts.update(one.id, { title: 'One, changed' })
    await service.drain()
    await client.posts.update(two.id, { title: 'Two, changed' })
    expect(await receiver.posts.find('two')).toMatchObject({ title: 'Two, changed' })
  })
})

describe.each([
  ['with a store', memoryStore],
  ['without one', () => undefined],
])('a site %s', (_, store) => {
  it('shows previews where it shows posts, once it was tested, and as long as their links work', async () => {
    receive(store())
    await client.sites.update(site.id, { post_url: 'https://example.com/{yyyy}/{slug}/' })
    const { id } = await client.posts.create({ title: 'A draft', body: { markdown: 'Old words.' } })
    expect((await client.posts.previews.create(id)).sites).toEqual([])
    await client.sites.testDelivery(site.id)
    expect((await client.sites.get(site.id)).last_test).toMatchObject({ ok: true, previews: true })
    const { id: previewId, sites } = await client.posts.previews.create(id)
    expect(sites).toEqual([{ site_id: site.id, name: 'Site', url: expect.any(String) }])
    const [, slug = ''] = /^https:\/\/example\.com\/2026\/(preview-[\w-]{43})\/$/.exec(sites[0]?.url ?? '') ?? []
    expect(await receiver.posts.find(slug)).toMatchObject({ id, slug, title: 'A draft' })
    await client.posts.update(id, { title: 'Changed' })
    expect(await receiver.posts.find(slug)).toMatchObject({ slug, title: 'Changed' })
    expect(await shown()).toEqual([])
    await client.posts.previews.revoke(id, previewId)
    expect(await receiver.posts.find(slug)).toBeUndefined()
    expect(await receiver.posts.find(`preview-${'x'.repeat(43)}`)).toBeUndefined()
    const alike = await client.posts.create({
      title: 'x',
      slug: 'preview-what-is-coming-in-our-spring-collection-202',
      status: 'published',
    })
    await service.drain()
    expect(await receiver.posts.find(alike.slug)).toMatchObject({ id: alike.id })
    const other = await client.posts.create({ title: 'For nobody', site_ids: [] })
    expect((await client.posts.previews.create(other.id)).sites).toEqual([])
  })
})

describe('what is wrong is said', () => {
  it('without a connection code, with one that is cut off, and with a store that cannot be written', async () => {
    receive(memoryStore(), { connection: '' })
    expect(await receiver.receive('{}', {})).toMatchObject({
      status: 503,
      body: { ok: false, message: expect.stringContaining('POSTRIDER_CONNECTION') },
    })
    receive(memoryStore(), { connection: codeOf(site).slice(0, 40) })
    expect((await receiver.receive('{}', {})).body.message).toContain('incomplete')
    const broken = { ...memoryStore(), write: () => Promise.reject(new Error('EROFS: read-only file system')) }
    receive(broken)
    const answer = await client.sites.testDelivery(site.id)
    expect(answer).toMatchObject({ success: false, response_code: 503 })
    expect(answer.troubleshooting).toMatch(/^The site cannot /)
    const one = await publish('One')
    await service.drain()
    expect(await statusOf(one.id)).toEqual(['pending'])
  })
})

describe('verifying a receiver', () => {
  const states = async (url: string) => {
    const findings = await Array.fromAsync(verifyReceiver({ url, secret: site.webhook_secret }))
    return findings.map(({ what, state }) => `${state} ${what}`)
  }

  it('finds nothing wrong with the SDK’s own', async () => {
    receive(memoryStore())
    const found = await states(site.webhook_url)
    expect(found).toHaveLength(12)
    expect(found.filter((one) => !one.startsWith('good'))).toEqual([])
    expect(await shown()).toEqual([])
  })

  it('says what one gets wrong that answers 200 to everything, and one that answers nothing', async () => {
    const careless = createServer((request, response) => request.resume().on('end', () => response.end()))
    careless.listen(0, '127.0.0.1')
    await once(careless, 'listening')
    const url = `http://127.0.0.1:${(careless.address() as AddressInfo).port}/`
    expect((await states(url)).filter((one) => !one.startsWith('good'))).toEqual([
      'unknown a test',
      'bad a forged signature',
      'bad a request of ten minutes ago',
      'bad more than 8 MiB',
    ])
    careless.close()
    await once(careless, 'close')
    expect(await states(url)).toEqual(['bad the address'])
  })
})
