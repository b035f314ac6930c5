/**
 * Answers of the Pull API that are kept in memory, against a service on the same database that keeps none. Whatever was
 * done, through whichever process: as soon as it was answered, every process answers every site like that one.
 */
import { createClient, createPullClient, type PostriderClient, type SiteWithSecrets } from '@postrider/sdk'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { cases } from '../../scripts/test/cases.ts'
import { type App, createApp } from '../src/app.ts'
import { addDraft, convertBody, postsTx, raiseVersions } from '../src/posts/index.ts'
import { request } from './support/http.ts'
import { createGround, type Ground } from './support/installation.ts'
import { type ServiceProcess, startProcess } from './support/process.ts'
import { randomFrom } from './support/random.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

const RECEIVER = { url: 'http://127.0.0.1:9/' }

let service: TestService
let others: App[]
/** Two services that keep answers, and one that keeps none. */
let keeping: string[]
let forgetting: string
let client: PostriderClient
let sites: SiteWithSecrets[]

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PULL: 'off' })
  const { config, log, db } = service.ctx
  const database = { db: { ...db, close: async () => {} }, maintain: undefined, signalsUrl: undefined }
  others = [
    await createApp(config, { clock: service.clock, log, database }),
    await createApp({ ...config, pullCacheBytes: 0 }, { clock: service.clock, log, database }),
  ]
  const [second = '', third = ''] = await Promise.all(
    others.map(async (app) => `http://127.0.0.1:${(await app.listen()).port}`),
  )
  keeping = [service.url, second]
  forgetting = third
})
beforeEach(async () => {
  client = await newAccount(service)
  sites = [await connectSite(client, RECEIVER, 'One'), await connectSite(client, RECEIVER, 'Two')]
})
afterAll(async () => {
  for (const other of others) await other.stop(0)
  await service.stop()
})

/** What a site gets for a path, without what differs from request to request. */
async function pulled(url: string, path: string, key: string): Promise<object> {
  const { status, json, headers } = await request(url + path, { headers: { 'x-api-key': key } })
  return { path, status, json, tag: headers.get('etag') }
}

async function expectTheSameEverywhere(paths: readonly string[]): Promise<void> {
  for (const { api_key: key } of sites) {
    const fresh = await Promise.all(paths.map((path) => pulled(forgetting, path, key)))
    for (const url of keeping) expect(await Promise.all(paths.map((path) => pulled(url, path, key)))).toEqual(fresh)
  }
}

const LISTS = ['/api/pull/posts', '/api/pull/posts?limit=1&page=2', '/api/pull/posts?tag=even']
const SLUGS = ['hello', 'hello-2', 'other', 'third']
const PATHS = [...LISTS, ...SLUGS.map((slug) => `/api/pull/posts/${slug}`)]

