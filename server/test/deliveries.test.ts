/** The engine's promises, against real receivers. */
import { randomUUID } from 'node:crypto'
import { createPullClient, type PostriderClient, type SiteWithSecrets, verifyWebhook } from '@postrider/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { plusMs } from '../src/platform/clock.ts'
import { type Answer, heldAnswer, type Receiver, startReceiver } from './support/receiver.ts'
import { refuseResults } from './support/refused.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'
import { workerOf } from './support/worker.ts'

let service: TestService
let receiver: Receiver
let client: PostriderClient
let site: SiteWithSecrets

const TIMEOUT_MS = 400

beforeAll(async () => {
  service = await startService({ DELIVERY_TIMEOUT: `${TIMEOUT_MS}ms` })
})
beforeEach(async () => {
  // What an earlier test left to deliver must not hold up this one; and what comes of it later must not arrive here.
  await service.drain()
  receiver = await startReceiver()
  client = await newAccount(service)
  site = await connectSite(client, receiver)
  receiver.received.length = 0
})
afterEach(() => receiver.close())
afterAll(() => service.stop())

const deliveriesOf = (postId: string) =>
  service.ctx.db.root.selectFrom('deliveries').selectAll().where('post_id', '=', postId).orderBy('sequence').execute()
/** How the deliveries of a post have ended, or where they are. */
const endsOf = async (postId: string) =>
  (await deliveriesOf(postId)).map(({ status, last_error }) => last_error ?? status)
const laneOf = (siteId: string) =>
  service.ctx.db.root.selectFrom('lanes').selectAll().where('site_id', '=', siteId).executeTakeFirstOrThrow()
const publish = async (title = 'Post') => (await client.posts.create({ title, status: 'published' })).id
const anotherWorker = () => workerOf(service.ctx)

/** An answer that takes 20 ms, and how many requests waited for it at once. */
function slowAnswer(afterMs = 20): { answer: Answer; most(): number } {
  let [open, most] = [0, 0]
  const answer: Answer = (_, response) => {
    open += 1
    most = Math.max(most, open)
    setTimeout(() => {
      open -= 1
      response.writeHead(200).end()
    }, afterMs)
  }
  return { answer, most: () => most }
}

/** Sixteen deliveries from each lane, the least. */
const LITTLE = { all: 16, leastPerLane: 16, mostPerLane: 16 }

/** Resolves once the receiver has `count` requests. */
async function requests(count: number): Promise<void> {
  while (receiver.received.length < count) await new Promise((resolve) => setTimeout(resolve, 2))
}

