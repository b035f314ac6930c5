/** Which sites a post is for: chosen, changed while it is published, and kept until it is published; and until when. */
import { type CreatePost, createPullClient, type PostriderClient, type SiteWithSecrets } from '@postrider/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

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
  await service.drain()
  client = await newAccount(service)
  const connect = (name: Name) => connectSite(client, receivers[name], name)
  sites = { a: await connect('a'), b: await connect('b'), c: await connect('c') }
  for (const name of NAMES) receivers[name].received.length = 0
})
afterAll(async () => {
  for (const name of NAMES) await receivers[name].close()
  await service.stop()
})

/** The ids of sites by their names, as in `ab`; undefined and null stay. */
const ids = (names: string): string[] => [...names].map((name) => sites[name as Name].id)
const nameOf = (id: string) => NAMES.find((name) => sites[name].id === id) ?? id
/** The audience of a post by the names of its sites. */
async function audienceOf(postId: string): Promise<string | null> {
  const { site_ids: siteIds } = await client.posts.get(postId)
  return siteIds === null ? null : siteIds.map(nameOf).sort().join('')
}
/** What arrived since the last call: `a:published b:deleted`. */
async function arrived(): Promise<string> {
  await service.drain()
  return NAMES.flatMap((name) =>
    receivers[name].received.splice(0).map(({ json }) => `${name}:${String(json.event).slice('post.'.length)}`),
  ).join(' ')
}
/** The sites that may show the post, by pulling. */
async function shownBy(slug: string): Promise<string> {
  const shown = await Promise.all(NAMES.map(async (name) => ((await pulled(name)).includes(slug) ? name : '')))
  return shown.join('')
}
const pullOf = (name: Name) => createPullClient({ baseUrl: service.url, apiKey: sites[name].api_key })
const pulled = async (name: Name) => (await pullOf(name).list({ limit: 100 })).posts.map(({ slug }) => slug)
const inMs = (ms: number) => new Date(service.clock.now().getTime() + ms).toISOString()
const HOUR = 3_600_000

