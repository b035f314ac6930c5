import { createClient } from '@postrider/sdk'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removeOldHistory } from '../src/engine/index.ts'
import { holdTransaction } from './support/held.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

const DAY = 86_400_000

describe('with HISTORY_RETENTION', () => {
  let service: TestService
  let receiver: Receiver

  beforeAll(async () => {
    service = await startService({ HISTORY_RETENTION: '30d' })
    receiver = await startReceiver()
  })

  afterAll(async () => {
    await service.stop()
    await receiver.close()
  })

  const count = async (table: 'deliveries' | 'events') => {
    const { rows } = await sql<{ count: number }>`select count(*) from ${sql.table(table)}`.execute(service.ctx.db.root)
    return rows[0]?.count
  }

  it('finished deliveries and their events go when they are old; what is pending stays, and so do the figures', async () => {
    const client = createClient({ baseUrl: service.url })
    const ada = { email: 'ada@example.com', password: 'correct horse' }
    await client.auth.register({ name: 'Ada', ...ada })
    const site = await connectSite(client, receiver)
    const paused = await connectSite(client, receiver, 'Paused')
    const post = await client.posts.create({ title: 'Old', status: 'published' })
    await client.sites.update(paused.id, { status: 'inactive' })
    await service.drain()
    // What was never attempted at the paused site is replaced by the update, and so has ended.
    await client.posts.update(post.id, { title: 'Changed' })
    await service.drain()
    await service.advance(29 * DAY)
    expect(await count('deliveries')).toBe(4)
    await service.advance(2 * DAY)
    await client.auth.login(ada)
    expect(await count('deliveries')).toBe(1)
    expect(await count('events')).toBe(1)
    expect((await client.posts.get(post.id)).deliveries).toMatchObject([{ site_id: paused.id, status: 'pending' }])
    expect(await client.sites.get(site.id)).toMatchObject({ delivery_stats: { total: 2 } })
  })

  it('leaves a failure that is sent again at the same moment', async ({ skip }) => {
    if (service.ctx.db.kind === 'embedded') skip('it has one connection: nothing happens at the same moment')
    const client = await newAccount(service)
    await connectSite(client, receiver)
    receiver.answerNext(500, 500, 500, 500)
    const { id } = await client.posts.create({ title: 'Failed', status: 'published' })
    await service.drain()
    for (const delay of [30_000, 300_000, 1_800_000]) await service.advance(delay)
    service.clock.advance(31 * DAY)
    const commit = await holdTransaction(service.ctx.db, (tx) =>
      sql`
        update deliveries set status = 'pending', finished_at = null, next_attempt_at = '2100-01-01' where post_id = ${id}
      `.execute(tx),
    )
    const removal = removeOldHistory(service.ctx, new AbortController().signal)
    const waiting = sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%looked_at%'`
    await expect.poll(async () => (await waiting.execute(service.ctx.db.root)).rows.length).toBeGreaterThan(0)
    await Promise.all([commit(), removal])
    const { rows } = await sql`
      select d.status, v.kind from deliveries d join events v on v.id = d.event_id where d.post_id = ${id}
    `.execute(service.ctx.db.root)
    expect(rows).toEqual([{ status: 'pending', kind: 'post.published' }])
  })

  it('goes through more rows than one batch, once', async () => {
    const client = await newAccount(service)
    const site = await connectSite(client, receiver)
    await sql`
      insert into deliveries (id, account_id, site_id, post_id, event_id, sequence, status, created_at, finished_at)
      select ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, account_id, site_id, account_id, account_id, n, 'delivered',
        '2024-06-10', '2024-06-10'
      from endpoints cross join generate_series(1, 2500) n where site_id = ${site.id}
    `.execute(service.ctx.db.root)
    let done = false
    const removed = removeOldHistory(service.ctx, new AbortController().signal).finally(() => {
      done = true
    })
    while (!done) {
      service.clock.advance(100)
      await new Promise(setImmediate)
    }
    expect(await removed).toBe(2_500)
  })
})