describe('attempts', () => {
  it('are four at most; then the delivery has failed and the site is in error until the next success', async () => {
    receiver.answerNext(500, 404, 301, 201)
    const postId = await publish()
    await service.drain()
    for (const delay of [30_000, 300_000, 1_800_000, 86_400_000]) await service.advance(delay)
    expect(receiver.received).toHaveLength(4)
    const [delivery] = await deliveriesOf(postId)
    expect(delivery).toMatchObject({ status: 'failed', attempts: 4, response_code: 201, next_attempt_at: null })
    expect(delivery?.history.map(({ attempt, code, error }) => ({ attempt, code, error }))).toEqual([
      { attempt: 1, code: 500, error: 'http_error' },
      { attempt: 2, code: 404, error: 'http_error' },
      { attempt: 3, code: 301, error: 'redirect_not_followed' },
      { attempt: 4, code: 201, error: 'http_error' },
    ])
    expect((await client.sites.get(site.id)).status).toBe('error')
    await publish('Next')
    await service.drain()
    expect(await client.sites.get(site.id)).toMatchObject({
      status: 'active',
      delivery_stats: { total: 2, success_rate: 50 },
    })
  })

  it('put the site in error after five failures in a row, whatever their deliveries', async () => {
    receiver.answerNext(500, 500, 500, 500, 500)
    for (let count = 1; count <= 5; count += 1) {
      expect((await client.sites.get(site.id)).status).toBe('active')
      await publish(`Post ${count}`)
      await service.drain()
    }
    expect((await client.sites.get(site.id)).status).toBe('error')
  })

  it('end at the timeout, without a code', async () => {
    receiver.answerNext(() => {})
    const postId = await publish()
    await service.drain()
    const [delivery] = await deliveriesOf(postId)
    expect(delivery).toMatchObject({ status: 'pending', attempts: 1, response_code: null, last_error: 'timeout' })
    expect(delivery?.response_time_ms).toBeGreaterThanOrEqual(TIMEOUT_MS - 5)
    expect(await laneOf(site.id)).toMatchObject({ suspect: true })
    await service.advance(30_000)
    expect(await laneOf(site.id)).toMatchObject({ suspect: false })
    expect((await deliveriesOf(postId))[0]).toMatchObject({ status: 'delivered_retry' })
  })

  it('count a 200 whose body never ends as delivered', async () => {
    receiver.answerNext((_, response) => void response.writeHead(200).write('and so on'))
    const postId = await publish()
    await service.drain()
    expect((await deliveriesOf(postId))[0]).toMatchObject({ status: 'delivered', response_code: 200 })
  })

  it('record an odd answer without harm', async () => {
    receiver.answerNext(
      (_, response) => void response.socket?.end('HTTP/1.1 999 \u0000\u0007\r\nX-\u0001: \u0000\r\n\r\n'),
    )
    const postId = await publish()
    await service.drain()
    expect((await deliveriesOf(postId))[0]).toMatchObject({
      status: 'pending',
      attempts: 1,
      last_error: expect.any(String),
    })
  })

  it('roll up by the hour and the day as they finish', async () => {
    const rowsOf = (rollUp: 'delivery_hours' | 'delivery_days') =>
      service.ctx.db.root
        .selectFrom(rollUp)
        .select(['delivered', 'failed', 'retried'])
        .where('site_id', '=', site.id)
        .execute()
    receiver.answerNext(500)
    await publish('One')
    await publish('Two')
    await service.drain()
    await service.advance(30_000)
    await service.advance(3_600_000)
    await publish('Three')
    await service.drain()
    const third = { delivered: 1, failed: 0, retried: 0 }
    const rows = [await rowsOf('delivery_hours'), await rowsOf('delivery_days')]
    expect(rows).toEqual([[{ delivered: 2, failed: 0, retried: 1 }, third], [{ delivered: 3, failed: 0, retried: 1 }]])
  })
})

describe('order, per site and post', () => {
  it('is that of the events, and attempts never overlap', async () => {
    const { answer, most } = slowAnswer()
    const postId = await publish()
    for (let times = 2; times <= 5; times += 1) await client.posts.publish(postId)
    receiver.answerNext(...Array.from({ length: 5 }, () => answer))
    await service.drain()
    const ids = (await deliveriesOf(postId)).map(({ id }) => id)
    expect(receiver.received.map(({ headers }) => headers['x-service-delivery'])).toEqual(ids)
    expect(ids).toHaveLength(5)
    expect(most()).toBe(1)
  })

  it('attempts different posts of a site that takes its time side by side, eight at most', async () => {
    const { answer, most } = slowAnswer(250)
    receiver.answerNext(...Array.from({ length: 20 }, () => answer))
    for (let count = 0; count < 20; count += 1) await publish(`Post ${count}`)
    await service.drain()
    expect(receiver.received).toHaveLength(20)
    expect(most()).toBe(8)
  })

  it('never goes backwards: once a newer event is delivered the older one ends as superseded and counts nowhere', async () => {
    receiver.answerNext(500)
    const postId = await publish()
    await service.drain()
    await client.posts.update(postId, { title: 'Newer' })
    await service.drain()
    await service.advance(86_400_000)
    expect(receiver.received.map(({ json }) => json.event)).toEqual(['post.published', 'post.updated'])
    expect(await deliveriesOf(postId)).toMatchObject([
      { status: 'failed', last_error: 'superseded', attempts: 1 },
      { status: 'delivered', attempts: 1 },
    ])
    expect(await client.sites.get(site.id)).toMatchObject({
      status: 'active',
      delivery_stats: { total: 1, success_rate: 100 },
    })
  })

  it('after a crash sends the newest event first, since it may have been acknowledged already', async () => {
    const postId = await crashWithTheNewer()
    await service.advance(60_000)
    expect(receiver.received.map(({ json }) => json.event)).toEqual(['post.published', 'post.updated', 'post.updated'])
    expect(await endsOf(postId)).toEqual(['superseded', 'delivered'])
  })
})