describe('the audience of a post', () => {
  it.each<[string, string | null | undefined, string, string | null]>([
    ['every site, if it is not given', undefined, 'a:published b:published c:published', null],
    ['every site, if it is null', null, 'a:published b:published c:published', null],
    ['the given sites', 'ac', 'a:published c:published', 'ac'],
    ['nobody, if it is empty', '', '', ''],
  ])('is %s, however it is published', async (_, names, events, audience) => {
    const site_ids = names == null ? names : ids(names)
    const given = { title: 'Post', ...(site_ids === undefined ? {} : { site_ids }) }
    const ways: Record<string, () => Promise<{ id: string }>> = {
      'at once': () => client.posts.create({ ...given, status: 'published' }),
      'by its status': async () => client.posts.update((await client.posts.create(given)).id, { status: 'published' }),
      'by a request': async () => {
        const post = await client.posts.create(given)
        const { dispatched_to: to } = await client.posts.publish(post.id)
        expect(to).toHaveLength(events === '' ? 0 : events.split(' ').length)
        return post
      },
      'with others': async () => {
        const post = await client.posts.create(given)
        await client.posts.bulk({ action: 'publish', ids: [post.id] })
        return post
      },
      'by its schedule': async () => {
        const post = await client.posts.create({ ...given, status: 'scheduled', scheduled_at: inMs(HOUR) })
        expect(await audienceOf(post.id)).toBe(audience)
        await service.advance(HOUR)
        return post
      },
    }
    for (const [way, publish] of Object.entries(ways)) {
      const { id } = await publish()
      expect(await arrived(), way).toBe(events)
      expect(await client.posts.get(id)).toMatchObject({ status: 'published' })
      expect(await audienceOf(id), way).toBe(audience)
      await client.posts.delete(id)
      await arrived()
    }
  })

  it('holds for sites that are connected later only if it is every site', async () => {
    await client.posts.create({ title: 'For all', status: 'published' })
    await client.posts.create({ title: 'For some', site_ids: ids('ab'), status: 'published' })
    const later = await connectSite(client, receivers.c, 'Later')
    const pull = createPullClient({ baseUrl: service.url, apiKey: later.api_key })
    expect((await pull.list({})).posts.map(({ slug }) => slug)).toEqual(['for-all'])
  })

  it('shows a site nothing before the post is published, and lists it for no site', async () => {
    const draft = await client.posts.create({ title: 'Draft', site_ids: ids('a') })
    expect(await pulled('a')).toEqual([])
    expect((await client.posts.list({ site_id: sites.a.id })).data).toEqual([])
    expect((await client.posts.list()).data).toMatchObject([{ id: draft.id, site_ids: ids('a') }])
    expect((await client.posts.summaries()).data).toMatchObject([{ id: draft.id, site_ids: ids('a') }])
  })

  it('stays when the post is unpublished, if its author chose it', async () => {
    const { id } = await client.posts.create({ title: 'Post', site_ids: ids('ab'), status: 'published' })
    await client.posts.update(id, { status: 'draft' })
    expect(await audienceOf(id)).toBe('ab')
    await arrived()
    await client.posts.update(id, { status: 'published' })
    expect(await arrived()).toBe('a:published b:published')
    expect(await shownBy('post')).toBe('ab')
  })

  it('lasts for one publication, if a publish request named the sites', async () => {
    const { id } = await client.posts.create({ title: 'Post' })
    await client.posts.publish(id, ids('a'))
    expect(await audienceOf(id)).toBe('a')
    await client.posts.publish(id, ids('b'))
    expect(await audienceOf(id)).toBe('ab')
    expect(await arrived()).toBe('a:published b:published')
    await client.posts.publish(id)
    expect(await audienceOf(id)).toBe(null)
    expect(await arrived()).toBe('a:updated b:updated c:published')
    await client.posts.update(id, { status: 'draft' })
    await client.posts.publish(id, ids('a'))
    await client.posts.update(id, { status: 'draft' })
    expect(await audienceOf(id)).toBe(null)
  })

  it('is replaced by the sites that the first publish request names', async () => {
    const { id } = await client.posts.create({ title: 'Post', site_ids: ids('ab') })
    await client.posts.publish(id, ids('c'))
    expect(await audienceOf(id)).toBe('c')
    expect(await shownBy('post')).toBe('c')
    await client.posts.publish(id)
    expect(await arrived()).toBe('c:published c:updated')
  })

  it('may contain paused sites, which get what is published once they are active and it is published again', async () => {
    await client.sites.update(sites.b.id, { status: 'inactive' })
    const { id } = await client.posts.create({ title: 'Post', site_ids: ids('ab'), status: 'published' })
    expect(await arrived()).toBe('a:published')
    await client.sites.update(sites.b.id, { status: 'active' })
    expect(await shownBy('post')).toBe('ab')
    await client.posts.publish(id)
    expect(await arrived()).toBe('a:updated b:published')
  })

  it('loses sites that are disconnected; without any left it is nobody', async () => {
    const { id } = await client.posts.create({ title: 'Post', site_ids: ids('a') })
    await client.sites.delete(sites.a.id)
    expect((await client.posts.get(id)).site_ids).toEqual([])
    expect((await client.posts.publish(id)).dispatched_to).toEqual([])
    expect(await shownBy('post').catch(() => 'refused')).not.toContain('b')
    expect(await arrived()).toBe('')
    // Whoever read the post before may send it back.
    expect((await client.posts.update(id, { site_ids: [sites.a.id], title: 'Changed' })).site_ids).toEqual([])
  })

  it('is refused by the place of an unknown site, of a foreign one, or of what is no id', async () => {
    const stranger = await connectSite(await newAccount(service), receivers.a)
    const { id } = await client.posts.create({ title: 'Post' })
    for (const unknown of [stranger.id, 'nonsense', '01a19b4c-2f60-7d15-b0e4-6a9c3f81d257']) {
      const site_ids = [sites.a.id, unknown]
      const refusal = { status: 400, code: 'validation_error', field: 'site_ids.1' }
      await expect(client.posts.create({ title: 'Post', site_ids })).rejects.toMatchObject(refusal)
      await expect(client.posts.update(id, { site_ids, title: 'No' })).rejects.toMatchObject(refusal)
      await expect(client.posts.bulk({ action: 'publish', ids: [id], site_ids })).rejects.toMatchObject(refusal)
    }
    await expect(client.posts.update(id, { site_ids: 'all' as never })).rejects.toMatchObject({ field: 'site_ids' })
    await expect(client.posts.bulk({ action: 'delete', ids: [id], site_ids: [] })).rejects.toMatchObject({
      field: 'site_ids',
    })
    expect(await client.posts.get(id)).toMatchObject({ title: 'Post', status: 'draft', version: 1 })
  })
})

