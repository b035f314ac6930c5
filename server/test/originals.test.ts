/** One post on several sites, one of which has the original: what the others are told of its address, when, and what that costs. */
import {
  type CreatePost,
  createPullClient,
  type PostriderClient,
  type SiteWithSecrets,
  type UpdateSite,
} from '@postrider/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { abandonJobsOf, leaseJobs } from '../src/platform/jobs/queue.ts'
import { originalJobs } from '../src/posts/index.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { newAccount, startService, type TestService } from './support/service.ts'

const NAMES = ['a', 'b', 'c'] as const
type Name = (typeof NAMES)[number]

let service: TestService
let receivers: Record<Name, Receiver>
let client: PostriderClient
let sites: Record<Name, SiteWithSecrets>

beforeAll(async () => {
  service = await startService()
  receivers = { a: await startReceiver(), b: await startReceiver(), c: await startReceiver() }
})
beforeEach(async () => {
  await drain()
  client = await newAccount(service)
  const connect = (name: Name) =>
    client.sites.create({ name, url: `https://${name}.example.com`, webhook_url: receivers[name].url })
  sites = { a: await connect('a'), b: await connect('b'), c: await connect('c') }
  for (const name of NAMES) {
    receivers[name].forgetAnswers()
    receivers[name].answerUsually(200)
    receivers[name].received.length = 0
  }
})
afterAll(async () => {
  for (const name of NAMES) await receivers[name].close()
  await service.stop()
})

/** What was delivered may cause a job, which causes deliveries. */
async function drain(): Promise<void> {
  for (let times = 0; times < 3; times += 1) await service.drain()
}

type Webhook = {
  event: string
  previous_version?: number
  post: { id: string; version: number; meta: { canonical_url?: string } }
}
/** What arrived since the last call, with the address that it named: `a:updated https://…`. */
async function arrived(): Promise<string[]> {
  await drain()
  return NAMES.flatMap((name) =>
    receivers[name].received.splice(0).map(({ json }) => {
      const { event, post } = json as Webhook
      return `${name}:${event.slice('post.'.length)} ${post.meta?.canonical_url ?? '-'}`
    }),
  )
}
const original = (given: Partial<CreatePost> = {}) =>
  client.posts.create({ title: 'Rye bread', status: 'published', primary_site_id: sites.a.id, ...given })
const setSite = (name: Name, change: UpdateSite) => client.sites.update(sites[name].id, change)
const pattern = (name: Name) => setSite(name, { post_url: `https://${name}.example.com/{slug}` })
const address = (name: Name, slug = 'rye-bread') => `https://${name}.example.com/${slug}`
/** The site answers with this address whenever it is sent something. */
const says = (name: Name, url: () => string) =>
  receivers[name].answerUsually((_, response) => response.end(JSON.stringify({ url: url() })))
const pullOf = (name: Name) => createPullClient({ baseUrl: service.url, apiKey: sites[name].api_key })
/** What a site is given by pulling in each of the three ways. */
async function pulled(name: Name, slug = 'rye-bread'): Promise<Array<string | undefined>> {
  const pull = pullOf(name)
  const headers = { 'X-API-Key': sites[name].api_key }
  const list = await (await fetch(`${service.url}/api/pull/posts?include=body`, { headers })).json()
  const [change] = (await pull.changes({ include: 'body' })).changes
  return [await pull.get(slug), (list as { posts: Array<Webhook['post']> }).posts[0], change?.post].map(
    (post) => post?.meta.canonical_url,
  )
}
const thrice = <Value>(value: Value) => [value, value, value]