describe('after a crash, when the newest event may have been acknowledged', () => {
  it.each([
    [
      'is delivered later',
      1,
      ['post.published', 'post.updated', 'post.updated', 'post.updated'],
      ['superseded', 'delivered_retry'],
    ],
    [
      'fails for good',
      4,
      ['post.published', 'post.updated', 'post.updated', 'post.updated', 'post.updated', 'post.updated'],
      ['superseded', 'http_error'],
    ],
  ])('no older one is sent any more, even if it fails now and %s', async (_name, failures, events, ends) => {
    const postId = await crashWithTheNewer()
    receiver.answerNext(...Array.from({ length: failures }, () => 503))
    for (const delay of [60_000, 30_000, 300_000, 1_800_000, 1_800_000]) await service.advance(delay)
    expect(receiver.received.map(({ json }) => json.event)).toEqual(events)
    expect(await endsOf(postId)).toEqual(ends)
    expect((await laneOf(site.id)).due_at).toBeNull()
  })
})

describe('results whose commit is not known to have succeeded', () => {
  it('are recorded once, and announced: also what they ended besides', async () => {
    receiver.answerNext(500)
    const postId = await publish()
    await service.drain()
    await client.posts.update(postId, { title: 'Newer' })
    const { db, log, ...rest } = service.ctx
    let lost = false
    const tx: typeof db.tx = async (work) => {
      const done = await db.tx(work)
      if (lost) return done
      lost = true
      throw new Error('Connection terminated')
    }
    const tell = vi.spyOn(service.ctx.changes, 'announce')
    const worker = workerOf({ ...rest, log: { ...log, error: () => {} }, db: { ...db, tx } })
    await worker.step()
    await expect.poll(() => lost).toBe(true)
    service.clock.advance(250)
    await worker.idle()
    const told = tell.mock.calls.flatMap(([changes]) => changes).map(({ id }) => id)
    tell.mockRestore()
    const deliveries = await deliveriesOf(postId)
    expect(deliveries).toMatchObject([{ last_error: 'superseded' }, { status: 'delivered', attempts: 1 }])
    expect(new Set(told)).toEqual(new Set([...deliveries.map(({ id }) => id), site.id]))
  })
})

describe('after a second crash', () => {
  it('the newest event goes first too, though fewer deliveries are read at once', async () => {
    const postId = await publish()
    const past = plusMs(service.clock.now(), -1)
    await service.ctx.db.root.updateTable('lanes').set({ leased_until: past, due_at: past }).execute()
    for (let version = 2; version <= 20; version += 1) {
      service.clock.advance(1)
      await client.posts.update(postId, { title: `Version ${version}` })
    }
    const crashed = workerOf(unrecording(service))
    await crashed.step()
    await requests(1)
    service.clock.advance(60_000)
    const worker = workerOf(service.ctx, { read: LITTLE })
    await worker.drain()
    const versions = receiver.received.map(({ body }) => JSON.parse(body).post.version)
    expect(versions).toEqual([20, 20])
  })
})

describe('results that come while the database is away', () => {
  it('are recorded when it is back, though the lease has run out: nothing is sent twice', async () => {
    const postId = await publish()
    const { worker, tries, mend } = failingWorker('Connection terminated')
    await worker.step()
    await expect.poll(tries).toBe(1)
    service.clock.advance(TIMEOUT_MS + 15_000)
    await expect.poll(tries).toBe(2)
    mend()
    service.clock.advance(2_000)
    await worker.idle()
    await service.drain()
    expect(await deliveriesOf(postId)).toMatchObject([{ status: 'delivered', attempts: 1 }])
    expect(receiver.received).toHaveLength(1)
  })
})

describe('results that come right after others', () => {
  it('wait for each other before they are recorded', async () => {
    await connectSite(client, receiver)
    const { answer, finish } = heldAnswer()
    receiver.answerNext(200, answer)
    const postId = await publish()
    const worker = workerOf(service.ctx, { gatherMs: 40 })
    await worker.step()
    await requests(2)
    const delivered = async () => (await deliveriesOf(postId)).filter(({ status }) => status === 'delivered').length
    await expect.poll(delivered).toBe(1)
    finish()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await delivered()).toBe(1)
    service.clock.advance(40)
    await worker.idle()
    expect(await delivered()).toBe(2)
  })
})