describe('a change of the audience', () => {
  it.each<[string | null, string | null, string]>([
    [null, 'a', 'b:deleted c:deleted'],
    ['a', null, 'b:published c:published'],
    ['ab', 'bc', 'a:deleted c:published'],
    ['ab', '', 'a:deleted b:deleted'],
    ['', 'c', 'c:published'],
    ['ab', 'ab', ''],
    [null, null, ''],
  ])('of a published post from %j to %j sends %j, and keeps the version', async (before, after, events) => {
    const given = (names: string | null) => (names === null ? null : ids(names))
    const post = await client.posts.create({ title: 'Post', site_ids: given(before), status: 'published' })
    await arrived()
    service.clock.advance(1_000)
    const changed = await client.posts.update(post.id, { site_ids: given(after) }, 1)
    expect(changed).toMatchObject({ version: 1, updated_at: post.updated_at, published_at: post.published_at })
    expect(await audienceOf(post.id)).toBe(after === null ? null : [...after].sort().join(''))
    expect(await arrived()).toBe(events)
    expect(await shownBy('post')).toBe(after ?? 'abc')
  })

  it('goes with a change of the text in one step: who leaves knows the old address, who stays and comes gets the new text', async () => {
    const { id } = await client.posts.create({ title: 'Old', site_ids: ids('ab'), status: 'published' })
    await arrived()
    await client.posts.update(id, { site_ids: ids('bc'), slug: 'new', title: 'New' })
    await service.drain()
    const last = (name: Name) => receivers[name].received.at(-1)?.json
    expect(last('a')).toMatchObject({ event: 'post.deleted', post: { id, slug: 'old' } })
    expect(last('b')).toMatchObject({ event: 'post.updated', previous_version: 1, post: { slug: 'new', version: 2 } })
    expect(last('c')).toMatchObject({ event: 'post.published', post: { title: 'New', version: 2 } })
  })

  it('is seen by sites that follow and compare: a tombstone for who left', async () => {
    const { id } = await client.posts.create({ title: 'Post', status: 'published' })
    const pull = pullOf('a')
    const { cursor } = await pull.changes({})
    await client.posts.update(id, { site_ids: ids('b') })
    expect((await pull.changes({ cursor })).changes).toMatchObject([{ event: 'deleted', post_id: id }])
    expect((await pullOf('b').changes({ cursor })).changes).toMatchObject([{ post_id: id, version: 1 }])
    expect(await pull.digest()).toMatchObject({ posts: 0 })
    expect(await pullOf('b').digest()).toMatchObject({ posts: 1 })
    await expect(pull.confirm(id, sites.a.id, 'delivered')).rejects.toMatchObject({ status: 404 })
    await client.posts.update(id, { site_ids: ids('ab') })
    expect((await pull.changes({ cursor })).changes).toMatchObject([{ post_id: id, version: 1 }])
  })

  it('withdraws what was never sent without a word, and what failed is not sent again', async () => {
    receivers.a.answerNext(...Array.from({ length: 4 }, () => 500))
    const { id } = await client.posts.create({ title: 'Post', status: 'published' })
    await client.posts.update(id, { site_ids: ids('bc') })
    expect(await arrived()).toBe('b:published c:published')
    await client.posts.update(id, { site_ids: ids('ab') })
    for (let hour = 0; hour < 5; hour += 1) await service.advance(HOUR)
    await arrived()
    await client.posts.update(id, { site_ids: ids('b') })
    expect(await arrived()).toBe('a:deleted')
    await client.analytics.retry(id)
    for (let hour = 0; hour < 5; hour += 1) await service.advance(HOUR)
    expect(await arrived()).toBe('')
  })

  it('of a draft raises the version, and that of no site sends nothing', async () => {
    const { id } = await client.posts.create({ title: 'Post' })
    expect(await client.posts.update(id, { site_ids: ids('a') })).toMatchObject({ version: 2 })
    await expect(client.posts.update(id, { site_ids: ids('b') }, 1)).rejects.toMatchObject({ status: 412 })
    expect(await client.posts.update(id, { site_ids: [sites.a.id.toUpperCase()] })).toMatchObject({ version: 2 })
    expect(await arrived()).toBe('')
  })

  it('does not come from sending a fetched post back', async () => {
    const { id } = await client.posts.create({ title: 'Post' })
    await client.posts.publish(id, ids('a'))
    await arrived()
    await client.posts.update(id, { ...(await client.posts.get(id)), excerpt: 'More' } as object)
    expect(await arrived()).toBe('a:updated')
    await client.posts.publish(id)
    expect(await arrived()).toBe('a:updated b:published c:published')
  })

  it('can be made while many are published: who has a post is not sent it again', async () => {
    const draft = await client.posts.create({ title: 'Draft' })
    const published = await client.posts.create({ title: 'Published', site_ids: ids('ab'), status: 'published' })
    await arrived()
    await client.posts.bulk({ action: 'publish', ids: [draft.id, published.id], site_ids: ids('bc') })
    expect((await arrived()).split(' ').sort()).toEqual(['a:deleted', 'b:published', 'c:published', 'c:published'])
    expect([await shownBy('draft'), await shownBy('published')]).toEqual(['bc', 'bc'])
  })

  it('keeps posts from a site that were about to be sent to it', async () => {
    const later = await connectSite(client, receivers.a, 'Later')
    const { id } = await client.posts.create({ title: 'Post', site_ids: ids('b'), status: 'published' })
    await client.posts.update(id, { site_ids: [...ids('b'), later.id] })
    await arrived()
    await client.sites.backfill(sites.b.id)
    await client.posts.update(id, { site_ids: ids('c') })
    expect(await arrived()).toBe('a:deleted b:deleted c:published')
  })
})

