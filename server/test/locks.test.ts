/**
 * What is locked, and why: each test holds a row as another transaction would, lets the service run into it, and looks at what it made
 * of it. The simulation cannot see this: on its one connection nobody waits for a lock.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PostriderClient, SiteWithSecrets } from '@postrider/sdk'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { removeAccount } from '../src/accounts/index.ts'
import { purgeDeletedSites, removeOldHistory } from '../src/engine/index.ts'
import { plusMs } from '../src/platform/clock.ts'
import type { Tx } from '../src/platform/db/database.ts'
import { deletePosts, lockPostsOfAccount, runSchedule } from '../src/posts/index.ts'
import { holdTransaction } from './support/held.ts'
import { request } from './support/http.ts'
import { heldAnswer, type Receiver, startReceiver } from './support/receiver.ts'
import { refuseResults } from './support/refused.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'
import { workerOf } from './support/worker.ts'

let service: TestService
let receiver: Receiver
let client: PostriderClient
let site: SiteWithSecrets
const held: Array<() => Promise<void>> = []

beforeAll(async () => {
  service = await startService()
  receiver = await startReceiver()
})
beforeEach(async () => {
  await service.drain()
  client = await newAccount(service)
  site = await connectSite(client, receiver)
  receiver.received.length = 0
})
afterEach(async () => {
  for (const release of held.splice(0)) await release()
})
afterAll(async () => {
  await receiver.close()
  await service.stop()
})

/** Holds a transaction until the returned function commits it, or the test ends. */
async function hold(work: (tx: Tx) => Promise<unknown>): Promise<() => Promise<void>> {
  const release = await holdTransaction(service.ctx.db, work)
  held.push(release)
  return release
}

const lockLane = (tx: Tx) => sql`select from lanes where site_id = ${site.id} for update`.execute(tx)