describe('a result that cannot be recorded', () => {
  it.each([
    ['because it is refused', '22023'],
    ['because it takes too long', '57014'],
  ])('%s holds up no results but those of its lane', async (_, errcode) => {
    const [poor, fine] = [site.id, (await connectSite(client, receiver)).id]
    const mend = await refuseResults(service.ctx.db, poor, errcode)
    const postIds = [await publish('One'), await publish('Two')]
    const worker = workerOf({ ...service.ctx, log: { ...service.ctx.log, error() {}, warn() {} } })
    await worker.step()
    const states = async () =>
      Object.groupBy((await Promise.all(postIds.map(deliveriesOf))).flat(), (one) =>
        one.site_id === poor ? 'poor' : 'fine',
      )
    await expect.poll(states).toMatchObject({ fine: [{ status: 'delivered' }, { status: 'delivered' }] })
    await expect.poll(() => laneOf(fine)).toMatchObject({ leased_until: null })
    expect(await states()).toMatchObject({ poor: [{ status: 'pending' }, { status: 'pending' }] })
    await mend()
    await worker.idle()
    // The lease runs out, as after a crash, and the site is sent the same once more.
    await service.advance(TIMEOUT_MS + 15_000)
    expect(await states()).toMatchObject({ poor: [{ status: 'delivered' }, { status: 'delivered' }] })
    expect(receiver.received).toHaveLength(6)
  })
})

describe('after results were dropped because they could not be recorded', () => {
  it('the lane counts as left by a crash: nothing older than what may have been acknowledged is sent', async () => {
    receiver.answerNext(500)
    const postId = await publish()
    await service.drain()
    await service.advance(20_000)
    await client.posts.update(postId, { title: 'Newer' })
    service.clock.advance(1)
    await publish('Other')
    const { answer, finish } = heldAnswer()
    receiver.answerNext(200, answer)
    const { worker, dropped, mend } = failingWorker('cannot be recorded')
    await worker.step()
    await requests(3)
    await expect.poll(dropped).toBe(1)
    mend()
    finish()
    await worker.idle()
    expect(await laneOf(site.id)).toMatchObject({ leased_until: service.clock.now() })
    await service.drain()
    expect(receiver.received.slice(1).map(({ json }) => json.event)).toEqual([
      'post.updated',
      'post.published',
      'post.updated',
    ])
    expect(await endsOf(postId)).toEqual(['superseded', 'delivered'])
  })
})

/** A worker whose transactions fail with this message until `mend` is called; `tries` counts them, `dropped` the results given up. */
function failingWorker(message: string) {
  const { db, log, ...rest } = service.ctx
  let [tries, dropped] = [0, 0]
  let failing = true
  const tx: typeof db.tx = async (work) => {
    tries += 1
    if (failing) throw new Error(message)
    return db.tx(work)
  }
  const error: typeof log.error = (event) => {
    if (event === 'delivery.dropped') dropped += 1
  }
  const worker = workerOf({ ...rest, log: { ...log, error }, db: { ...db, tx } })
  return {
    worker,
    tries: () => tries,
    dropped: () => dropped,
    mend() {
      failing = false
    },
  }
}

/** A post whose first event failed and is due again in a second, and whose newer one was sent by a worker that died before it recorded that. */
async function crashWithTheNewer(): Promise<string> {
  receiver.answerNext(500)
  const postId = await publish()
  await service.drain()
  await service.advance(29_000)
  await client.posts.update(postId, { title: 'Newer' })
  const crashed = workerOf(unrecording(service))
  await crashed.step()
  await requests(2)
  return postId
}

/** The context of a worker that dies before it records anything. */
function unrecording({ ctx }: TestService): TestService['ctx'] {
  return { ...ctx, log: { ...ctx.log, error: () => {} }, db: { ...ctx.db, tx: () => new Promise(() => {}) } }
}