describe('a post with an original', () => {
  it('names its address to every site, by webhook and by pulling; a site may name its own', async () => {
    await pattern('a')
    await setSite('c', { post_url: 'https://c.example.com/{slug}', canonical: 'own' })
    const { id, version, primary_site_id } = await original()
    expect(primary_site_id).toBe(sites.a.id)
    expect(await arrived()).toEqual([
      `a:published ${address('a')}`,
      `b:published ${address('a')}`,
      `c:published ${address('c')}`,
    ])
    expect(await pulled('b')).toEqual(thrice(address('a')))
    expect(await pulled('c')).toEqual(thrice(address('c')))
    const { deliveries } = await client.posts.get(id)
    expect(deliveries.map(({ status }) => status)).toEqual(thrice('delivered'))
    await client.posts.update(id, { title: 'Rye' })
    expect(await arrived()).toEqual([
      `a:updated ${address('a')}`,
      `b:updated ${address('a')}`,
      `c:updated ${address('c')}`,
    ])
    expect((await client.posts.get(id)).version).toBe(version + 1)
  })

  it('leaves what its author gave as it is', async () => {
    await pattern('a')
    const canonical_url = 'https://ada.example.com/rye'
    const { id } = await original({ meta: { canonical_url } })
    expect(await arrived()).toEqual(NAMES.map((name) => `${name}:published ${canonical_url}`))
    expect(await pulled('b')).toEqual(thrice(canonical_url))
    await client.posts.update(id, { primary_site_id: sites.b.id })
    expect(await arrived()).toEqual([])
    await client.posts.update(id, { meta: { canonical_url: null } })
    expect(await arrived()).toEqual(NAMES.map((name) => `${name}:updated -`))
  })

  it('gets it while many are published, unless it has another one', async () => {
    await pattern('a')
    await pattern('b')
    const draft = await client.posts.create({ title: 'Draft' })
    const out = await client.posts.create({ title: 'Out', status: 'published' })
    const other = await client.posts.create({ title: 'Other', primary_site_id: sites.b.id })
    await arrived()
    const ids = [draft.id, out.id, other.id]
    await client.posts.bulk({ action: 'publish', ids, primary_site_id: sites.a.id })
    const each = (event: string, url: string) => NAMES.map((name) => `${name}:${event} ${url}`)
    expect((await arrived()).sort()).toEqual(
      [
        ...each('published', address('a', 'draft')),
        ...each('updated', address('a', 'out')),
        ...each('published', address('b', 'other')),
      ].sort(),
    )
    const originals = await Promise.all(ids.map(async (id) => (await client.posts.get(id)).primary_site_id))
    expect(originals).toEqual([sites.a.id, sites.a.id, sites.b.id])
    expect((await client.posts.get(out.id)).version).toBe(out.version)
    const { id } = await client.posts.create({ title: 'Few' })
    const site_ids = [sites.a.id, sites.c.id]
    await client.posts.bulk({ action: 'publish', ids: [id], site_ids, primary_site_id: sites.a.id })
    expect(await arrived()).toEqual([`a:published ${address('a', 'few')}`, `c:published ${address('a', 'few')}`])
    await expect(
      client.posts.bulk({ action: 'unpublish', ids: [id], primary_site_id: sites.a.id }),
    ).rejects.toMatchObject({ status: 400, field: 'primary_site_id' })
  })

  it('is for a site of the account', async () => {
    const other = await newAccount(service)
    const { id: strange } = await other.sites.create({
      name: 'x',
      url: 'https://x.example.com',
      webhook_url: receivers.a.url,
    })
    const refused = { code: 'validation_error', field: 'primary_site_id' }
    for (const primary_site_id of [strange, 'nonsense', '']) {
      await expect(client.posts.create({ title: 'Post', primary_site_id })).rejects.toMatchObject(refused)
      await expect(client.updateAccount({ primary_site_id })).rejects.toMatchObject(refused)
    }
    const { id } = await client.posts.create({ title: 'Post' })
    await expect(client.posts.update(id, { primary_site_id: strange })).rejects.toMatchObject(refused)
    expect(await client.posts.update(id, { primary_site_id: sites.a.id.toUpperCase() })).toMatchObject({
      primary_site_id: sites.a.id,
      version: 2,
    })
  })

  it('is every new post that says nothing else, if the account says so', async () => {
    const before = await client.posts.create({ title: 'Before' })
    expect(await client.updateAccount({ primary_site_id: sites.b.id })).toMatchObject({ primary_site_id: sites.b.id })
    expect(await client.account()).toMatchObject({ primary_site_id: sites.b.id })
    const created = [
      await client.posts.create({ title: 'One' }),
      await client.posts.create({ title: 'Two', primary_site_id: null }),
      await client.posts.create({ title: 'Three', primary_site_id: sites.c.id }),
    ]
    expect(created.map((post) => post.primary_site_id)).toEqual([sites.b.id, null, sites.c.id])
    expect((await client.posts.get(before.id)).primary_site_id).toBeNull()
    await client.updateAccount({ primary_site_id: null })
    expect((await client.posts.create({ title: 'Four' })).primary_site_id).toBeNull()
  })
})

describe('a post without an original', () => {
  it('is sent as its author wrote it, whatever the sites say of their addresses', async () => {
    await pattern('a')
    await setSite('b', { post_url: 'https://b.example.com/{slug}', canonical: 'own' })
    says('a', () => address('a'))
    const { id } = await original({ primary_site_id: null, meta: { title: 'Rye' } })
    await drain()
    const metas = NAMES.flatMap((name) => receivers[name].received.map(({ json }) => (json as Webhook).post.meta))
    expect(metas).toEqual(thrice({ title: 'Rye' }))
    await setSite('a', { post_url: 'https://a.example.com/posts/{slug}' })
    await client.posts.update(id, { excerpt: 'New' })
    await drain()
    expect(NAMES.map((name) => receivers[name].received.splice(0).length)).toEqual(thrice(2))
    expect(await pulled('b')).toEqual(thrice(undefined))
  })
})