/** Until a statement of the service waits for what is held, or so many. */
async function somebodyWaits(count = 1): Promise<void> {
  const waiting = sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
  `
  await expect
    .poll(async () => (await waiting.execute(service.ctx.db.root)).rows.length, { timeout: 20_000 })
    .toBe(count)
}

/** The receiver keeps the next requests, so many, waiting until the returned function is called. */
function answerLater(count: number): () => void {
  const { answer, finish } = heldAnswer()
  receiver.answerNext(...Array.from({ length: count }, () => answer))
  return finish
}

/** Lets time pass until the promise has settled: results whose lane is locked are tried again every tenth of a second. */
async function whileTimePasses(promise: Promise<unknown>): Promise<void> {
  let isSettled = false
  const settled = promise.finally(() => {
    isSettled = true
  })
  while (!isSettled) {
    service.clock.advance(100)
    await sleep(10)
  }
  await settled
}

const deliveries = (postId: string) =>
  service.ctx.db.root
    .selectFrom('deliveries')
    .select(['status', 'attempts', 'sequence'])
    .where('post_id', '=', postId)
    .orderBy('sequence')
    .execute()

describe.skipIf(inject('database').kind === 'embedded')('on a database with several connections', () => {
  it('a result waits for the lane, and is refused when the lane has become another holder’s', async () => {
    const answer = answerLater(1)
    const post = await client.posts.create({ title: 'Taken over', status: 'published' })
    const drained = service.drain()
    await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(1)
    const release = await hold((tx) => sql`update lanes set fence = fence + 1 where site_id = ${site.id}`.execute(tx))
    answer()
    await sleep(200) // the result comes, and finds the lane locked
    await release()
    await whileTimePasses(drained)
    expect(await deliveries(post.id)).toMatchObject([{ status: 'pending', attempts: 0 }])
    await service.advance(60_000)
    expect(await deliveries(post.id)).toMatchObject([{ status: 'delivered', attempts: 1 }])
  })

  it('a result that waits for its lane holds up those of no other', async () => {
    const answer = answerLater(2)
    const neighbour = await newAccount(service)
    await connectSite(neighbour, receiver)
    const post = await client.posts.create({ title: 'Its lane is locked', status: 'published' })
    const other = await neighbour.posts.create({ title: 'Its lane is free', status: 'published' })
    const drained = service.drain()
    await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(2)
    const release = await hold(lockLane)
    answer()
    await expect.poll(() => deliveries(other.id), { timeout: 20_000 }).toMatchObject([{ status: 'delivered' }])
    expect(await deliveries(post.id)).toMatchObject([{ status: 'pending', attempts: 0 }])
    await release()
    await whileTimePasses(drained)
    expect(await deliveries(post.id)).toMatchObject([{ status: 'delivered', attempts: 1 }])
    expect(receiver.received).toHaveLength(2)
  })

  it('a result that is refused holds up none that waits for its lane', async () => {
    const answer = answerLater(2)
    const neighbour = await newAccount(service)
    const { id: refusedAt } = await connectSite(neighbour, receiver)
    const post = await client.posts.create({ title: 'Its lane is locked', status: 'published' })
    const other = await neighbour.posts.create({ title: 'It is refused', status: 'published' })
    const mend = await refuseResults(service.ctx.db, refusedAt, '22023')
    const log = { ...service.ctx.log, error() {}, warn() {} }
    const worker = workerOf({ ...service.ctx, log })
    await worker.step()
    await expect.poll(() => receiver.received.length).toBe(2)
    const release = await hold(lockLane)
    answer()
    await sleep(200) // both results come; one finds its lane locked
    await release()
    const both = async () => {
      service.clock.advance(500)
      return (await Promise.all([deliveries(post.id), deliveries(other.id)])).flat().map(({ status }) => status)
    }
    await expect.poll(both).toEqual(['delivered', 'pending'])
    await mend()
    await worker.idle()
    // The lease of what was refused runs out, and it is attempted again.
    await service.advance(60_000)
    await expect.poll(both).toEqual(['delivered', 'delivered'])
    expect(receiver.received).toHaveLength(3)
  })

  it('an enqueue waits for the lane, and leaves out a site that was deleted meanwhile', async () => {
    const post = await client.posts.create({ title: 'Nobody there' })
    const release = await hold(async (tx) => {
      await lockLane(tx)
      await sql`update endpoints set deleted_at = now() where site_id = ${site.id}`.execute(tx)
    })
    const published = client.posts.publish(post.id)
    await somebodyWaits()
    await release()
    await published
    expect(await deliveries(post.id)).toEqual([])
  })

  it('a change of a site needs nothing of its account, which is locked before its sites when it is removed', async () => {
    const { id } = await client.sites.create({ name: 'Guessed', url: 'https://a.example', webhook_url: receiver.url })
    await hold(async (tx) => {
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
      await sql`select from accounts where id = (select account_id from sites where id = ${id}) for update`.execute(tx)
    })
    const url = 'https://elsewhere.example'
    expect(await client.sites.update(id, { url, name: 'Moved' })).toMatchObject({ url, name: 'Moved' })
  })

  it('a slug that one post gives up as another takes it is not a former one any more', async () => {
    const post = await client.posts.create({ title: 'Hello', status: 'published' })
    const other = await client.posts.create({ title: 'Another' })
    const release = await hold(lockLane)
    const renamed = client.posts.update(post.id, { slug: 'goodbye' })
    await somebodyWaits()
    const taken = client.posts.update(other.id, { slug: 'hello' })
    await somebodyWaits(2)
    await release()
    expect(await Promise.all([renamed, taken])).toMatchObject([{ slug: 'goodbye' }, { slug: 'hello' }])
    await service.drain()
    receiver.received.length = 0
    await client.posts.update(post.id, { excerpt: 'Renamed' })
    await service.drain()
    expect(receiver.received[0]?.json.post).not.toHaveProperty('previous_slugs')
  })

  it('a failure that is removed as it is sent again is not taken out of the sums', async () => {
    const refuse: Parameters<Receiver['answerNext']>[0] = (_, response) => response.writeHead(500).end()
    receiver.answerNext(refuse, refuse, refuse, refuse)
    const post = await client.posts.create({ title: 'Too old', status: 'published' })
    for (let attempt = 0; attempt < 4; attempt += 1) await service.advance(3_600_000)
    expect(await deliveries(post.id)).toMatchObject([{ status: 'failed', attempts: 4 }])
    const release = await hold((tx) => sql`delete from deliveries where post_id = ${post.id}`.execute(tx))
    const retried = client.analytics.retry(post.id)
    await somebodyWaits()
    await release()
    await retried.catch(() => {})
    const { failed } = await sql<{ failed: number }>`select failed from lanes where site_id = ${site.id}`
      .execute(service.ctx.db.root)
      .then(({ rows: [row] }) => row ?? expect.fail('no lane'))
    expect(failed).toBe(1)
  })

  it('one worker at a time removes history, so an event goes with its last delivery; the others do not wait', async () => {
    const other = await connectSite(client, receiver, 'Gone soon')
    const post = await client.posts.create({ title: 'Long ago', status: 'published' })
    await service.drain()
    await client.sites.delete(other.id)
    await service.advance(1_000)
    const release = await hold((tx) => sql`select from deliveries where site_id = ${site.id} for update`.execute(tx))
    const old = { ...service.ctx, config: { ...service.ctx.config, historyRetentionMs: 1 } }
    const removed = removeOldHistory(old, new AbortController().signal)
    await somebodyWaits()
    const later = plusMs(service.ctx.clock.now(), 91 * 24 * 3_600_000)
    expect(await purgeDeletedSites(service.ctx.db, later)).toBe(false)
    await release()
    await removed
    expect(await purgeDeletedSites(service.ctx.db, later)).toBe(true)
    const left = await service.ctx.db.root.selectFrom('events').select('id').where('post_id', '=', post.id).execute()
    expect(left).toEqual([])
  })

  it.each([
    ['rotating its keys', () => client.sites.rotateKeys(site.id)],
    ['changing nothing but its platform', () => client.sites.update(site.id, { platform: 'wordpress' })],
  ])('%s waits for a site to be deleted, and finds none', async (_, act) => {
    const release = await hold((tx) => sql`delete from sites where id = ${site.id}`.execute(tx))
    const acted = expect(act()).rejects.toMatchObject({ status: 404 })
    await somebodyWaits()
    await release()
    await acted
  })

  it('removing an account locks its posts in the order of their ids, and then the account', async () => {
    const leaving = await newAccount(service)
    const { user } = await leaving.account()
    const first = await leaving.posts.create({ title: 'One' })
    service.clock.advance(1) // ids of one instant are in no order
    const second = await leaving.posts.create({ title: 'Two' })
    await leaving.posts.update(first.id, { title: 'In the table it is now the last' })
    const release = await hold((tx) => sql`select from posts where id = ${first.id} for update`.execute(tx))
    const removed = removeAccount(service.ctx, user.email, lockPostsOfAccount, deletePosts)
    await somebodyWaits()
    const { root } = service.ctx.db
    await sql`select from posts where id = ${second.id} for update nowait`.execute(root)
    await sql`select from accounts where id = ${user.id} for key share nowait`.execute(root)
    await release()
    expect(await removed).toMatchObject({ id: user.id })
  })

  it.each([
    ['a post', (of: PostriderClient) => of.posts.create({ title: 'Too late' })],
    ['a site', (of: PostriderClient) => connectSite(of, receiver)],
    ['a draft', (of: PostriderClient) => of.drafts.generate({ topic: 'Too late', target_keywords: ['late'] })],
  ])('%s waits for its account to be removed, and its login is refused', async (_, add) => {
    const leaving = await newAccount(service)
    const { user } = await leaving.account()
    const release = await hold((tx) => sql`delete from accounts where id = ${user.id}`.execute(tx))
    const added = expect(add(leaving)).rejects.toMatchObject({ status: 401 })
    await somebodyWaits()
    await release()
    await added
    expect(service.logged.filter(({ event }) => event === 'request.failed')).toEqual([])
  })

  it('a draft that is written while its account is removed is given up', async () => {
    const leaving = await newAccount(service)
    const { user } = await leaving.account()
    await leaving.drafts.generate({ topic: 'Too late', target_keywords: ['late'] })
    const { promise: written, resolve: goOn } = Promise.withResolvers<void>()
    const removed = service.ctx.db.tx(async (tx) => {
      await sql`select from accounts where id = ${user.id} for update`.execute(tx)
      await written
      await sql`delete from generation_jobs where account_id = ${user.id}`.execute(tx)
      await sql`delete from accounts where id = ${user.id}`.execute(tx)
    })
    const drained = service.drain()
    await somebodyWaits().finally(goOn)
    await Promise.all([removed, drained])
    const ended = service.logged.filter(({ event }) => /^(draft|job)\./.test(event))
    expect(ended.map(({ event }) => event)).toEqual(['job.given_up'])
  })

  it('a post that is due is published by one of two processes', async () => {
    const scheduledAt = new Date(service.clock.now().getTime() + 1_000).toISOString()
    const post = await client.posts.create({ title: 'Once', status: 'scheduled', scheduled_at: scheduledAt })
    service.clock.advance(1_000)
    const { signal } = new AbortController()
    const release = await hold(lockLane)
    const first = runSchedule(service.ctx, signal)
    await somebodyWaits()
    const second = runSchedule(service.ctx, signal)
    // It passes over the post, or waits for it and publishes it once more.
    await Promise.race([second, sleep(300)])
    await release()
    await Promise.all([first, second])
    expect(await deliveries(post.id)).toHaveLength(1)
    expect(service.logged.filter(({ event }) => event === 'post.schedule_failed')).toEqual([])
  })

  it('a lane that is held keeps its own account’s scheduled posts waiting, and nobody else’s', async () => {
    const scheduled_at = new Date(service.clock.now().getTime() + 1_000).toISOString()
    const other = await newAccount(service)
    await connectSite(other, receiver)
    const waiting = [
      await client.posts.create({ title: 'Held up', status: 'scheduled', scheduled_at }),
      await client.posts.create({ title: 'Too', status: 'scheduled', scheduled_at }),
    ]
    const free = await other.posts.create({ title: 'Free', status: 'scheduled', scheduled_at })
    service.clock.advance(1_000)
    const release = await hold(lockLane)
    await runSchedule(service.ctx, new AbortController().signal)
    const states = async () =>
      (await Promise.all([...waiting.map(({ id }) => client.posts.get(id)), other.posts.get(free.id)])).map(
        ({ status }) => status,
      )
    expect(await states()).toEqual(['scheduled', 'scheduled', 'published'])
    expect(service.logged.filter(({ event }) => event === 'posts.held_up')).toMatchObject([{ level: 'warn' }])
    await release()
    await service.drain()
    expect(await states()).toEqual(['published', 'published', 'published'])
  })
})

describe.skipIf(inject('database').kind === 'embedded')('lists that may take long', () => {
  it('leave most connections to others, however many a site asks for at once', async () => {
    await client.posts.create({ title: 'Post', tags: ['one'], status: 'published' })
    const pull = (path: string) =>
      request(`${service.url}/api/pull/posts${path}`, { headers: { 'x-api-key': site.api_key } })
    await pull('') // kept from now on
    const release = await hold((tx) => sql`lock table post_slugs, posts in access exclusive mode`.execute(tx))
    const lists = Array.from({ length: 40 }, (_, index) => pull(`?tag=tag-${index}`))
    await somebodyWaits(2)
    expect((await pull('')).json).toMatchObject({ total: 1 })
    await somebodyWaits(2)
    await release()
    expect(new Set((await Promise.all(lists)).map(({ status }) => status))).toEqual(new Set([200]))
  })
})
