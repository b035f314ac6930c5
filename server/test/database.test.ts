import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { joinWorkers } from '../src/deliveries/index.ts'
import { migrations } from '../src/migrations/index.ts'
import { afterCommit, type Database } from '../src/platform/db/database.ts'
import { migrate } from '../src/platform/db/migrate.ts'
import { newApi } from './support/api.ts'
import { freshDatabase } from './support/database.ts'
import { startService, type TestService } from './support/service.ts'

let db: Database
let drop: () => Promise<void>

beforeAll(async () => {
  const opened = await freshDatabase()
  db = opened.db
  drop = opened.drop
  await sql`create table notes (id int primary key)`.execute(db.root)
})
afterAll(async () => {
  await db.close()
  await drop()
})

const notes = async () =>
  (await sql<{ count: number }>`select count(*)::int as count from notes`.execute(db.root)).rows[0]?.count

describe('a transaction', () => {
  it('refuses the root handle inside it at once, where it would otherwise hang', async () => {
    const inside = db.tx(async (tx) => {
      await sql`insert into notes values (1)`.execute(tx)
      await sql`select 1`.execute(db.root)
    })
    await expect(inside).rejects.toThrow('pass the transaction')
    expect(await notes()).toBe(0)
  })

  it('runs what was asked for after the commit, and only then', async () => {
    const seen: unknown[] = []
    await db.tx(async (tx) => {
      await sql`insert into notes values (2)`.execute(tx)
      afterCommit(() => seen.push('committed'))
      expect(seen).toEqual([])
    })
    expect(seen).toEqual(['committed'])
    const failing = db.tx(async () => {
      afterCommit(() => seen.push('never'))
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(seen).toEqual(['committed'])
  })

  it('is tried again after a deadlock, without the effects of the first try', async () => {
    const effects: number[] = []
    let tries = 0
    await db.tx(async (tx) => {
      tries += 1
      const now = tries
      afterCommit(() => effects.push(now))
      await sql`insert into notes values (${10 + now})`.execute(tx)
      if (tries < 3) await sql`do $$ begin raise exception using errcode = '40P01'; end $$`.execute(tx)
    })
    expect({ tries, effects }).toEqual({ tries: 3, effects: [3] })
  })

  it('leaves the handle usable after an error', async () => {
    await expect(sql`select * from nowhere`.execute(db.root)).rejects.toThrow('nowhere')
    expect(await notes()).toBeGreaterThan(0)
  })
})

describe('migrating', () => {
  it('does nothing the second time', async () => {
    expect(await migrate(db, migrations)).toEqual([])
  })
})

describe.runIf(inject('database').kind === 'postgres')('workers of one database', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.stop())

  it('know whether they are alone', async () => {
    const first = await joinWorkers(service.ctx, async () => {})
    const second = await joinWorkers(service.ctx, async () => {})
    expect([first.alone, second.alone]).toEqual([true, false])
    await first.leave()
    const third = await joinWorkers(service.ctx, async () => {})
    expect(third.alone).toBe(false)
    await second.leave()
    await third.leave()
    const fourth = await joinWorkers(service.ctx, async () => {})
    expect(fourth.alone).toBe(true)
    await fourth.leave()
  })
})

describe.runIf(inject('database').kind === 'postgres')('connections that the server ends', () => {
  it('fail what used them, and nothing else: the service goes on', async () => {
    const service = await startService()
    const api = await newApi(service)
    const membership = await joinWorkers(service.ctx, async () => {})
    const inUse = service.ctx.db.tx(async (tx) => sql`select pg_sleep(30)`.execute(tx))
    inUse.catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, 100))
    const { db: other, drop } = await freshDatabase()
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(service.ctx.db.root)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${rows[0]?.name}`.execute(
      other.root,
    )
    await expect(inUse).rejects.toThrow()
    await expect.poll(async () => (await api.get('/api/posts')).status).toBe(200)
    await membership.leave()
    await other.close()
    await drop()
    await service.stop()
  })
})
