import type { PostriderClient, SiteWithSecrets } from '@postrider/sdk'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { Context } from '../src/platform/context.ts'
import { runSchedule } from '../src/posts/index.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let receivers: { a: Receiver; b: Receiver }
let client: PostriderClient
let sites: { a: SiteWithSecrets; b: SiteWithSecrets }

beforeAll(async () => {
  service = await startService()
  receivers = { a: await startReceiver(), b: await startReceiver() }
})
beforeEach(async () => {
  client = await newAccount(service)
  sites = { a: await connectSite(client, receivers.a, 'A'), b: await connectSite(client, receivers.b, 'B') }
  receivers.a.received.length = 0
  receivers.b.received.length = 0
})
afterAll(async () => {
  await receivers.a.close()
  await receivers.b.close()
  await service.stop()
})

/** The events that arrived at A and at B since the last call. */
async function arrived(): Promise<{ a: string[]; b: string[] }> {
  await service.drain()
  const kinds = ({ received }: Receiver) => received.splice(0).map(({ json }) => String(json.event))
  return { a: kinds(receivers.a), b: kinds(receivers.b) }
}

describe('publishing', () => {
  it('goes to all sites, or to the named ones; a site that has the post gets post.updated', async () => {
    const post = await client.posts.create({ title: 'Hello' })
    const named = await client.posts.publish(post.id, [sites.a.id])
    expect(named.dispatched_to).toEqual([{ site_id: sites.a.id, status: 'pending' }])
    expect(await arrived()).toEqual({ a: ['post.published'], b: [] })
    await client.posts.publish(post.id)
    expect(await arrived()).toEqual({ a: ['post.updated'], b: ['post.published'] })
    expect((await client.posts.get(post.id)).version).toBe(1)
  })

  it('refuses an unknown or inactive site by its place in the list, and dispatches nothing', async () => {
    const post = await client.posts.create({ title: 'Hello' })
    await client.sites.update(sites.b.id, { status: 'inactive' })
    await expect(client.posts.publish(post.id, [sites.a.id, sites.b.id])).rejects.toMatchObject({
      status: 400,
      field: 'site_ids.1',
    })
    await expect(client.posts.publish(post.id, [sites.a.id, 'nonsense'])).rejects.toMatchObject({
      status: 400,
      field: 'site_ids.1',
    })
    await expect(client.posts.publish(post.id, [])).rejects.toMatchObject({ status: 400, field: 'site_ids' })
    expect(await arrived()).toEqual({ a: [], b: [] })
    expect((await client.posts.get(post.id)).status).toBe('draft')
  })

  it('leaves out inactive sites when none is named', async () => {
    await client.sites.update(sites.b.id, { status: 'inactive' })
    const post = await client.posts.create({ title: 'Hello', status: 'published' })
    expect(post.deliveries.map(({ site_id }) => site_id)).toEqual([sites.a.id])
  })

  it('names a site twice as if once', async () => {
    const post = await client.posts.create({ title: 'Hello' })
    expect((await client.posts.publish(post.id, [sites.a.id, sites.a.id.toUpperCase()])).dispatched_to).toHaveLength(1)
  })

  it('works without any site', async () => {
    const lonely = await newAccount(service)
    const post = await lonely.posts.create({ title: 'Nobody', status: 'published' })
    expect(post).toMatchObject({ status: 'published', deliveries: [] })
    expect((await lonely.posts.publish(post.id)).dispatched_to).toEqual([])
  })

  it('keeps the first time of publication and clears the schedule', async () => {
    const at = new Date(service.clock.now().getTime() + 3_600_000).toISOString()
    const post = await client.posts.create({ title: 'Early', status: 'scheduled', scheduled_at: at })
    const first = service.clock.now().toISOString()
    await client.posts.publish(post.id)
    service.clock.advance(60_000)
    await client.posts.publish(post.id)
    expect(await client.posts.get(post.id)).toMatchObject({
      status: 'published',
      published_at: first,
      scheduled_at: null,
    })
    await arrived()
    await service.advance(3_600_000)
    expect(await arrived()).toEqual({ a: [], b: [] })
  })

  it('filters the list by what a site may see', async () => {
    const both = await client.posts.create({ title: 'Both', status: 'published' })
    const onlyA = await client.posts.create({ title: 'Only A' })
    await client.posts.publish(onlyA.id, [sites.a.id])
    await client.posts.create({ title: 'Draft' })
    const later = await connectSite(client, receivers.b, 'Later')
    const seenBy = async (id: string) => (await client.posts.list({ site_id: id })).data.map((post) => post.id).sort()
    expect(await seenBy(sites.a.id)).toEqual([both.id, onlyA.id].sort())
    expect(await seenBy(sites.b.id)).toEqual([both.id])
    expect(await seenBy(later.id)).toEqual([both.id])
    await client.sites.delete(later.id)
    expect(await seenBy(later.id)).toEqual([])
    const stranger = await connectSite(await newAccount(service), receivers.b)
    for (const unknown of ['nonsense', stranger.id])
      await expect(seenBy(unknown)).rejects.toMatchObject({ status: 400, field: 'site_id' })
  })
})

