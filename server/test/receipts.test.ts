/** Whether a post is live: the pages of real sites are looked at after they have accepted it. */
import { createPullClient, type PostriderClient, type SiteWithSecrets } from '@postrider/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { newAccount, startService, type TestService } from './support/service.ts'
import { html, startWebsite, type WebAnswers, type Website } from './support/websites.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** The looks of the first five minutes. */
const FIRST_LOOKS = [5 * SECOND, 55 * SECOND, 4 * MINUTE]

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

let client: PostriderClient
let hook: Receiver
let web: Website
let chat: Receiver
beforeEach(async () => {
  client = await newAccount(service)
  hook = await startReceiver()
  web = await startWebsite()
  chat = await startReceiver()
  await client.notifications.create({ kind: 'slack', target: chat.url })
  return async () => {
    for (const one of [hook, web, chat]) await one.close()
  }
})

const connect = (more: object = {}): Promise<SiteWithSecrets> =>
  client.sites.create({
    name: 'Kitchen',
    url: web.url,
    webhook_url: hook.url,
    post_url: `${web.url}/blog/{slug}`,
    platform: 'custom',
    verify: true,
    ...more,
  })
const publish = async (title: string) => {
  service.clock.advance(1) // ids are in the order of milliseconds
  const post = await client.posts.create({ title, status: 'published' })
  await service.drain()
  return post
}
/** Lets the first looks happen, and the incidents be noticed. */
const lookFor5Minutes = async () => {
  for (const ms of FIRST_LOOKS) await service.advance(ms)
}
const confirm = ({ api_key: apiKey }: SiteWithSecrets, post_id: string, published_url: string) =>
  createPullClient({ baseUrl: service.url, apiKey }).confirmMany([{ post_id, status: 'delivered', published_url }])
const liveOf = async (postId: string) => (await client.deliveries.list({ post_id: postId })).data[0]?.live
const notLive = async () =>
  (await client.deliveries.list({ not_live: 'true' })).data.map(({ post_title, live }) => [post_title, live.problem])
const said = () => chat.received.map(({ json }) => String(json.text).split('\n')[0])
const pageOf = (head: string): WebAnswers => ({ '/blog/rye': { body: html(head) } })
const NOTHING_IN_IT = 'The page answers, but neither the title nor the id of the post is in it.'