describe('kept answers', () => {
  it('are used: what changes behind the back of the service is not seen', async () => {
    const post = await client.posts.create({ title: 'Hello', status: 'published' })
    const seen = () =>
      Promise.all(['', '/hello'].map((rest) => pulled(service.url, `/api/pull/posts${rest}`, sites[0]?.api_key ?? '')))
    const before = await seen()
    await sql`update posts set excerpt = 'changed' where id = ${post.id}`.execute(service.ctx.db.root)
    expect(await seen()).toEqual(before)
    await client.posts.update(post.id, { tags: ['seen'] })
    expect(JSON.stringify(await seen())).toContain('changed')
  })

  it.each(Array.from({ length: cases(3) }, (_, index) => index + 1))(
    'are those of a service that keeps none, whatever happens (seed %i)',
    async (seed) => {
      const random = randomFrom(seed)
      const pick = (items: readonly string[]) => items[Math.floor(random() * items.length)] ?? 'none'
      const ids: string[] = []
      const done: string[] = []
      const actions: Record<string, () => Promise<unknown>> = {
        create: async () => {
          const title = pick(['Hello', 'Other', 'Third'])
          const tags = random() < 0.5 ? ['even'] : []
          const { id } = await client.posts.create({ title, tags, status: random() < 0.5 ? 'draft' : 'published' })
          ids.push(id)
        },
        publish: () => client.posts.publish(pick(ids)),
        publishToOne: () => client.posts.publish(pick(ids), [pick(sites.map(({ id }) => id))]),
        change: () => client.posts.update(pick(ids), { excerpt: `at ${done.length}` }),
        retag: () => client.posts.update(pick(ids), { tags: random() < 0.5 ? ['even'] : [] }),
        move: () => client.posts.update(pick(ids), { slug: pick(SLUGS) }),
        unpublish: () => client.posts.update(pick(ids), { status: 'draft' }),
        schedule: async () => {
          const at = new Date(service.clock.now().getTime() + 60_000).toISOString()
          await client.posts.update(pick(ids), { status: 'scheduled', scheduled_at: at })
          await service.advance(60_000)
        },
        remove: async () => {
          const id = pick(ids)
          await client.posts.delete(id)
          ids.splice(ids.indexOf(id), 1)
        },
      }
      await actions.create?.()
      for (let step = 0; step < 30; step += 1) {
        service.clock.advance(1_000)
        const name = pick(Object.keys(actions))
        // A slug may be taken, a published post cannot be scheduled: refused is fine, it must only look so everywhere.
        await actions[name]?.().catch((error) => expect([400, 404, 409]).toContain(error.status))
        done.push(name)
        await expectTheSameEverywhere(PATHS)
      }
      expect(new Set(done).size).toBeGreaterThan(5)
    },
  )

  it('are never older than what was answered before they were asked for', async () => {
    const post = await client.posts.create({ title: 'Hello', excerpt: '0', status: 'published' })
    const key = sites[0]?.api_key ?? ''
    let answered = 0
    let changing = true
    let reads = 0
    const reader = async (url: string, path: string) => {
      for (let last = 0; changing; reads += 1) {
        const known = answered
        const text = JSON.stringify(await pulled(url, path, key))
        const seen = Number(/"excerpt":"(\d+)"/.exec(text)?.[1])
        expect(seen).toBeGreaterThanOrEqual(Math.max(known, last))
        last = seen
      }
    }
    const readers = keeping.flatMap((url) => [
      reader(url, '/api/pull/posts'),
      reader(url, '/api/pull/posts/hello'),
      reader(url, '/api/pull/posts/hello'),
    ])
    for (let change = 1; change <= 40; change += 1) {
      await client.posts.update(post.id, { excerpt: String(change) })
      answered = change
    }
    changing = false
    await Promise.all(readers)
    expect(reads).toBeGreaterThan(40)
  })

  it('end with every change that a site may see', async () => {
    const { ctx, clock } = service
    const accountId = (await client.account()).user.id
    const { id } = await client.posts.create({ title: 'Hello' })
    const bulk = (change: 'publish' | 'unpublish' | 'delete') => () => client.posts.bulk({ action: change, ids: [id] })
    const takeSlug = async (slug: string) => {
      const draft = { title: 'A', slug, excerpt: '', meta: {}, tags: [], body: convertBody({ markdown: 'Text.' }) }
      await ctx.db.tx((tx) => addDraft(ctx, tx, accountId, draft, clock.now()))
    }
    let unsent = ''
    const changes: Record<string, () => Promise<unknown>> = {
      publishedToOne: () => client.posts.publish(id, [sites[0]?.id ?? '']),
      publishedToAnother: () => client.posts.publish(id, [sites[1]?.id ?? '']),
      withdrawn: () => client.posts.update(id, { status: 'draft' }),
      publishedToOneAgain: () => client.posts.publish(id, [sites[0]?.id ?? '']),
      publishedToAll: () => client.posts.publish(id),
      changed: () => client.posts.update(id, { excerpt: 'Changed' }),
      bodyChanged: () => client.posts.update(id, { body: { markdown: 'Changed' } }),
      retagged: () => client.posts.bulk({ action: 'tag', ids: [id], tag: 'even' }),
      untagged: () => client.posts.bulk({ action: 'untag', ids: [id], tag: 'even' }),
      moved: () => client.posts.update(id, { slug: 'other' }),
      formerSlugTaken: () => client.posts.create({ title: 'Hello' }),
      movedAgain: () => client.posts.update(id, { slug: 'third' }),
      formerSlugTakenByDraft: () => takeSlug('other'),
      versionsRaised: () => postsTx(ctx.db, (tx) => raiseVersions(tx, clock.now())),
      unpublished: () => client.posts.update(id, { status: 'draft' }),
      published: () => client.posts.update(id, { status: 'published' }),
      unpublishedWithOthers: bulk('unpublish'),
      publishedWithOthers: bulk('publish'),
      scheduled: async () => {
        await client.posts.update(id, { status: 'draft' })
        const at = new Date(clock.now().getTime() + 60_000).toISOString()
        await client.posts.update(id, { status: 'scheduled', scheduled_at: at })
        await expectTheSameEverywhere(PATHS)
        await service.advance(60_000)
      },
      removed: () => client.posts.delete(id),
      createdWhilePaused: async () => {
        for (const site of sites) await client.sites.update(site.id, { status: 'inactive' })
        unsent = (await client.posts.create({ title: 'Hello', status: 'published' })).id
      },
      removedUnsent: () => client.posts.delete(unsent),
    }
    const shown = () =>
      Promise.all(sites.flatMap(({ api_key: key }) => PATHS.map((path) => pulled(forgetting, path, key))))
    for (const [name, change] of Object.entries(changes)) {
      clock.advance(1_000)
      const before = await shown()
      await change()
      expect(await shown(), name).not.toEqual(before)
      await expectTheSameEverywhere(PATHS)
    }
  })

  it('lose the slugs that a post had before, when a draft takes one over', async () => {
    const post = await client.posts.create({ title: 'Hello', status: 'published' })
    await client.posts.update(post.id, { slug: 'other' })
    await expectTheSameEverywhere(PATHS)
    expect(await pulled(service.url, '/api/pull/posts/other', sites[0]?.api_key ?? '')).toMatchObject({
      json: { previous_slugs: ['hello'] },
    })
    await client.posts.create({ title: 'Hello' })
    await expectTheSameEverywhere(PATHS)
    const after = await pulled(service.url, '/api/pull/posts/other', sites[0]?.api_key ?? '')
    expect(after).not.toHaveProperty('json.previous_slugs')
  })

  it('are of one site: another one of the same account may see other posts', async () => {
    const [one, two] = sites
    const post = await client.posts.create({ title: 'Hello' })
    await client.posts.publish(post.id, [one?.id ?? ''])
    await expectTheSameEverywhere(PATHS)
    for (const url of keeping) {
      expect(await pulled(url, '/api/pull/posts', one?.api_key ?? '')).toMatchObject({ json: { total: 1 } })
      expect(await pulled(url, '/api/pull/posts', two?.api_key ?? '')).toMatchObject({ json: { total: 0 } })
      expect(await pulled(url, '/api/pull/posts/hello', two?.api_key ?? '')).toMatchObject({ status: 404 })
    }
    await client.posts.publish(post.id)
    await expectTheSameEverywhere(PATHS)
    expect(await pulled(service.url, '/api/pull/posts', two?.api_key ?? '')).toMatchObject({ json: { total: 1 } })
    // Naming a site of a post that all may see must not count it twice.
    await client.posts.publish(post.id, [one?.id ?? ''])
    expect(await pulled(service.url, '/api/pull/posts', one?.api_key ?? '')).toMatchObject({
      json: { total: 1, posts: [{ slug: 'hello' }] },
    })
  })

  it('end with the key and with the site', async () => {
    const [one, two] = sites
    await client.posts.create({ title: 'Hello', status: 'published' })
    const statuses = (key = '') =>
      Promise.all(
        keeping.map(async (url) => (await request(`${url}/api/pull/posts`, { headers: { 'x-api-key': key } })).status),
      )
    expect(await statuses(one?.api_key)).toEqual([200, 200])
    const { new_api_key } = await client.sites.rotateKeys(one?.id ?? '')
    expect([await statuses(one?.api_key), await statuses(new_api_key)]).toEqual([
      [401, 401],
      [200, 200],
    ])
    expect(await statuses(two?.api_key)).toEqual([200, 200])
    await client.sites.delete(two?.id ?? '')
    expect(await statuses(two?.api_key)).toEqual([401, 401])
  })

  it('are not taken for what a database that has lost its last commits says now', async () => {
    const key = sites[0]?.api_key ?? ''
    const titles = async () => JSON.stringify(await pulled(service.url, '/api/pull/posts', key))
    const { db } = service.ctx
    const { user } = await client.account()
    const revision = sql<{ revision: number }>`select revision from catalogs where account_id = ${user.id}`
    await client.posts.create({ title: 'Before', status: 'published' })
    const before = (await revision.execute(db.root)).rows[0]?.revision
    const lost = await client.posts.create({ title: 'Lost', status: 'published' })
    expect(await titles()).toContain('Lost')
    // A standby takes over that has not got the last commit.
    await db.tx(async (tx) => {
      await sql`update posts set status = 'draft', published_at = null, visible_to_all = false where id = ${lost.id}`.execute(
        tx,
      )
      await sql`update catalogs set revision = ${before} where account_id = ${user.id}`.execute(tx)
    })
    await client.posts.create({ title: 'After', status: 'published' })
    expect(await titles()).toContain('After')
    expect(await titles()).not.toContain('Lost')
  })

  it('give way when the memory for them is full', async () => {
    const { config, log, db } = service.ctx
    const database = { db: { ...db, close: async () => {} }, maintain: undefined, signalsUrl: undefined }
    const small = await createApp({ ...config, pullCacheBytes: 4_096 }, { clock: service.clock, log, database })
    const url = `http://127.0.0.1:${(await small.listen()).port}`
    await client.posts.create({ title: 'Hello', body: { markdown: 'word '.repeat(2_000) }, status: 'published' })
    for (let page = 1; page <= 30; page += 1) {
      const path = `/api/pull/posts?page=${page}`
      const key = sites[0]?.api_key ?? ''
      expect(await pulled(url, path, key)).toEqual(await pulled(forgetting, path, key))
      expect(await pulled(url, '/api/pull/posts/hello', key)).toMatchObject({ status: 200 })
    }
    await small.stop(0)
  })

  it('pages far back are like those in front', async () => {
    const posts = 112
    for (let index = 0; index < posts; index += 1) {
      service.clock.advance(1_000)
      await client.posts.create({ title: `Post ${index}`, status: 'published' })
    }
    const rows = await sql<{ slug: string }>`
      select slug from posts where account_id = (select account_id from sites where id = ${sites[0]?.id})
      order by published_at desc, id desc
    `.execute(service.ctx.db.root)
    for (const page of [3, 22]) {
      expect(await pulled(service.url, `/api/pull/posts?limit=5&page=${page}`, sites[0]?.api_key ?? '')).toMatchObject({
        json: { total: posts, pages: 23, posts: rows.rows.slice(5 * (page - 1), 5 * page) },
      })
    }
    expect(
      await pulled(service.url, '/api/pull/posts?limit=100&page=999999999', sites[0]?.api_key ?? ''),
    ).toMatchObject({
      status: 200,
      json: { total: posts, posts: [] },
    })
  })
})