describe('leases', () => {
  it('keep a second worker from what the first is sending', async () => {
    const { answer, finish } = heldAnswer()
    receiver.answerNext(answer)
    await publish()
    const first = anotherWorker()
    await first.step()
    await requests(1)
    await anotherWorker().drain()
    expect(receiver.received).toHaveLength(1)
    finish()
    await first.idle()
    await anotherWorker().drain()
    expect(receiver.received).toHaveLength(1)
  })

  it('run out: the work of a dead worker is taken over, and its late answer changes nothing', async () => {
    const { answer, finish } = heldAnswer(500)
    receiver.answerNext(answer)
    const postId = await publish()
    const slow = anotherWorker()
    await slow.step()
    await requests(1)
    service.clock.advance(TIMEOUT_MS + 15_000)
    await anotherWorker().drain()
    expect(receiver.received).toHaveLength(2)
    expect((await deliveriesOf(postId))[0]).toMatchObject({ status: 'delivered', attempts: 1 })
    service.logged.length = 0
    finish()
    await slow.idle()
    expect((await deliveriesOf(postId))[0]).toMatchObject({ status: 'delivered', attempts: 1, history: [] })
    expect(service.logged.map(({ event }) => event)).toContain('delivery.late_answer')
    expect(await laneOf(site.id)).toMatchObject({ leased_until: null, failures_in_a_row: 0 })
  })

  it('that a standby never heard of count no more than others that ran out', async () => {
    const lost = heldAnswer(500)
    const next = heldAnswer()
    receiver.answerNext(lost.answer)
    receiver.answerNext(next.answer)
    const postId = await publish()
    const before = await laneOf(site.id)
    const first = anotherWorker()
    await first.step()
    await requests(1)
    // What a database shows that has taken over without the commit of the lease.
    await service.ctx.db.root.updateTable('lanes').set(before).where('site_id', '=', site.id).execute()
    service.clock.advance(1)
    const second = anotherWorker()
    await second.step()
    await requests(2)
    service.logged.length = 0
    lost.finish()
    await first.idle()
    expect(service.logged.map(({ event }) => event)).toContain('delivery.late_answer')
    expect((await laneOf(site.id)).leased_until).not.toBeNull()
    next.finish()
    await second.idle()
    expect((await deliveriesOf(postId))[0]).toMatchObject({ status: 'delivered', attempts: 1 })
  })

  it('are relied on no longer because the clock was set back', async () => {
    const { answer, finish } = heldAnswer()
    receiver.answerNext(answer)
    await publish('One')
    await publish('Two')
    const holder = anotherWorker()
    await holder.step()
    await requests(1)
    service.clock.advance(14_000)
    service.clock.advance(-60_000)
    finish()
    await holder.idle()
    expect(receiver.received).toHaveLength(1)
    service.clock.advance(60_000)
    await anotherWorker().drain()
    expect(receiver.received).toHaveLength(2)
  })

  it('are over after the machine slept', async () => {
    const { answer, finish } = heldAnswer()
    receiver.answerNext(answer)
    await publish('One')
    await publish('Two')
    const sleeper = anotherWorker()
    await sleeper.step()
    await requests(1)
    service.clock.suspend(14_000)
    finish()
    await sleeper.idle()
    expect(receiver.received).toHaveLength(1)
    await anotherWorker().drain()
    expect(receiver.received).toHaveLength(2)
  })

  it('that ran out while their process was suspended are not taken again by it', async () => {
    const { answer, finish } = heldAnswer()
    receiver.answerNext(answer)
    const postId = await publish()
    const suspended = anotherWorker()
    await suspended.step()
    await requests(1)
    service.clock.advance(TIMEOUT_MS + 15_000)
    await suspended.step()
    finish()
    await suspended.idle()
    expect(receiver.received).toHaveLength(1)
    expect(await deliveriesOf(postId)).toMatchObject([{ status: 'delivered', attempts: 1 }])
  })

  it('do not swallow the wake-up of an event that comes while the lane is held', async () => {
    const held: Array<() => void> = []
    receiver.answerNext((_, response) => void held.push(() => response.writeHead(200).end()))
    await publish('First')
    const worker = anotherWorker()
    await worker.step()
    await requests(1)
    await publish('Second')
    for (const finish of held) finish()
    await worker.idle()
    expect((await laneOf(site.id)).due_at).not.toBeNull()
    await service.drain()
    expect(receiver.received).toHaveLength(2)
  })

  it('are idle again, due when the next retry is, once everything is recorded', async () => {
    receiver.answerNext(500)
    await publish()
    await service.drain()
    expect(await laneOf(site.id)).toMatchObject({ leased_until: null, due_at: plusMs(service.clock.now(), 30_000) })
    await service.advance(30_000)
    expect(await laneOf(site.id)).toMatchObject({ leased_until: null, due_at: null })
  })

  it('are shared out: two workers at once send each delivery once', async () => {
    const others = await Promise.all(
      Array.from({ length: 12 }, (_, index) => connectSite(client, receiver, `Site ${index}`)),
    )
    for (let count = 0; count < 4; count += 1) await publish(`Post ${count}`)
    await Promise.all([anotherWorker().drain(), anotherWorker().drain(), anotherWorker().drain()])
    await service.drain()
    const ids = receiver.received.map(({ headers }) => headers['x-service-delivery'])
    expect(ids).toHaveLength((others.length + 1) * 4)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('a worker that others may take for dead', () => {
  it('begins nothing more under its leases, and takes no others until it is known to live', async () => {
    const { answer, finish } = heldAnswer()
    receiver.answerNext(answer)
    await publish('First')
    await publish('Second')
    let id: string | undefined = randomUUID()
    const worker = workerOf(service.ctx, {}, () => id)
    await worker.step()
    await requests(1)
    id = undefined
    finish()
    await worker.idle()
    expect(await worker.step()).toEqual({ again: false })
    expect(receiver.received).toHaveLength(1)
    id = randomUUID()
    await worker.drain()
    expect(receiver.received).toHaveLength(2)
  })

  it('does not go on with what it leased before, when it comes back under a new id', async () => {
    const { answer, finish } = heldAnswer()
    receiver.answerNext(answer)
    await publish('First')
    await publish('Second')
    let id = randomUUID()
    const worker = workerOf(service.ctx, {}, () => id)
    await worker.step()
    await requests(1)
    id = randomUUID()
    finish()
    await worker.idle()
    expect(receiver.received).toHaveLength(1)
    await worker.drain()
    expect(receiver.received).toHaveLength(2)
  })
})

describe('stopping', () => {
  it('lets what is in flight finish, starts nothing more and gives everything back', async () => {
    const { answer, finish } = heldAnswer()
    receiver.answerNext(answer)
    const postId = await publish()
    const worker = anotherWorker()
    await worker.step()
    await requests(1)
    const stopped = worker.stop(60_000)
    await publish('Too late')
    finish()
    await stopped
    expect((await worker.step()).again).toBe(false)
    expect((await deliveriesOf(postId))[0]).toMatchObject({ status: 'delivered' })
    expect(receiver.received).toHaveLength(1)
    expect((await laneOf(site.id)).leased_until).toBeNull()
    await service.drain()
    expect(receiver.received).toHaveLength(2)
  })

  it('also while it is leasing: the lanes it takes are given back unused', async () => {
    await publish()
    const worker = anotherWorker()
    const stepping = worker.step()
    await worker.stop(0)
    await stepping
    expect(receiver.received).toHaveLength(0)
    expect((await laneOf(site.id)).leased_until).toBeNull()
    await service.drain()
    expect(receiver.received).toHaveLength(1)
  })

  it('aborts what does not finish in time; that does not count as an attempt', async () => {
    receiver.answerNext(() => {})
    const postId = await publish()
    const worker = anotherWorker()
    await worker.step()
    await requests(1)
    const stopped = worker.stop(50)
    service.clock.advance(50)
    await stopped
    expect((await deliveriesOf(postId))[0]).toMatchObject({ status: 'pending', attempts: 0 })
    expect(await laneOf(site.id)).toMatchObject({ leased_until: service.clock.now() }) // as after a crash
    await service.drain()
    expect((await deliveriesOf(postId))[0]).toMatchObject({ status: 'delivered', attempts: 1 })
  })
})

describe('isolation', () => {
  it('attempts that hang make room for others within a second, and their sites are then suspect', async () => {
    const hanging = await startReceiver()
    hanging.answerNext(...Array.from({ length: 40 }, () => () => {}))
    const owner = await newAccount(service)
    const sites = await Promise.all(
      Array.from({ length: 6 }, (_, index) => connectSite(owner, hanging, `Hanging ${index}`)),
    )
    for (let count = 0; count < 3; count += 1) await owner.posts.create({ title: `Post ${count}`, status: 'published' })
    const worker = workerOf(service.ctx, { attempts: 2, lanes: { prompt: 8, suspect: 1 } })
    await worker.step()
    service.clock.advance(10)
    await publish('Healthy')
    await worker.step()
    expect(receiver.received).toHaveLength(0)
    while (receiver.received.length === 0) {
      service.clock.advance(1_000)
      await worker.step()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await worker.idle()
    const suspects = await Promise.all(sites.map(({ id }) => laneOf(id)))
    expect(suspects.filter(({ suspect }) => suspect).length).toBeGreaterThanOrEqual(3)
    const before = hanging.received.length
    await worker.step()
    await worker.idle()
    expect(hanging.received.length - before).toBeLessThanOrEqual(1 + 3)
    await hanging.close()
  })

  it('a site that refuses at once keeps nobody waiting, and does not wait behind those that do', async () => {
    const refusing = await startReceiver()
    await refusing.close()
    await client.sites.update(site.id, { webhook_url: refusing.url })
    const postId = await publish('Refused')
    await service.drain()
    expect((await deliveriesOf(postId))[0]).toMatchObject({ status: 'pending', last_error: 'connection_refused' })
    expect(await laneOf(site.id)).toMatchObject({ suspect: false, failures_in_a_row: 1 })
  })

  it('a suspect gets one attempt, and gives up its place once it answers', async () => {
    receiver.answerNext(() => {})
    await publish('Unanswered')
    await service.drain()
    for (let count = 0; count < 3; count += 1) await publish(`Post ${count}`)
    expect(await laneOf(site.id)).toMatchObject({ suspect: true })
    const worker = anotherWorker()
    await worker.step()
    await worker.idle()
    expect(receiver.received).toHaveLength(2)
    expect(await laneOf(site.id)).toMatchObject({ suspect: false, leased_until: null })
    await worker.step()
    await worker.idle()
    expect(receiver.received).toHaveLength(4)
  })

  describe('sites that hang with large posts', () => {
    let hanging: Receiver
    let owners: Array<{ owner: PostriderClient; siteId: string }>

    beforeEach(async () => {
      hanging = await startReceiver()
      hanging.answerNext(...Array.from({ length: 40 }, () => () => {}))
      owners = []
      for (let index = 0; index < 4; index += 1) {
        const owner = await newAccount(service)
        owners.push({ owner, siteId: (await connectSite(owner, hanging)).id })
        await owner.posts.create({ title: 'Large', body: { markdown: 'Words. '.repeat(1_000) }, status: 'published' })
      }
    })
    afterEach(async () => {
      for (const { owner, siteId } of owners) await owner.sites.delete(siteId)
      await hanging.close()
    })

    const arrives = (one: Receiver) => expect.poll(() => one.received.length).toBeGreaterThan(0)

    it('make others wait for large ones only', async () => {
      const large = { above: 5_000, prompt: 1, suspect: 1 }
      const worker = workerOf(service.ctx, { attempts: 2, large })
      await worker.step()
      await arrives(hanging)
      await publish('Small')
      await worker.step()
      await arrives(receiver)
      expect(hanging.received).toHaveLength(1)
      service.clock.advance(20_000)
      await worker.idle()
    })
  })

  it('large posts share what memory there is for them', async () => {
    const { answer, most } = slowAnswer()
    receiver.answerNext(...Array.from({ length: 5 }, () => answer))
    for (let count = 0; count < 5; count += 1) await publish(`Post ${count}`)
    const worker = workerOf(service.ctx, {
      large: { above: 0, prompt: 1, suspect: 1 },
    })
    await worker.step()
    await worker.idle()
    expect(receiver.received).toHaveLength(5)
    expect(most()).toBe(1)
  })

  it('a site that is slow to answer is sent the rest side by side once it has', async () => {
    const { answer, finish } = heldAnswer()
    receiver.answerNext(answer)
    for (let count = 0; count < 3; count += 1) await publish(`Post ${count}`)
    const worker = anotherWorker()
    await worker.step()
    await requests(1)
    service.clock.advance(1_000)
    await worker.step()
    finish()
    await requests(3)
    await worker.idle()
  })

  it('a site with a backlog takes turns with the others', async () => {
    for (let count = 0; count < 40; count += 1) await publish(`Backlog ${count}`)
    const other = await startReceiver()
    const owner = await newAccount(service)
    await connectSite(owner, other)
    service.clock.advance(1_000)
    await owner.posts.create({ title: 'In between', status: 'published' })
    const worker = workerOf(service.ctx, { lanes: { prompt: 1, suspect: 0 }, read: LITTLE })
    for (let turn = 0; turn < 2; turn += 1) {
      service.clock.advance(1)
      await worker.step()
      await worker.idle()
    }
    expect(other.received).toHaveLength(1)
    expect(receiver.received).toHaveLength(16)
    await other.close()
  })
})

describe('a change of the endpoint', () => {
  /** Three posts of which the first is being sent, slowly. */
  async function startSlowly() {
    const { answer, finish } = heldAnswer()
    receiver.answerNext(answer)
    for (let count = 0; count < 3; count += 1) await publish(`Post ${count}`)
    const worker = anotherWorker()
    const told = Promise.withResolvers<void>()
    service.ctx.signals.on('endpoint', (siteId) => {
      worker.endpointChanged(siteId)
      told.resolve()
    })
    service.ctx.signals.on('superseded', (subject) => {
      worker.superseded(subject)
      told.resolve()
    })
    await worker.step()
    await requests(1)
    return async () => {
      await told.promise
      finish()
      await worker.idle()
    }
  }

  it('is heeded by everything that is sent after it: a rotated secret', async () => {
    const finish = await startSlowly()
    const { new_webhook_secret: secret } = await client.sites.rotateKeys(site.id)
    await finish()
    await service.drain()
    expect(receiver.received).toHaveLength(3)
    const now = service.clock.now().getTime()
    for (const { body, headers } of receiver.received.slice(1)) await verifyWebhook({ body, headers, secret, now })
  })

  it('is heeded by everything that is sent after it: a pause, and a deletion', async () => {
    const finish = await startSlowly()
    await client.sites.update(site.id, { status: 'inactive' })
    await finish()
    await service.drain()
    expect(receiver.received).toHaveLength(1)
    await client.sites.delete(site.id)
    await service.drain()
    expect(receiver.received).toHaveLength(1)
  })

  it('is not needed for what the site has confirmed by itself: that is not sent any more', async () => {
    const finish = await startSlowly()
    const { data } = await client.posts.list()
    const sending = JSON.parse(receiver.received[0]?.body ?? '').post.id
    const waiting = data.filter(({ id }) => id !== sending)
    const pull = createPullClient({ baseUrl: service.url, apiKey: site.api_key })
    await pull.confirm(waiting[0]?.id ?? '', site.id, 'delivered')
    await finish()
    await service.drain()
    const sent = receiver.received.map(({ body }) => JSON.parse(body).post.id)
    expect(sent).toEqual([sending, waiting[1]?.id])
  })

  it.each([
    ['a new address', () => client.sites.update(site.id, { webhook_url: `${receiver.url}/new` })],
    [
      'a pause that ends',
      async () => {
        await client.sites.update(site.id, { status: 'inactive' })
        await client.sites.update(site.id, { status: 'active' })
      },
    ],
  ])('ends what the site was suspected of: %s', async (_, change) => {
    receiver.answerNext(() => {})
    await publish('Unanswered')
    await service.drain()
    expect(await laneOf(site.id)).toMatchObject({ suspect: true })
    await change()
    expect(await laneOf(site.id)).toMatchObject({ suspect: false })
  })

  it('clears the site of what an attempt to the old address finds out later', async () => {
    receiver.answerNext(() => {})
    const moved = await startReceiver()
    await publish('Unanswered')
    const worker = anotherWorker()
    service.ctx.signals.on('endpoint', (siteId) => worker.endpointChanged(siteId))
    await worker.step()
    await requests(1)
    await client.sites.update(site.id, { webhook_url: moved.url })
    await worker.idle()
    expect(await laneOf(site.id)).toMatchObject({ suspect: false, failures_in_a_row: 1 })
    await service.advance(30_000)
    expect(moved.received).toHaveLength(1)
    await moved.close()
  })

  it('is heeded however its id is written', async () => {
    const finish = await startSlowly()
    await client.sites.delete(site.id.toUpperCase())
    await finish()
    await service.drain()
    expect(receiver.received).toHaveLength(1)
  })
})