describe('changes of a published post', () => {
  it('go to the sites that have been sent it, with the old slug when the slug changes', async () => {
    const post = await client.posts.create({ title: 'Hello' })
    await client.posts.publish(post.id, [sites.a.id])
    await arrived()
    await client.posts.update(post.id, { slug: 'goodbye' })
    await service.drain()
    expect(receivers.a.received[0]?.json).toMatchObject({
      previous_version: 1,
      post: { slug: 'goodbye', version: 2, previous_slugs: ['hello'] },
    })
    expect(receivers.b.received).toEqual([])
    const usurper = await client.posts.create({ title: 'Hello' })
    expect(usurper.slug).toBe('hello')
    await client.posts.update(post.id, { excerpt: 'x' })
    await service.drain()
    expect(receivers.a.received[1]?.json.post).not.toHaveProperty('previous_slugs')
  })

  it('keep the old slug, too, when it changes while the post is off the sites', async () => {
    const post = await client.posts.create({ title: 'Hello', status: 'published' })
    await client.posts.update(post.id, { status: 'draft' })
    await client.posts.update(post.id, { slug: 'goodbye' })
    await client.posts.update(post.id, { status: 'published' })
    await service.drain()
    expect(receivers.a.received.at(-1)?.json.post).toMatchObject({ slug: 'goodbye', previous_slugs: ['hello'] })
    const draft = await client.posts.create({ title: 'Unseen' })
    await client.posts.update(draft.id, { slug: 'seen', status: 'published' })
    await service.drain()
    expect(receivers.a.received.at(-1)?.json.post).not.toHaveProperty('previous_slugs')
  })

  it('send nothing when nothing changed', async () => {
    const post = await client.posts.create({ title: 'Hello', status: 'published' })
    await arrived()
    await client.posts.update(post.id, { title: 'Hello', status: 'published' })
    expect(await arrived()).toEqual({ a: [], b: [] })
  })

  it('wait for a site that is paused', async () => {
    const post = await client.posts.create({ title: 'Hello', status: 'published' })
    await arrived()
    await client.sites.update(sites.b.id, { status: 'inactive' })
    await client.posts.update(post.id, { title: 'Changed' })
    expect(await arrived()).toEqual({ a: ['post.updated'], b: [] })
    await client.sites.update(sites.b.id, { status: 'active' })
    expect(await arrived()).toEqual({ a: [], b: ['post.updated'] })
  })

  it('take it off the sites when it becomes a draft again; publishing it anew starts over', async () => {
    const post = await client.posts.create({ title: 'Hello', status: 'published' })
    await arrived()
    expect(await client.posts.update(post.id, { status: 'draft' })).toMatchObject({
      status: 'draft',
      version: 2,
      published_at: null,
    })
    expect(await arrived()).toEqual({ a: ['post.deleted'], b: ['post.deleted'] })
    await client.posts.update(post.id, { title: 'Edited in private' })
    expect(await arrived()).toEqual({ a: [], b: [] })
    await client.posts.publish(post.id, [sites.a.id])
    expect(await arrived()).toEqual({ a: ['post.published'], b: [] })
    expect((await client.posts.list({ site_id: sites.b.id })).data).toEqual([])
  })
})

describe('deleting a post', () => {
  it('tells the sites that have been sent it, also before anything arrived', async () => {
    receivers.a.answerNext(500)
    const post = await client.posts.create({ title: 'Short life' })
    await client.posts.publish(post.id, [sites.a.id])
    expect(await arrived()).toEqual({ a: ['post.published'], b: [] })
    await client.posts.delete(post.id)
    expect(await arrived()).toEqual({ a: ['post.deleted'], b: [] })
  })

  it('says nothing about a draft', async () => {
    const post = await client.posts.create({ title: 'Never seen' })
    await client.posts.delete(post.id)
    expect(await arrived()).toEqual({ a: [], b: [] })
  })
})