describe('the address of an original', () => {
  it('is sent to the others once its site has said it, once, and without another version', async () => {
    says('a', () => address('a', 'posts/rye'))
    const { id, version } = await original()
    await drain()
    const later = receivers.b.received.map(({ json }) => json as Webhook)
    expect(later).toMatchObject([
      { event: 'post.published', post: { version } },
      {
        event: 'post.updated',
        previous_version: version,
        post: { version, meta: { canonical_url: address('a', 'posts/rye') } },
      },
    ])
    expect(await arrived()).toEqual([
      'a:published -',
      ...['b', 'c'].flatMap((name) => [`${name}:published -`, `${name}:updated ${address('a', 'posts/rye')}`]),
    ])
    expect(await pulled('b')).toEqual(thrice(address('a', 'posts/rye')))
    await client.posts.publish(id)
    expect(await arrived()).toEqual(NAMES.map((name) => `${name}:updated ${address('a', 'posts/rye')}`))
    expect((await client.posts.get(id)).version).toBe(version)
  })

  it('may come with a confirmation', async () => {
    const { id } = await original()
    expect(await arrived()).toEqual(NAMES.map((name) => `${name}:published -`))
    await pullOf('a').confirm(id, sites.a.id, 'delivered', { published_url: address('a') })
    expect(await arrived()).toEqual(['b', 'c'].map((name) => `${name}:updated ${address('a')}`))
  })

  it('replaces what its pattern says, for its site too', async () => {
    await pattern('a')
    says('a', () => address('a', '2026/rye'))
    await original()
    expect(await arrived()).toEqual(
      NAMES.flatMap((name) => [`${name}:published ${address('a')}`, `${name}:updated ${address('a', '2026/rye')}`]),
    )
  })

  it('does not go round in circles with a site that names another one in each answer', async () => {
    const answers = { a: 0, c: 0 }
    const another = (name: 'a' | 'c') => says(name, () => address(name, `rye-${++answers[name]}`))
    await pattern('a')
    await setSite('c', { canonical: 'own' })
    another('a')
    another('c')
    const { id } = await original()
    expect(await arrived()).toEqual([
      `a:published ${address('a')}`,
      `a:updated ${address('a', 'rye-1')}`,
      `b:published ${address('a')}`,
      `b:updated ${address('a', 'rye-1')}`,
      `b:updated ${address('a', 'rye-2')}`,
      'c:published -',
    ])
    await setSite('b', { post_url: 'https://b.example.com/{slug}' })
    await client.posts.update(id, { excerpt: 'New' })
    await drain()
    expect(answers).toEqual({ a: 4, c: 3 })
  })

  it('counts for the slug at which it was said', async () => {
    let slug = 'rye-bread'
    says('a', () => address('a', slug))
    const { id } = await original()
    await arrived()
    slug = 'rye'
    receivers.a.answerUsually(503)
    await client.posts.update(id, { slug: 'rye' })
    expect(await arrived()).toEqual(NAMES.map((name) => `${name}:updated -`))
    says('a', () => address('a', slug))
    await service.advance(30_000)
    expect(await arrived()).toEqual([
      'a:updated -',
      ...['b', 'c'].map((name) => `${name}:updated ${address('a', 'rye')}`),
    ])
  })

  it('is not that of an earlier slug, even if the post had no original meanwhile', async () => {
    says('a', () => address('a', 'rye-bread'))
    const { id } = await original()
    await arrived()
    receivers.a.answerUsually(200)
    await client.posts.update(id, { primary_site_id: null })
    service.clock.advance(1_000)
    await client.posts.update(id, { slug: 'rye' })
    await arrived()
    await client.posts.update(id, { primary_site_id: sites.a.id })
    expect(await arrived()).toEqual([])
    expect(await pulled('b', 'rye')).toEqual(thrice(undefined))
  })

  it('is nobody’s while the post is not for its site', async () => {
    await pattern('a')
    const { id } = await original({ site_ids: [sites.b.id, sites.c.id] })
    expect(await arrived()).toEqual(['b:published -', 'c:published -'])
    await client.posts.publish(id, [sites.a.id])
    expect(await arrived()).toEqual([
      `a:published ${address('a')}`,
      ...['b', 'c'].map((name) => `${name}:updated ${address('a')}`),
    ])
    await client.posts.update(id, { site_ids: [sites.b.id, sites.c.id] })
    expect(await arrived()).toEqual(['a:deleted -', 'b:updated -', 'c:updated -'])
    await client.posts.update(id, { site_ids: [sites.a.id, sites.b.id] })
    expect(await arrived()).toEqual([`a:published ${address('a')}`, `b:updated ${address('a')}`, 'c:deleted -'])
    await client.posts.update(id, { primary_site_id: sites.b.id, site_ids: null })
    expect(await arrived()).toEqual(['a:updated -', 'b:updated -', 'c:published -'])
  })
})

