import type { PostriderClient, SiteWithSecrets } from '@postrider/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { purgeDeletedSites } from '../src/engine/index.ts'
import { plusMs } from '../src/platform/clock.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let receiver: Receiver
let client: PostriderClient
let site: SiteWithSecrets

const HOUR = 3_600_000

beforeAll(async () => {
  service = await startService()
  receiver = await startReceiver()
})
beforeEach(async () => {
  client = await newAccount(service)
  site = await connectSite(client, receiver, 'First')
  receiver.received.length = 0
})
afterAll(async () => {
  await receiver.close()
  await service.stop()
})

const publish = async (title: string) => {
  const post = await client.posts.create({ title, status: 'published' })
  await service.drain()
  return post
}

/** All four attempts fail. */
async function failForGood(title: string) {
  receiver.answerNext(500, 500, 500, 503)
  const post = await publish(title)
  for (const delay of [30_000, 300_000, 1_800_000]) await service.advance(delay)
  return post
}

describe('GET /api/analytics/overview', () => {
  it('is empty, without false zeros, when nothing has happened', async () => {
    const overview = await client.analytics.overview()
    expect(overview).toEqual({
      period: {
        from: plusMs(service.clock.now(), -30 * 24 * HOUR).toISOString(),
        to: service.clock.now().toISOString(),
      },
      totals: {
        deliveries: 0,
        successful: 0,
        failed: 0,
        retried: 0,
        success_rate: null,
        avg_delivery_ms: null,
        posts_published: 0,
      },
      sites: [{ id: site.id, name: 'First', deliveries: 0, success_rate: null }],
    })
  })

  it('counts finished deliveries in all and per site, and published posts', async () => {
    await publish('Fine')
    await failForGood('Broken')
    receiver.answerNext(500)
    await publish('Shaky')
    await service.advance(30_000)
    const second = await connectSite(client, receiver, 'Second')
    const named = await client.posts.create({ title: 'Named' })
    await client.posts.publish(named.id, [second.id])
    await service.drain()
    const { totals, sites } = await client.analytics.overview()
    expect(totals).toMatchObject({
      deliveries: 4,
      successful: 3,
      failed: 1,
      retried: 2,
      success_rate: 75,
      posts_published: 4,
    })
    expect(totals.avg_delivery_ms).toBeGreaterThanOrEqual(0)
    expect(sites).toEqual([
      { id: site.id, name: 'First', deliveries: 3, success_rate: 66.7 },
      { id: second.id, name: 'Second', deliveries: 1, success_rate: 100 },
    ])
    const one = await client.analytics.overview({ site_id: second.id })
    expect(one.totals).toMatchObject({ deliveries: 1, posts_published: 4 })
    expect(one.sites.map(({ id }) => id)).toEqual([second.id])
  })

  it('counts a post that was published once, whatever became of it then', async () => {
    const post = await client.posts.create({ title: 'Now and then', status: 'published' })
    const count = async () => (await client.analytics.overview()).totals.posts_published
    await client.posts.update(post.id, { status: 'draft' })
    expect(await count()).toBe(1)
    await client.posts.update(post.id, { status: 'published' })
    expect(await count()).toBe(1)
    const scheduled_at = plusMs(service.clock.now(), HOUR).toISOString()
    const planned = await client.posts.create({ title: 'Planned', status: 'scheduled', scheduled_at })
    await service.advance(HOUR)
    await client.posts.update(planned.id, { status: 'draft' })
    expect(await count()).toBe(2)
  })

  it('counts only the period', async () => {
    await publish('Today')
    const date = (days: number) =>
      plusMs(service.clock.now(), days * 24 * HOUR)
        .toISOString()
        .slice(0, 10)
    expect((await client.analytics.overview({ from: date(0), to: date(0) })).totals).toMatchObject({
      deliveries: 1,
      posts_published: 1,
    })
    expect((await client.analytics.overview({ from: date(-3), to: date(-1) })).totals).toMatchObject({
      deliveries: 0,
      posts_published: 0,
    })
    expect((await client.analytics.overview({ from: date(1), to: date(2) })).totals.deliveries).toBe(0)
  })

  it.each([
    ['from', { from: 'soon' }],
    ['from', { from: '2026-11-02', to: '2026-11-01' }],
    ['to', { to: '2026-13-01' }],
    ['site_id', { site_id: 'nothing' }],
  ])('names %s when it is wrong: %j', async (field, query) => {
    await expect(client.analytics.overview(query)).rejects.toMatchObject({
      status: 400,
      code: 'validation_error',
      field,
    })
  })
})