describe('scheduled posts', () => {
  it('that were published meanwhile are not changed by whoever sends them back as they were: the answer says so', async () => {
    const at = new Date(service.clock.now().getTime() + 60_000).toISOString()
    const { deliveries: _, ...read } = await client.posts.create({
      title: 'Due',
      status: 'scheduled',
      scheduled_at: at,
    })
    await service.advance(60_000)
    await expect(client.posts.update(read.id, { ...read, title: 'Edited' }, read.version)).rejects.toMatchObject({
      status: 409,
      field: 'status',
      message: expect.stringContaining('was published at'),
    })
    expect((await client.posts.get(read.id)).title).toBe('Due')
  })

  it('many at once are published each once, while deliveries are being recorded', async () => {
    const at = new Date(service.clock.now().getTime() + 60_000).toISOString()
    const posts = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        client.posts.create({ title: `Due ${index}`, status: 'scheduled', scheduled_at: at }),
      ),
    )
    await arrived()
    await service.advance(60_000)
    const { a, b } = await arrived()
    expect([a.length, b.length]).toEqual([60, 60])
    expect(
      new Set((await Promise.all(posts.map(({ id }) => client.posts.get(id)))).map(({ status }) => status)),
    ).toEqual(new Set(['published']))
    expect(service.logged.filter(({ level }) => level === 'error')).toEqual([])
  })

  // In processes of their own, workers have their own clocks and logs.
  it.skipIf(inject('apart') !== undefined)(
    'of an account with many delay nobody who has one, be it due later',
    async () => {
      const [second, third] = [await newAccount(service), await newAccount(service)]
      const schedule = (owner: PostriderClient, title: string, ms: number) => {
        const at = new Date(service.clock.now().getTime() + ms).toISOString()
        return owner.posts.create({ title, status: 'scheduled', scheduled_at: at })
      }
      const many = await Promise.all(
        Array.from({ length: 200 }, (_, index) => schedule(client, `One of ${index}`, 1_000)),
      )
      const later = await schedule(second, 'Later', 2_000)
      const meanwhile = await schedule(third, 'Meanwhile', 3_000)
      service.clock.advance(2_000)
      const published: string[] = []
      const info: Context['log']['info'] = (event, fields) => {
        if (published.length === 0) service.clock.advance(1_000)
        if (event === 'post.published') published.push((fields as { post_id: string }).post_id)
      }
      const log = { ...service.ctx.log, info }
      await runSchedule({ ...service.ctx, log }, new AbortController().signal)
      expect(published).toHaveLength(many.length + 2)
      expect(published.indexOf(later.id)).toBeLessThan(40)
      expect(published.indexOf(meanwhile.id)).toBeLessThan(80)
    },
  )

  it.each([
    ['cannot be published', `raise exception 'not this one'`],
    ['takes longer than a statement may', `raise exception 'canceling statement' using errcode = 'query_canceled'`],
  ])('one that %s holds up no other', async (_, refuse) => {
    const before = service.logged.length
    const at = (ms: number) => new Date(service.clock.now().getTime() + ms).toISOString()
    const broken = await client.posts.create({ title: 'Broken', status: 'scheduled', scheduled_at: at(1_000) })
    const fine = await client.posts.create({ title: 'Fine', status: 'scheduled', scheduled_at: at(2_000) })
    const db = service.ctx.db.root
    await sql`create function refuse() returns trigger language plpgsql as $$ begin ${sql.raw(refuse)}; end $$`.execute(
      db,
    )
    await sql`create trigger refuse before update on posts for each row when (new.title = 'Broken') execute function refuse()`.execute(
      db,
    )
    await service.advance(2_000)
    expect((await client.posts.get(fine.id)).status).toBe('published')
    expect((await client.posts.get(broken.id)).status).toBe('scheduled')
    const refused = service.logged.slice(before).filter(({ event }) => event === 'post.schedule_failed')
    expect(new Set(refused.map(({ fields }) => fields.post_id))).toEqual(new Set([broken.id]))
    await sql`drop function refuse cascade`.execute(db)
    await service.drain()
    expect((await client.posts.get(broken.id)).status).toBe('published')
  })
})