describe('a change of what the address follows from', () => {
  it('of the original is sent to the sites that were told of the one before, and to them alone', async () => {
    await pattern('a')
    await pattern('b')
    await setSite('c', { post_url: 'https://c.example.com/{slug}', canonical: 'own' })
    const { id, version } = await original({ primary_site_id: null })
    await arrived()
    expect(await client.posts.update(id, { primary_site_id: sites.a.id })).toMatchObject({
      version,
      primary_site_id: sites.a.id,
    })
    expect(await arrived()).toEqual([
      `a:updated ${address('a')}`,
      `b:updated ${address('a')}`,
      `c:updated ${address('c')}`,
    ])
    await client.posts.update(id, { primary_site_id: sites.b.id })
    expect(await arrived()).toEqual([`a:updated ${address('b')}`, `b:updated ${address('b')}`])
    expect(await pulled('a')).toEqual(thrice(address('b')))
    await client.posts.update(id, { primary_site_id: sites.b.id })
    expect(await arrived()).toEqual([])
    await client.posts.update(id, { primary_site_id: null })
    expect(await arrived()).toEqual(NAMES.map((name) => `${name}:updated -`))
    expect((await client.posts.get(id)).version).toBe(version)
  })

  it('takes over what the new original has said before', async () => {
    says('b', () => address('b', 'rye'))
    const { id } = await original({ primary_site_id: null })
    await arrived()
    await client.posts.update(id, { primary_site_id: sites.b.id, excerpt: 'New' })
    expect(await arrived()).toEqual(NAMES.map((name) => `${name}:updated ${address('b', 'rye')}`))
  })

  it('of a pattern, or of whose address a site names, reaches every post, and sends only what changes', async () => {
    const titles = Array.from({ length: 45 }, (_, index) => `Post ${index}`)
    for (const title of titles) await original({ title })
    await original({ title: 'By its author', meta: { canonical_url: 'https://ada.example.com/' } })
    const draft = await original({ title: 'A draft', status: 'draft' })
    expect(await arrived()).toHaveLength(3 * 46)
    await setSite('a', { name: 'Renamed' })
    expect(await arrived()).toEqual([])
    await pattern('a')
    const first = await arrived()
    expect(first).toHaveLength(3 * 45)
    expect(new Set(first)).toEqual(
      new Set(titles.flatMap((_, index) => NAMES.map((name) => `${name}:updated ${address('a', `post-${index}`)}`))),
    )
    await setSite('c', { post_url: 'https://c.example.com/{id}', canonical: 'own' })
    const second = await arrived()
    expect(second).toHaveLength(45)
    expect(second.every((one) => one.startsWith('c:updated https://c.example.com/'))).toBe(true)
    await setSite('b', { post_url: 'https://b.example.com/{id}' })
    expect(await arrived()).toEqual([])
    expect((await client.posts.get(draft.id)).version).toBe(1)
  })

  it('reaches a site that only pulls', async () => {
    await pattern('a')
    await setSite('c', { post_url: 'https://c.example.com/{slug}', canonical: 'own', status: 'inactive' })
    await original()
    expect(await arrived()).toEqual(['a', 'b'].map((name) => `${name}:published ${address('a')}`))
    expect(await pulled('c')).toEqual(thrice(address('c')))
    const { cursor } = await pullOf('c').changes({})
    await setSite('c', { post_url: 'https://c.example.com/posts/{slug}' })
    expect(await arrived()).toEqual([])
    expect(await pulled('c')).toEqual(thrice(address('c', 'posts/rye-bread')))
    expect((await pullOf('c').changes({ cursor })).changes).toMatchObject([{ event: 'updated', slug: 'rye-bread' }])
    await setSite('c', { canonical: 'primary' })
    await drain()
    expect(await pulled('c')).toEqual(thrice(address('a')))
  })

  it('goes on where it was when its process ended in the middle of it', async () => {
    for (let index = 0; index < 45; index += 1) await original({ title: `Post ${index}` })
    await arrived()
    await pattern('a')
    const { ctx } = service
    const kind = originalJobs(ctx).find(({ name }) => name === 'site-addresses')
    if (kind === undefined) throw new Error('there is no such kind of job')
    const wanted = { kind: kind.name, limit: 1, perAccount: 1, held: [], ms: 60_000 }
    const [job] = await ctx.db.tx((tx) => leaseJobs(tx, { clock: ctx.clock, workerId: 'one that dies' }, wanted))
    if (job === undefined) throw new Error('there is no job')
    const ending = new AbortController()
    ctx.db.observe((text) => {
      if (text.includes('"progress"')) ending.abort(new Error('the process ends'))
    })
    const signals = { stopping: ending.signal, now: new AbortController().signal }
    await expect(kind.run(job, signals)).rejects.toThrow('the process ends')
    ctx.db.observe(() => {})
    await service.drain() // the lease of the one that died lasts
    const sofar = await arrived()
    expect(sofar).toHaveLength(3 * 20)
    await abandonJobsOf(ctx.db.root, ['one that dies'])
    const rest = await arrived()
    expect(rest).toHaveLength(3 * 25)
    expect(new Set([...sofar, ...rest]).size).toBe(3 * 45)
  })

  it('is that the site of the original is disconnected: then there is none, and no default', async () => {
    await pattern('a')
    await client.updateAccount({ primary_site_id: sites.a.id })
    const { id, version } = await original()
    const draft = await original({ title: 'A draft', status: 'draft' })
    await arrived()
    await client.sites.delete(sites.a.id)
    expect(await arrived()).toEqual(['b:updated -', 'c:updated -'])
    for (const one of [id, draft.id])
      expect(await client.posts.get(one)).toMatchObject({ primary_site_id: null, version })
    expect((await client.account()).primary_site_id).toBeNull()
    expect(await pulled('b')).toEqual(thrice(undefined))
  })
})