describe('a page', () => {
  it.each([
    ['the id of the post', (id: string) => `<meta name="postrider-post" content="${id}">`],
    ['its canonical address', () => '<link rel="canonical" href="https://ada.example/rye">'],
    ['its title', () => '<title>Rye – Ada’s kitchen</title>'],
  ])('that has %s is verified five seconds after it was accepted, and not looked at again', async (_what, head) => {
    await connect()
    const meta = { canonical_url: 'https://ada.example/rye' }
    const { id } = await client.posts.create({ title: 'Rye', meta, status: 'published' })
    web.answer(pageOf(head(id)))
    await service.drain()
    expect(await liveOf(id)).toEqual({ state: 'unknown', url: null, checked_at: null, problem: null })
    await service.advance(5 * SECOND)
    const live = { state: 'verified', url: `${web.url}/blog/rye`, problem: null }
    expect(await liveOf(id)).toMatchObject({ ...live, checked_at: service.clock.now().toISOString() })
    expect((await client.posts.summaries()).data[0]?.deliveries).toMatchObject([{ status: 'delivered', live }])
    await service.advance(8 * 24 * HOUR)
    expect(web.asked).toEqual(['/blog/rye'])
  })

  it('that says nothing of the post is no trouble while a static site builds for four minutes', async () => {
    await connect()
    web.answer({ '*': { body: html('<title>Kitchen</title>') } })
    const { id } = await publish('Rye')
    await service.advance(5 * SECOND)
    await service.advance(55 * SECOND)
    expect(web.asked).toHaveLength(2)
    await service.advance(3 * MINUTE)
    web.answer(pageOf('<title>Rye</title>'))
    await service.advance(MINUTE)
    expect(await liveOf(id)).toMatchObject({ state: 'verified' })
    expect(said()).toEqual([])
  })

  it.each([
    [404, 'gone', 'The page answers 404: there is nothing at the address.'],
    [410, 'gone', 'The page answers 410: there is nothing at the address.'],
    [500, 'wrong', 'The page answers 500.'],
  ])('that answers %i is %s after five minutes', async (status, state, problem) => {
    await connect()
    web.answer({ '*': { status } })
    const { id } = await publish('Rye')
    await lookFor5Minutes()
    expect(await liveOf(id)).toMatchObject({ state, problem, url: `${web.url}/blog/rye` })
  })

  it('that redirects to another host is not followed there', async () => {
    const other = await startWebsite(pageOf('<title>Rye</title>'))
    await connect()
    web.answer({ '*': { status: 302, headers: { location: `${other.url}/blog/rye` } } })
    const { id } = await publish('Rye')
    await lookFor5Minutes()
    const problem = `The page redirects to ${new URL(other.url).host}, which is not the site.`
    expect(await liveOf(id)).toMatchObject({ state: 'wrong', problem })
    expect(other.asked).toEqual([])
    await other.close()
  })

  it('on a host that is not the site’s own is not looked at, whoever names it', async () => {
    const other = await startWebsite(pageOf('<title>Rye</title>'))
    const site = await connect()
    const url = `${other.url}/blog/rye`
    hook.answerUsually((_, response) => response.writeHead(200).end(JSON.stringify({ url })))
    const { id } = await publish('Rye')
    await lookFor5Minutes()
    const [there, own] = [new URL(other.url).host, new URL(web.url).host]
    const problem = `The site says that the post is on ${there}; only pages on ${own} are looked at. If the posts are there, set post_url.`
    expect(await liveOf(id)).toMatchObject({ state: 'claimed', url, problem })
    await confirm(site, id, 'http://169.254.169.254/latest/meta-data/')
    await lookFor5Minutes()
    expect((await liveOf(id))?.problem).toContain('169.254.169.254;')
    expect([...web.asked, ...other.asked, ...said()]).toEqual([])
    // Whoever has the site may say that its posts are there.
    await client.sites.update(site.id, { post_url: `${other.url}/blog/{slug}` })
    const { id: second } = await publish('Rye')
    web.answer({})
    await service.advance(5 * SECOND)
    expect(await liveOf(second)).toMatchObject({ url })
    expect(other.asked).toEqual(['/blog/rye'])
    await other.close()
  })
})