describe('GET /api/analytics/deliveries', () => {
  it('has every bucket of the range, zeros included', async () => {
    await publish('One')
    const today = service.clock.now().toISOString().slice(0, 10)
    const from = plusMs(service.clock.now(), -2 * 24 * HOUR)
      .toISOString()
      .slice(0, 10)
    const { granularity, site_id, data } = await client.analytics.deliveries({ from, to: today })
    expect({ granularity, site_id }).toEqual({ granularity: 'day', site_id: null })
    expect(data).toHaveLength(3)
    expect(data[0]).toEqual({ date: from, delivered: 0, failed: 0, retried: 0, avg_ms: null })
    expect(data[2]).toEqual({ date: today, delivered: 1, failed: 0, retried: 0, avg_ms: expect.any(Number) })
  })

  it('knows hours, weeks and months, and one site', async () => {
    await publish('One')
    const now = service.clock.now()
    const hours = await client.analytics.deliveries({
      granularity: 'hour',
      from: plusMs(now, -2 * HOUR).toISOString(),
      to: now.toISOString(),
      site_id: site.id,
    })
    expect(hours.site_id).toBe(site.id)
    expect(hours.data.map(({ delivered }) => delivered)).toEqual([0, 0, 1])
    expect(hours.data[2]?.date).toMatch(/:00:00\.000Z$/)
    const weeks = await client.analytics.deliveries({ granularity: 'week' })
    expect(weeks.data.every(({ date }) => new Date(date).getUTCDay() === 1)).toBe(true)
    const months = await client.analytics.deliveries({ granularity: 'month', from: '2026-01-01', to: '2026-12-31' })
    expect(months.data).toHaveLength(12)
    expect(months.data.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(1)
  })

  it('adds up to the same by any unit, for any period', async () => {
    const begin = service.clock.now()
    await failForGood('Broken')
    const retried = await failForGood('Mended')
    await service.advance(30 * HOUR)
    await client.analytics.retry(retried.id)
    for (let count = 0; count < 4; count += 1) {
      await publish(`Post ${count}`)
      await service.advance(11 * HOUR)
    }
    const sum = (units: Array<{ delivered: number; failed: number }>) =>
      units.reduce((total, { delivered, failed }) => [(total[0] ?? 0) + delivered, (total[1] ?? 0) + failed], [0, 0])
    const found: number[][] = []
    for (const [since, hours] of [
      [0, 100],
      [0, 30],
      [3, 20],
      [20, 50],
      [29, 24],
      [35, 48],
      [41, 12],
    ] as const) {
      const [from, to] = [since, since + hours].map((hour) => plusMs(begin, hour * HOUR).toISOString())
      const period = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
      const { data } = await client.analytics.deliveries({ ...period, granularity: 'hour' })
      for (const granularity of ['day', 'week', 'month'] as const)
        expect(sum((await client.analytics.deliveries({ ...period, granularity })).data)).toEqual(sum(data))
      const { totals } = await client.analytics.overview(period)
      expect([totals.successful, totals.failed]).toEqual(sum(data))
      found.push(sum(data))
    }
    expect(found[0]).toEqual([5, 1])
    expect(new Set(found.map(String)).size).toBeGreaterThan(3)
  })

  it('names granularity when it is wrong', async () => {
    await expect(client.analytics.deliveries({ granularity: 'year' as never })).rejects.toMatchObject({
      status: 400,
      field: 'granularity',
    })
  })
})

describe('GET /api/analytics/posts/:id/deliveries', () => {
  it('shows what happened, with a history only where there was a failure', async () => {
    const post = await publish('Shown')
    receiver.answerNext(500)
    await client.posts.update(post.id, { title: 'Shown again' })
    await service.drain()
    const before = await client.analytics.postDeliveries(post.id)
    expect(before).toMatchObject({
      post_id: post.id,
      post_title: 'Shown again',
      deliveries: [
        {
          event: 'post.updated',
          status: 'pending',
          attempts: 1,
          delivered_at: null,
          response_code: 500,
          last_error: 'http_error',
          history: [{ attempt: 1, code: 500, error: 'http_error' }],
        },
        {
          event: 'post.published',
          site_id: site.id,
          site_name: 'First',
          status: 'delivered',
          attempts: 1,
          response_code: 200,
        },
      ],
    })
    expect(before.deliveries[0]?.next_attempt_at).toBe(plusMs(service.clock.now(), 30_000).toISOString())
    expect(before.deliveries[1]).not.toHaveProperty('history')
    await service.advance(30_000)
    const { deliveries } = await client.analytics.postDeliveries(post.id)
    expect(deliveries[0]).toMatchObject({
      status: 'delivered_retry',
      attempts: 2,
      history: [{ attempt: 1 }, { attempt: 2, code: 200, error: null }],
    })
  })
})

describe('GET /api/analytics/failures', () => {
  it('lists failures newest first and says what can be retried', async () => {
    const gone = await failForGood('Will be deleted')
    const kept = await failForGood('Kept')
    await client.posts.delete(gone.id)
    await service.drain()
    const { failures } = await client.analytics.failures()
    expect(failures).toEqual([
      {
        post_id: kept.id,
        post_title: 'Kept',
        site_id: site.id,
        failed_at: expect.any(String),
        attempts: 4,
        last_error: 'http_error',
        last_response_code: 503,
        can_retry: true,
      },
      expect.objectContaining({ post_id: gone.id, post_title: 'Will be deleted', can_retry: false }),
    ])
    expect(
      (
        await client.analytics
          .failures({ from: plusMs(service.clock.now(), HOUR).toISOString() })
          .catch((error) => error)
      ).field,
    ).toBe('from')
    await client.sites.delete(site.id)
    expect((await client.analytics.failures()).failures.every(({ can_retry }) => !can_retry)).toBe(true)
  })

  it('shows the last title of a deleted post, also where the deletion itself failed', async () => {
    const post = await publish('Once')
    await client.posts.update(post.id, { title: 'Called so last' })
    await service.drain()
    receiver.answerNext(500, 500, 500, 500)
    await client.posts.delete(post.id)
    await service.drain()
    for (const delay of [30_000, 300_000, 1_800_000]) await service.advance(delay)
    expect((await client.analytics.failures()).failures).toMatchObject([
      { post_id: post.id, post_title: 'Called so last', can_retry: false },
    ])
  })

  it('does not offer what a newer version has overtaken', async () => {
    const post = await failForGood('Old')
    await client.posts.update(post.id, { title: 'New' })
    await service.drain()
    expect((await client.analytics.failures()).failures).toMatchObject([{ post_id: post.id, can_retry: false }])
    expect((await client.analytics.retry(post.id)).message).toBe('There is nothing to retry.')
  })
})

describe('POST /api/analytics/posts/:id/retry', () => {
  it('queues failed deliveries again with a fresh set of attempts, and takes them out of the failures', async () => {
    const post = await failForGood('Again')
    expect((await client.sites.get(site.id)).status).toBe('error')
    const queued = await client.analytics.retry(post.id)
    expect(queued).toEqual({ job_id: expect.any(String), status: 'queued', message: 'One delivery is queued again.' })
    expect((await client.analytics.overview()).totals).toMatchObject({ deliveries: 0, failed: 0, retried: 0 })
    receiver.answerNext(500)
    await service.drain()
    await service.advance(30_000)
    const { deliveries } = await client.analytics.postDeliveries(post.id)
    expect(deliveries[0]).toMatchObject({ status: 'delivered_retry', attempts: 6 })
    expect(deliveries[0]?.history?.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6])
    expect((await client.analytics.overview()).totals).toMatchObject({
      deliveries: 1,
      successful: 1,
      failed: 0,
      retried: 1,
    })
    expect(await client.sites.get(site.id)).toMatchObject({
      status: 'active',
      delivery_stats: { total: 1, success_rate: 100 },
    })
  })

  it('queues only the newest event of a post: the site may have it, and is sent nothing older any more', async () => {
    const post = await failForGood('Old')
    receiver.answerNext(...Array.from({ length: 4 }, () => 500))
    await client.posts.update(post.id, { title: 'New' })
    await service.drain()
    for (const delay of [30_000, 300_000, 1_800_000]) await service.advance(delay)
    const { failures } = await client.analytics.failures()
    expect(failures.map(({ can_retry }) => can_retry)).toEqual([true, false])
    expect((await client.analytics.retry(post.id)).message).toBe('One delivery is queued again.')
    receiver.received.length = 0
    await service.drain()
    expect(receiver.received.map(({ json }) => json.event)).toEqual(['post.updated'])
  })

  it('retries one site only, if told, and none that is deleted', async () => {
    const other = await startReceiver()
    const second = await connectSite(client, other, 'Second')
    other.answerNext(500, 500, 500, 500)
    const post = await failForGood('Two sites')
    expect((await client.analytics.retry(post.id, second.id)).message).toBe('One delivery is queued again.')
    await service.drain()
    expect(other.received).toHaveLength(5)
    expect(receiver.received).toHaveLength(4)
    await client.sites.delete(site.id)
    expect((await client.analytics.retry(post.id)).message).toBe('There is nothing to retry.')
    await expect(client.analytics.retry(post.id, site.id)).rejects.toMatchObject({ status: 400, field: 'site_id' })
    await other.close()
  })

  it('does not send what was withdrawn, only that it was', async () => {
    const post = await failForGood('Withdrawn')
    receiver.answerNext(500, 500, 500, 500)
    await client.posts.update(post.id, { status: 'draft' })
    await service.drain()
    for (const delay of [30_000, 300_000, 1_800_000]) await service.advance(delay)
    const { failures } = await client.analytics.failures()
    expect(failures.map(({ can_retry }) => can_retry)).toEqual([true, false])
    receiver.received.length = 0
    expect((await client.analytics.retry(post.id)).message).toBe('One delivery is queued again.')
    await service.drain()
    expect(receiver.received.map(({ headers }) => headers['x-service-event'])).toEqual(['post.deleted'])
  })

  it('sends nothing twice when it is asked for twice', async () => {
    const post = await failForGood('Impatient')
    const messages = (await Promise.all([client.analytics.retry(post.id), client.analytics.retry(post.id)])).map(
      ({ message }) => message,
    )
    expect(messages.sort()).toEqual(['One delivery is queued again.', 'There is nothing to retry.'])
    await service.drain()
    expect(receiver.received).toHaveLength(5)
  })
})