describe('the time to unpublish', () => {
  const publishUntil = (ms: number, more: Partial<CreatePost> = {}) =>
    client.posts.create({ title: 'Post', status: 'published', unpublish_at: inMs(ms), ...more })

  it('makes the post a draft, once, however long the service was down', async () => {
    const { id } = await publishUntil(HOUR)
    expect(await arrived()).toBe('a:published b:published c:published')
    service.clock.advance(100 * HOUR)
    expect(await arrived()).toBe('a:deleted b:deleted c:deleted')
    const ended = await client.posts.get(id)
    expect(ended).toMatchObject({ status: 'draft', version: 2, unpublish_at: null, published_at: null })
    await client.posts.update(id, { status: 'published' })
    await arrived()
    await service.advance(100 * HOUR)
    expect(await arrived()).toBe('')
  })

  it('is not reached by whoever unpublishes before, nor by a draft', async () => {
    const { id } = await publishUntil(HOUR)
    expect(await client.posts.update(id, { status: 'draft' })).toMatchObject({ unpublish_at: null })
    const draft = await client.posts.create({ title: 'Draft', unpublish_at: inMs(HOUR) })
    await service.advance(2 * HOUR)
    expect(await client.posts.get(draft.id)).toMatchObject({ status: 'draft', version: 1 })
    for (const publish of [
      () => client.posts.publish(draft.id),
      () => client.posts.update(draft.id, { status: 'published' }),
    ])
      await expect(publish()).rejects.toMatchObject({ status: 400, field: 'unpublish_at' })
    await client.posts.update(draft.id, { status: 'published', unpublish_at: null })
  })

  it('ends a scheduled post that could not be published before it: no site sees it', async () => {
    const { id } = await client.posts.create({
      title: 'Offer',
      status: 'scheduled',
      scheduled_at: inMs(HOUR),
      unpublish_at: inMs(2 * HOUR),
    })
    service.clock.advance(3 * HOUR)
    expect(await arrived()).toBe('')
    expect(await client.posts.get(id)).toMatchObject({ status: 'draft', scheduled_at: null, unpublish_at: null })
  })

  it('can be set and moved while the post is published: no site hears of that, and the version stays', async () => {
    const { id, updated_at } = await client.posts.create({ title: 'Post', status: 'published' })
    const { cursor } = await pullOf('a').changes({})
    await arrived()
    await client.posts.update(id, { unpublish_at: inMs(HOUR) })
    const moved = await client.posts.update(id, { unpublish_at: inMs(2 * HOUR) })
    expect(moved).toMatchObject({ version: 1, updated_at, unpublish_at: inMs(2 * HOUR) })
    expect((await pullOf('a').changes({ cursor })).changes).toEqual([])
    await service.advance(HOUR)
    expect(await arrived()).toBe('')
    await service.advance(HOUR)
    expect(await arrived()).toBe('a:deleted b:deleted c:deleted')
  })

  it.each<[string, (at: (hours: number) => string) => Partial<CreatePost>, string]>([
    ['in the past', (at) => ({ unpublish_at: at(-1) }), 'unpublish_at'],
    ['without an offset', () => ({ unpublish_at: '2126-01-01T00:00:00' }), 'unpublish_at'],
    [
      'not after the schedule',
      (at) => ({ status: 'scheduled', scheduled_at: at(2), unpublish_at: at(2) }),
      'unpublish_at',
    ],
  ])('is refused %s', async (_, given, field) => {
    const asked = given((hours) => inMs(hours * HOUR))
    await expect(client.posts.create({ title: 'Post', ...asked })).rejects.toMatchObject({ status: 400, field })
  })

  it('keeps a schedule from being moved behind it', async () => {
    const end = { unpublish_at: inMs(3 * HOUR) }
    const { id } = await client.posts.create({ title: 'Post', status: 'scheduled', scheduled_at: inMs(HOUR), ...end })
    const move = { scheduled_at: inMs(4 * HOUR) }
    await expect(client.posts.update(id, move)).rejects.toMatchObject({ status: 400, field: 'scheduled_at' })
  })
})