describe('a site', () => {
  it('is not looked at unless it wants that, and not without an address', async () => {
    const site = await connect({ verify: false })
    const { id } = await publish('Rye')
    await lookFor5Minutes()
    expect(await liveOf(id)).toEqual({ state: 'unknown', url: null, checked_at: null, problem: null })
    await client.sites.update(site.id, { verify: true, post_url: null })
    const { id: second } = await publish('Wheat')
    await lookFor5Minutes()
    const live = await liveOf(second)
    expect(live).toMatchObject({ state: 'unknown', url: null })
    expect(live?.problem).toContain('post_url')
    expect([...web.asked, ...said()]).toEqual([])
  })

  it('that accepts and stores nothing is told of once within six minutes, and once when everything is there', async () => {
    const site = await connect()
    web.answer({ '*': { body: html('<title>Kitchen</title>') } })
    for (const title of ['Rye', 'Wheat', 'Oats']) await publish(title)
    await lookFor5Minutes()
    await service.advance(5 * SECOND)
    expect(said()).toEqual(['*Kitchen accepts changes, but does not show them*'])
    expect(await notLive()).toEqual(['Oats', 'Wheat', 'Rye'].map((title) => [title, NOTHING_IN_IT]))
    expect((await client.sites.get(site.id)).delivery_stats).toMatchObject({ not_live: 3, missing: 0 })
    expect((await client.incidents()).incidents).toMatchObject([
      { kind: 'not_live', site: { id: site.id }, reason: NOTHING_IN_IT, not_live: 3, failures: 0, closed_at: null },
    ])
    await publish('Spelt')
    await lookFor5Minutes()
    expect(said()).toHaveLength(1)

    web.answer(
      Object.fromEntries(
        ['rye', 'wheat', 'oats', 'spelt'].map((slug) => [`/blog/${slug}`, { body: html(`<title>${slug}</title>`) }]),
      ),
    )
    await service.advance(30 * MINUTE)
    expect(await notLive()).toEqual([])
    await service.advance(MINUTE)
    expect(said()).toEqual(['*Kitchen accepts changes, but does not show them*', '*Kitchen shows everything again*'])
    expect((await client.incidents()).incidents).toMatchObject([{ kind: 'not_live', not_live: 0 }])
  })

  it('that is built has half an hour', async () => {
    await connect({ kind: 'build_hook' })
    const { id } = await publish('Rye')
    await lookFor5Minutes()
    expect(await liveOf(id)).toMatchObject({ state: 'unknown', checked_at: null })
    await service.advance(25 * MINUTE)
    expect(await liveOf(id)).toMatchObject({ state: 'gone' })
    expect(said()).toEqual(['*Kitchen accepts changes, but does not show them*'])
  })

  it('that is built is looked for anew once a build has read the posts, and has no more time for it', async () => {
    const site = await connect({ kind: 'build_hook' })
    const build = () => createPullClient({ baseUrl: service.url, apiKey: site.api_key }).changes()
    const { id } = await publish('Rye')
    await lookFor5Minutes()
    // Builds that fail, one after the other.
    for (const _ of [5, 15, 25]) {
      await build()
      expect(await liveOf(id)).toMatchObject({ state: 'unknown' })
      await service.advance(5 * SECOND)
      await service.advance(10 * MINUTE)
    }
    expect(await liveOf(id)).toMatchObject({ state: 'gone' })
    web.answer(pageOf('<title>Rye</title>'))
    await build()
    await service.advance(5 * SECOND)
    expect(await liveOf(id)).toMatchObject({ state: 'verified' })
    await service.advance(MINUTE)
    expect(said()).toEqual(['*Kitchen accepts changes, but does not show them*', '*Kitchen shows everything again*'])
  })

  it('is looked at daily for a week where a post does not appear, and the delivery stays delivered', async () => {
    await connect()
    const { email } = (await client.account()).user
    const { id } = await publish('Rye')
    await lookFor5Minutes()
    await service.advance(25 * MINUTE)
    await service.advance(5.5 * HOUR)
    expect(web.asked).toHaveLength(5)
    await service.advance(18 * HOUR)
    for (let day = 2; day <= 10; day += 1) await service.advance(24 * HOUR)
    expect(web.asked).toHaveLength(12)
    await client.auth.login({ email, password: 'correct horse' })
    expect((await client.deliveries.list({ post_id: id })).data).toMatchObject([{ status: 'delivered' }])
    expect(await notLive()).toHaveLength(1)
  })
})