describe('the history of a deleted site', () => {
  it('stays for 90 days, with its name, and is then removed', async () => {
    await publish('History')
    await service.advance(HOUR)
    await publish('More history')
    await client.sites.delete(site.id)
    const deletedAt = service.clock.now()
    expect((await client.analytics.overview()).sites).toEqual([
      { id: site.id, name: 'First', deliveries: 2, success_rate: 100 },
    ])
    const purge = async (days: number) => {
      while (await purgeDeletedSites(service.ctx.db, plusMs(deletedAt, days * 24 * HOUR))) {}
    }
    const rows = async (table: 'deliveries' | 'delivery_hours' | 'delivery_days' | 'lanes' | 'endpoints') =>
      (await service.ctx.db.root.selectFrom(table).select('site_id').where('site_id', '=', site.id).execute()).length
    await purge(89)
    const kept = ['deliveries', 'delivery_hours', 'delivery_days', 'lanes', 'endpoints'] as const
    expect(await Promise.all(kept.map(rows))).toEqual([2, 2, 1, 1, 1])
    await purge(90)
    expect([
      await rows('deliveries'),
      await rows('delivery_hours'),
      await rows('delivery_days'),
      await rows('lanes'),
      await rows('endpoints'),
    ]).toEqual([0, 0, 0, 0, 0])
    const orphans = await service.ctx.db.root
      .selectFrom('events')
      .select('id')
      .where('post_id', 'not in', service.ctx.db.root.selectFrom('deliveries').select('post_id'))
      .execute()
    expect(orphans).toEqual([])
  })
})