describe('how late it is', () => {
  it('is told of a post that its schedule published, and of its deliveries', async () => {
    receivers.b.answerNext(500)
    const { id } = await client.posts.create({ title: 'Post', status: 'scheduled', scheduled_at: inMs(HOUR) })
    expect(await client.posts.get(id)).toMatchObject({ late_by_seconds: null })
    service.clock.advance(HOUR + 90_000)
    await service.drain()
    expect(await client.posts.get(id)).toMatchObject({ late_by_seconds: 90 })
    const { data } = await client.deliveries.list({ post_id: id })
    const lateness = new Map(data.map((one) => [nameOf(one.site_id), one.late_by_seconds]))
    expect(lateness.get('b')).toBe(90)
    // That of a delivery which succeeded at once is reckoned from its answer, back by the time that this took.
    for (const name of ['a', 'c']) expect(lateness.get(name)).toBeOneOf([...Array(91).keys()].slice(60))
    service.clock.advance(1_000)
    await client.posts.publish(id)
    const [again] = (await client.deliveries.list({ post_id: id })).data
    expect(again).toMatchObject({ late_by_seconds: null })
    expect((await client.posts.create({ title: 'By hand', status: 'published' })).late_by_seconds).toBe(null)
  })

  it('grows while nothing was tried', async () => {
    await client.sites.update(sites.a.id, { status: 'inactive' })
    const { id } = await client.posts.create({
      title: 'Post',
      site_ids: ids('b'),
      status: 'scheduled',
      scheduled_at: inMs(HOUR),
    })
    await service.advance(HOUR)
    const lateness = async () => (await client.deliveries.list({ post_id: id })).data[0]?.late_by_seconds
    expect(await lateness()).toBe(0)
    await service.advance(HOUR)
    expect(await lateness()).toBe(0)
  })
})

it('lists what is scheduled and published in a period', async () => {
  const early = await client.posts.create({ title: 'Early', status: 'scheduled', scheduled_at: inMs(HOUR) })
  await client.posts.create({ title: 'Late', status: 'scheduled', scheduled_at: inMs(100 * HOUR) })
  const now = await client.posts.create({ title: 'Now', status: 'published' })
  await client.posts.create({ title: 'Draft' })
  const within = async (from?: string, to?: string) => {
    const { data, pagination } = await client.posts.summaries({ ...(from && { from }), ...(to && { to }) })
    expect(pagination.total).toBe(data.length)
    return data.map(({ title }) => title).sort()
  }
  expect(await within(now.published_at ?? '', early.scheduled_at ?? '')).toEqual(['Early', 'Now'])
  expect(await within(inMs(1), inMs(2 * HOUR))).toEqual(['Early'])
  expect(await within(inMs(1))).toEqual(['Early', 'Late'])
  await expect(within(inMs(1), inMs(0))).rejects.toMatchObject({ status: 400, field: 'from' })
  await expect(within('soon')).rejects.toMatchObject({ status: 400, field: 'from' })
})