describe.runIf(inject('database').kind === 'postgres')('two processes', () => {
  let ground: Ground
  let processes: ServiceProcess[]
  const env = { RATE_LIMIT_PULL: '1000/h' }

  beforeAll(async () => {
    ground = await createGround()
    const shared = await ground.emptyEnv('postgres', env)
    processes = [await startProcess(shared), await startProcess(shared)]
  })
  afterAll(async () => {
    for (const one of processes) await one.end('SIGTERM')
    await ground.remove()
  })

  it('show every change at once, and count as one', async () => {
    const urls = processes.map(({ url }) => url)
    const [first = '', second = ''] = urls
    const owner = createClient({ baseUrl: first })
    const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
    const { token } = await owner.auth.register(person)
    const site = await connectSite(owner, RECEIVER)
    const fromSecond = createClient({ baseUrl: second, token })
    const titles = () =>
      Promise.all(
        urls.map(async (baseUrl) =>
          (await createPullClient({ baseUrl, apiKey: site.api_key }).list()).posts.map(({ title }) => title),
        ),
      )
    expect(await titles()).toEqual([[], []])
    const { id } = await owner.posts.create({ title: 'Hello', status: 'published' })
    expect(await titles()).toEqual([['Hello'], ['Hello']])
    await fromSecond.posts.update(id, { title: 'Changed' })
    expect(await titles()).toEqual([['Changed'], ['Changed']])
    await owner.posts.update(id, { status: 'draft' })
    expect(await titles()).toEqual([[], []])
    await fromSecond.posts.publish(id, [site.id])
    expect(await titles()).toEqual([['Changed'], ['Changed']])
    await owner.posts.delete(id)
    expect(await titles()).toEqual([[], []])
    const { headers } = await request(`${second}/api/pull/posts`, { headers: { 'x-api-key': site.api_key } })
    expect(headers.get('ratelimit-remaining')).toBe(String(1_000 - 13))
  })
})