describe('a post that is not live', () => {
  it('is looked for anew when the site accepts a newer version, and stays not live until that is there', async () => {
    await connect()
    const { id } = await publish('Rye')
    await lookFor5Minutes()
    expect(await notLive()).toHaveLength(1)
    await client.posts.update(id, { title: 'Rye bread' })
    await service.advance(5 * SECOND)
    expect(await notLive()).toHaveLength(1)
    web.answer(pageOf('<h1>Rye bread</h1>'))
    await service.advance(55 * SECOND)
    expect(await liveOf(id)).toMatchObject({ state: 'verified' })
    expect(await notLive()).toEqual([])
  })

  it('is looked for at once where its owner says that it is', async () => {
    const site = await connect({ post_url: `${web.url}/posts/{slug}` })
    web.answer(pageOf('<title>Rye</title>'))
    const { id } = await publish('Rye')
    await lookFor5Minutes()
    expect(await liveOf(id)).toMatchObject({ state: 'gone', url: `${web.url}/posts/rye` })
    await client.sites.update(site.id, { post_url: `${web.url}/blog/{slug}` })
    await service.drain()
    expect(await liveOf(id)).toMatchObject({ state: 'verified', url: `${web.url}/blog/rye` })
  })

  it('is looked for once it is known where it is', async () => {
    const site = await connect({ post_url: null })
    web.answer(pageOf('<title>Rye</title>'))
    const { id } = await publish('Rye')
    await lookFor5Minutes()
    expect(await liveOf(id)).toMatchObject({ state: 'unknown', url: null })
    await client.sites.update(site.id, { post_url: `${web.url}/blog/{slug}` })
    await service.drain()
    expect(await liveOf(id)).toMatchObject({ state: 'verified', url: `${web.url}/blog/rye` })
  })

  it('is looked for again when somebody asks, with the answer at once', async () => {
    const site = await connect()
    const { id } = await publish('Rye')
    const { id: other } = await publish('Wheat')
    await lookFor5Minutes()
    await service.advance(2 * HOUR)
    expect(await notLive()).toHaveLength(2)
    const asked = web.asked.length
    service.clock.advance(MINUTE)
    expect(await client.sites.checkPages(site.id)).toEqual({ site_id: site.id, posts: 2 })
    await service.drain()
    const checked_at = service.clock.now().toISOString()
    expect(web.asked).toHaveLength(asked + 2)
    expect(await liveOf(id)).toMatchObject({ state: 'gone', checked_at })
    web.answer(pageOf('<title>Rye</title>'))
    expect(await client.sites.checkPages(site.id, id)).toEqual({ site_id: site.id, posts: 1 })
    await service.drain()
    expect(await liveOf(id)).toMatchObject({ state: 'verified' })
    expect(await liveOf(other)).toMatchObject({ state: 'gone' })
    // Live once is not live for ever: with the post's id a page is looked at again that showed it.
    web.answer({})
    expect(await client.sites.checkPages(site.id)).toMatchObject({ posts: 1 })
    expect(await client.sites.checkPages(site.id, id)).toMatchObject({ posts: 1 })
    await service.drain()
    expect(await liveOf(id)).toMatchObject({ state: 'gone' })
    hook.answerUsually(500)
    await client.posts.update(id, { status: 'draft' })
    await service.drain()
    await expect(client.sites.checkPages(site.id, id)).rejects.toMatchObject({ code: 'not_found', field: 'post_id' })
    await client.sites.update(site.id, { verify: false })
    await expect(client.sites.checkPages(site.id)).rejects.toMatchObject({ code: 'conflict', field: 'verify' })
  })

  it.each([
    ['it is withdrawn', (id: string) => client.posts.update(id, { status: 'draft' })],
    ['it is deleted', (id: string) => client.posts.delete(id)],
    [
      'nobody wants to know',
      async () => client.sites.update((await client.sites.list()).sites[0]?.id ?? '', { verify: false }),
    ],
    ['its site is disconnected', async () => client.sites.delete((await client.sites.list()).sites[0]?.id ?? '')],
  ])('is no trouble any more once %s', async (what, change) => {
    await connect()
    const { id } = await publish('Rye')
    await lookFor5Minutes()
    expect(await notLive()).toHaveLength(1)
    await change(id)
    await service.drain()
    expect(await notLive()).toEqual([])
    web.asked.length = 0
    await service.advance(2 * MINUTE)
    await service.advance(HOUR)
    // That what was withdrawn is gone is seen at the first look.
    expect(web.asked).toHaveLength(what.startsWith('it is') ? 1 : 0)
    expect((await client.incidents()).incidents.filter(({ closed_at }) => closed_at === null)).toEqual([])
    expect(said()).toHaveLength(what.startsWith('it is') ? 2 : 1)
  })

  it.each([
    ['address', () => `${web.url}/blog/rye`],
    ['path', () => '/blog/rye'],
  ])('is found at the %s that a site pulls and confirms', async (_, named) => {
    const site = await connect({ webhook_url: 'http://127.0.0.1:1/hook', post_url: null })
    const { id } = await publish('Rye')
    const published_url = `${web.url}/blog/rye`
    web.answer(pageOf('<title>Rye</title>'))
    await confirm(site, id, named())
    expect(await liveOf(id)).toMatchObject({ state: 'claimed', url: published_url })
    await service.advance(5 * SECOND)
    expect(await liveOf(id)).toMatchObject({ state: 'verified', url: published_url })
  })
})