describe('why a site names an address', () => {
  it('is explained for each of the sites that a post is for', async () => {
    await setSite('c', { canonical: 'own' })
    const { id } = await original({ status: 'draft', site_ids: [sites.b.id, sites.c.id] })
    const explained = async () =>
      Object.fromEntries(
        (await client.posts.canonical(id)).sites.map(({ site_id, canonical_url, source, problem }) => [
          NAMES.find((name) => sites[name].id === site_id),
          [source, canonical_url, problem],
        ]),
      )
    expect(await explained()).toEqual({
      b: ['unknown', null, expect.stringContaining('not for the site that has its original')],
      c: ['unknown', null, expect.stringContaining('has no post_url')],
    })
    await setSite('a', { post_url: 'https://a.example.com/{yyyy}/{slug}' })
    await setSite('c', { post_url: 'https://c.example.com/{slug}' })
    await client.posts.update(id, { site_ids: null })
    expect(await explained()).toEqual({
      a: ['primary_pattern', address('a', '2026/rye-bread'), null],
      b: ['primary_pattern', address('a', '2026/rye-bread'), null],
      c: ['own_pattern', address('c'), null],
    })
    await client.posts.update(id, { status: 'published' })
    says('a', () => address('a', 'rye'))
    await drain()
    expect((await explained()).b).toEqual(['primary_live', address('a', 'rye'), null])
    await client.posts.update(id, { primary_site_id: null })
    expect((await explained()).c).toEqual(['none', null, null])
    await expect(client.posts.canonical(sites.a.id)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('what an original costs', () => {
  it('is no statement without one, and at most one for each distinct payload with one', async () => {
    await pattern('a')
    await setSite('c', { post_url: 'https://c.example.com/{slug}', canonical: 'own' })
    let statements = 0
    service.ctx.db.observe(() => {
      statements += 1
    })
    const counted = async (id: string, act: () => Promise<unknown>) => {
      statements = 0
      await act()
      await service.ctx.db.root.selectFrom('posts').select('id').where('id', '=', id).execute()
      return statements
    }
    const without = await original({ status: 'draft', primary_site_id: null })
    const having = await original({ status: 'draft', title: 'With one' })
    const before = await counted(without.id, () => client.posts.publish(without.id))
    const after = await counted(having.id, () => client.posts.publish(having.id))
    expect(after).toBe(before)
    const edited = await counted(without.id, () => client.posts.update(without.id, { excerpt: 'New' }))
    expect(await counted(having.id, () => client.posts.update(having.id, { excerpt: 'New' }))).toBe(edited)
    service.ctx.db.observe(() => {})
  })
})