describe('a post that was withdrawn', () => {
  const withdraw = async (id: string) => {
    await client.posts.update(id, { status: 'draft' })
    await service.drain()
  }

  it('is looked for until its page is gone, and is told of while it is there', async () => {
    const site = await connect()
    web.answer(pageOf('<title>Rye</title>'))
    const { id } = await publish('Rye')
    await service.advance(5 * SECOND)
    await withdraw(id)
    await service.advance(5 * SECOND)
    await service.advance(55 * SECOND)
    expect(await liveOf(id)).toMatchObject({ state: 'unknown', checked_at: null })
    await service.advance(4 * MINUTE)
    const problem = 'The page still shows the post.'
    expect(await liveOf(id)).toMatchObject({ state: 'wrong', problem, url: `${web.url}/blog/rye` })
    expect(await notLive()).toEqual([['Rye', problem]])
    expect(said()).toEqual(['*Kitchen accepts changes, but does not show them*'])
    web.answer({})
    expect(await client.sites.checkPages(site.id)).toEqual({ site_id: site.id, posts: 1 })
    await service.drain()
    expect(await liveOf(id)).toMatchObject({ state: 'verified', problem: null })
    expect(await notLive()).toEqual([])
  })

  it.each<[string, () => WebAnswers]>([
    ['answers 404', () => ({})],
    ['shows something else', () => ({ '*': { body: html('<title>Kitchen</title>') } })],
    [
      'leads to a list that names it',
      () => ({
        '/blog/rye': { status: 302, headers: { location: '/blog' } },
        '/blog': { body: html('<title>Rye</title>') },
      }),
    ],
  ])('is gone when its page %s', async (_what, answers) => {
    await connect()
    web.answer(pageOf('<title>Rye</title>'))
    const { id } = await publish('Rye')
    await service.advance(5 * SECOND)
    await withdraw(id)
    web.answer(answers())
    await service.advance(5 * SECOND)
    expect(await liveOf(id)).toMatchObject({ state: 'verified', problem: null })
  })

  it('is not said to be gone while its site cannot be read, and is no trouble for that', async () => {
    await connect()
    const { id } = await publish('Rye')
    await service.advance(5 * SECOND)
    await withdraw(id)
    web.answer({ '*': { status: 500 } })
    await lookFor5Minutes()
    expect(await liveOf(id)).toMatchObject({ state: 'unknown', problem: null })
    expect(await notLive()).toEqual([])
    web.answer({})
    await service.advance(25 * MINUTE)
    expect(await liveOf(id)).toMatchObject({ state: 'verified' })
  })

  it('of which nobody knows where it was is not looked for', async () => {
    await connect({ post_url: null })
    const { id } = await publish('Rye')
    await withdraw(id)
    await lookFor5Minutes()
    expect(await liveOf(id)).toEqual({ state: 'unknown', url: null, checked_at: null, problem: null })
  })
})

describe('a page that says which version it shows', () => {
  it('is not live while that is an earlier one; of a site that is built it is said where to look', async () => {
    await connect({ kind: 'build_hook' })
    const { id } = await publish('Rye')
    const shows = (version: number) =>
      pageOf(`<meta name="postrider-post" content="${id}"><meta name="postrider-version" content="${version}">`)
    web.answer(shows(1))
    await service.advance(5 * SECOND)
    expect(await liveOf(id)).toMatchObject({ state: 'verified' })
    await client.posts.update(id, { excerpt: 'Of whole grain.' })
    await service.advance(MINUTE)
    await lookFor5Minutes()
    expect(await liveOf(id)).toMatchObject({ state: 'unknown', checked_at: null })
    await service.advance(25 * MINUTE)
    expect(await liveOf(id)).toMatchObject({
      state: 'wrong',
      problem:
        'The page shows an earlier version of the post. The build may have failed: look at the site’s builds at its host.',
    })
    web.answer(shows(2))
    await service.advance(5.5 * HOUR)
    expect(await liveOf(id)).toMatchObject({ state: 'verified', problem: null })
  })
})
