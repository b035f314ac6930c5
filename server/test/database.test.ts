import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { createApp } from '../src/app.ts'
import { Worker } from '../src/engine/index.ts'
import { migrations } from '../src/migrations/index.ts'
import { systemClock } from '../src/platform/clock.ts'
import { parseConfig } from '../src/platform/config.ts'
import {
  afterCommit,
  away,
  createDatabase,
  createPostgresPool,
  type Database,
  isDatabaseGone,
  UNHURRIED,
} from '../src/platform/db/database.ts'
import { migrate, schemaState } from '../src/platform/db/migrate.ts'
import { keepReady } from '../src/platform/db/ready.ts'
import { prepared } from '../src/platform/db/statements.ts'
import { systemRoutes } from '../src/platform/http/system.ts'
import { createSignalSender, createSignals } from '../src/platform/signals.ts'
import { upgrade } from '../src/schema.ts'
import { newApi } from './support/api.ts'
import { freshDatabase } from './support/database.ts'
import { startForgetfulProxy } from './support/forgetful-proxy.ts'
import { createDatabaseFromTemplate } from './support/postgres/databases.ts'
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

describe('the error of a statement', () => {
  for (const [kind, statement] of [
    ['plain', sql`select 1 / ${0}::int`],
    ['prepared', prepared(sql`select 2 / ${0}::int`)],
  ] as const)
    it(`tells who asked, ${kind}`, async () => {
      async function whoAsks() {
        await statement.execute(db.root)
      }
      const error = await whoAsks().catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: '22012', message: 'division by zero' })
      expect(error).toHaveProperty('stack', expect.stringContaining('whoAsks'))
    })
})

/** A database of the test's own, which may do to it what it likes. */
async function ownDatabase() {
  const { signalsUrl = '', db: own, drop } = await freshDatabase()
  onTestFinished(async () => {
    await own.close()
    await drop()
  })
  return { signalsUrl, own }
}

/** A service on this database, which stays open when it stops. */
function startOn(own: Database, key = 'a secret key for tests, long enough') {
  const config = parseConfig({ SECRET_KEY: key, PORT: '0', LOG_LEVEL: 'silent' })
  const shared = { ...own, close: async () => {} }
  return createApp(config, { database: { db: shared, maintain: undefined, signalsUrl: undefined } })
}

describe.skipIf(inject('database').kind === 'embedded')('a database server', () => {
  const LIMITS = { statement_timeout: 300, query_timeout: 600, idle_in_transaction_session_timeout: 60_000 }

  it('has connections before anything is asked of it, and new ones when it has lost them', async () => {
    const { signalsUrl, own } = await ownDatabase()
    const pool = createPostgresPool(signalsUrl, { max: 4, min: 3 }, () => {})
    keepReady(pool)
    await expect.poll(() => pool.idleCount).toBe(3)
    const others = sql`pid <> pg_backend_pid() and datname = current_database()`
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`.execute(own.root)
    await expect.poll(() => pool.totalCount).toBe(0)
    await expect.poll(() => pool.idleCount, { timeout: 10_000 }).toBe(3)
    // While some are in use there are enough.
    const used = await pool.connect()
    expect(pool.totalCount).toBe(3)
    used.release()
    await pool.end()
  })

  it('ends a transaction that is left standing, and with it what it has locked; it is told from a query that is wrong', async () => {
    const { signalsUrl, own } = await ownDatabase()
    const limits = { ...LIMITS, idle_in_transaction_session_timeout: 300 }
    const standing = createDatabase(
      createPostgresPool(signalsUrl, { max: 1 }, () => {}, limits),
      'postgres',
    )
    const lock = sql`select pg_advisory_xact_lock(1)`
    const [locked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const stood = standing.tx(async (tx) => {
      await lock.execute(tx)
      locked.resolve()
      await ended.promise
      await sql`select 1`.execute(tx)
    })
    await locked.promise
    await own.tx((tx) => lock.execute(tx))
    ended.resolve()
    expect(isDatabaseGone(await stood.catch((error: unknown) => error))).toBe(true)
    expect((await sql`select 1`.execute(standing.root)).rows).toHaveLength(1)
    await standing.close()
  })

  it('that falls silent is given up after a time, with what lies unused, and its transaction ends at the server', async () => {
    const { signalsUrl } = await ownDatabase()
    const proxy = await startForgetfulProxy(signalsUrl)
    const limits = { ...LIMITS, idle_in_transaction_session_timeout: 600 }
    const pool = createPostgresPool(proxy.url, { max: 3 }, () => {}, limits)
    const silent = createDatabase(pool, 'postgres')
    await Promise.all([1, 2, 3].map(() => sql`select 1`.execute(silent.root)))
    const lock = sql`select pg_advisory_xact_lock(1)`
    const given = silent.tx(async (tx) => {
      await lock.execute(tx)
      proxy.forget()
      await prepared(sql`select 1`).execute(tx)
    })
    expect(isDatabaseGone(await given.catch((thrown: unknown) => thrown))).toBe(true)
    await expect.poll(() => silent.tx((tx) => lock.execute(tx)).then(() => 'locked', String)).toBe('locked')
    expect(pool.totalCount).toBe(1)
    await silent.close()
    await proxy.close()
  })

  it('that falls silent is heard again over another connection, and what it may have signalled meanwhile is looked for', async () => {
    const { signalsUrl, own } = await ownDatabase()
    const proxy = await startForgetfulProxy(signalsUrl)
    const lost = vi.fn()
    const ear = createSignals(proxy.url, systemClock, { debug() {}, info() {}, warn: lost, error() {} })
    const heard: Array<string | undefined> = []
    ear.on('superseded', (subject) => heard.push(subject))
    await ear.ready
    expect(heard).toEqual([undefined])
    proxy.forget()
    await expect.poll(() => heard, { timeout: 25_000 }).toEqual([undefined, undefined])
    expect(lost).toHaveBeenCalledTimes(1)
    await own.tx((tx) => createSignalSender({ kind: 'postgres' }).send(tx, 'superseded', 'a-site'))
    await expect.poll(() => heard).toEqual([undefined, undefined, 'a-site'])
    proxy.forget()
    await ear.close()
    await proxy.close()
  })

  it('whose connection is lost ends what used it without limits, and not the process', async () => {
    const { signalsUrl } = await ownDatabase()
    const proxy = await startForgetfulProxy(signalsUrl)
    const hurried = createDatabase(
      createPostgresPool(proxy.url, { max: 2 }, () => {}),
      'postgres',
    )
    const inUse = hurried.withoutTimeLimit((patient) => {
      setTimeout(proxy.close, 200)
      return sql`select pg_sleep(30)`.execute(patient)
    })
    await expect(inUse).rejects.toThrow('Connection terminated')
    await hurried.close()
  })

  it('ends statements that take too long, but not those that may', async () => {
    const { signalsUrl, own } = await ownDatabase()
    // What the operator has set does not bind what may take long.
    await sql
      .raw(`alter database ${new URL(signalsUrl).pathname.slice(1)} set statement_timeout = '300ms'`)
      .execute(own.root)
    const hurried = createDatabase(
      createPostgresPool(signalsUrl, { max: 2 }, () => {}, LIMITS),
      'postgres',
    )
    const slow = sql`select 'slept' as done from pg_sleep(0.8)`
    const error = await slow.execute(hurried.root).catch((thrown: unknown) => thrown)
    expect(isDatabaseGone(error)).toBe(true)
    expect((await hurried.withoutTimeLimit((patient) => slow.execute(patient))).rows).toEqual([{ done: 'slept' }])
    const withoutTimeLimit = createDatabase(
      createPostgresPool(signalsUrl, { max: 2 }, () => {}, UNHURRIED),
      'postgres',
    )
    expect((await slow.execute(withoutTimeLimit.root)).rows).toEqual([{ done: 'slept' }])
    await withoutTimeLimit.close()
    await hurried.close()
  })
})

describe('a database without room, or where nothing may be written,', () => {
  it.each(['53100', '25006'])('is as good as gone (%s)', async (state) => {
    const error = await sql
      .raw(`do $$ begin raise exception using errcode = '${state}'; end $$`)
      .execute(db.root)
      .catch((thrown: unknown) => thrown)
    expect(isDatabaseGone(error)).toBe(true)
  })
})

describe('the time in statements', () => {
  it('goes on within a transaction, or a lease taken late in one would end too early', async () => {
    const times = await db.tx(async (tx) => {
      const read = async () =>
        (await sql<{ at: Date }>`select ${systemClock.inDatabase()} as at`.execute(tx)).rows[0]?.at
      const first = await read()
      await sql`select pg_sleep(0.02)`.execute(tx)
      return [first, await read()] as const
    })
    expect(Number(times[1]) - Number(times[0])).toBeGreaterThanOrEqual(19)
  })
})

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

  it('leaves a database alone that belongs to another key', async () => {
    const { own } = await ownDatabase()
    await (await startOn(own)).stop(0)
    const last = Object.keys(migrations).toSorted().at(-1)
    await sql`delete from kysely_migration where name = ${last}`.execute(own.root)
    await expect(startOn(own, 'another secret key, also long enough')).rejects.toThrow(
      'this database belongs to another key',
    )
    expect((await schemaState(own.root, migrations)).pending).toEqual([last])
  })
})

describe('a database of another version', () => {
  it.each([
    [
      'a preview',
      '2026-11-21-foundation',
      /made by a preview.*Nothing was changed.*postrider backup.*postrider restore/,
    ],
    ['a newer version', undefined, /migrated by a newer version of Postrider \(2999-later\)/],
  ])('is refused: %s', async (_, instead, message) => {
    const { own } = await ownDatabase()
    if (instead === undefined) await sql`insert into kysely_migration values ('2999-later', '')`.execute(own.root)
    else {
      await sql`delete from kysely_migration where name > '2026-11-28-foundation'`.execute(own.root)
      await sql`update kysely_migration set name = ${instead}`.execute(own.root)
    }
    await expect(startOn(own)).rejects.toThrow(message)
  })
})

describe.runIf(inject('database').kind === 'postgres')('workers of one database', () => {
  let service: TestService
  let freed: string[][]
  beforeAll(async () => {
    service = await startService()
  })
  beforeEach(() => {
    freed = []
  })
  afterAll(() => service.stop())

  const newWorker = (ctx: Pick<TestService['ctx'], 'clock' | 'db' | 'ids' | 'log'> = service.ctx) =>
    new Worker(ctx, async (_, ids) => void freed.push([...ids]))
  /** Lets time pass in which these renew their rows. */
  async function renewing(workers: readonly Worker[], ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1_000) {
      service.clock.advance(1_000)
      for (const worker of workers) await worker.renew()
    }
  }

  it('free what one held that has not been seen for five seconds, and nothing of those that live', async () => {
    const [dead, first, second] = [newWorker(), newWorker(), newWorker()]
    for (const worker of [dead, first, second]) await worker.renew()
    const id = dead.id()
    await renewing([first, second], 4_000)
    expect(freed).toEqual([])
    await renewing([first, second], 3_000)
    expect(freed).toEqual([[id]])
    await Promise.all([first.leave(), second.leave()])
  })

  it('start nothing once they have not been seen for four seconds, and go on under a new id if they were taken for dead', async () => {
    const [missed, other] = [newWorker(), newWorker()]
    for (const worker of [missed, other]) await worker.renew()
    const id = missed.id()
    await renewing([other], 4_000)
    expect([missed.id(), other.id()]).toEqual([undefined, expect.any(String)])
    await missed.renew()
    expect(missed.id()).toBe(id)
    await renewing([other], 7_000)
    await missed.renew()
    expect(missed.id()).not.toBe(id)
    expect(freed).toEqual([[id]])
    await Promise.all([missed.leave(), other.leave()])
  })

  it('judge nobody after an outage of the database, when nobody was seen', async () => {
    const workers = [newWorker(), newWorker()]
    for (const worker of workers) await worker.renew()
    await renewing(workers, 6_000)
    service.clock.advance(60_000)
    for (const worker of workers) await worker.renew()
    await renewing(workers, 10_000)
    expect(freed).toEqual([])
    for (const worker of workers) await worker.leave()
  })

  it('keep the schema as they know it while they live', async () => {
    const source = inject('database')
    if (source.kind !== 'postgres') return
    const { url, drop } = await createDatabaseFromTemplate(source.adminUrl, 'template0')
    const old = createDatabase(
      createPostgresPool(url, { max: 4 }, () => {}),
      'postgres',
    )
    await migrate(old, migrations)
    const further = { up: async (schema: Kysely<unknown>) => void (await sql`create table further ()`.execute(schema)) }
    const upgradeFurther = () => upgrade(old, undefined, { ...migrations, '2999-further': further })
    const worker = newWorker({ ...service.ctx, clock: systemClock, db: old })
    await worker.join()
    await expect(upgradeFurther()).rejects.toThrow(/^Workers of an older version of Postrider run on this database/)
    await worker.leave()
    expect(await upgradeFurther()).toEqual(['2999-further'])
    await worker.join()
    expect(await upgradeFurther()).toEqual([])
    await worker.leave()
    await old.close()
    await drop()
  })
})

describe('readiness', () => {
  it('is asked of the database once for all who ask at that time', async () => {
    // One of its own: others may have told the shared one that its disk is full.
    const { own } = await ownDatabase()
    let statements = 0
    const counting = own.root.withPlugin({
      transformQuery({ node }) {
        statements += 1
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const config = { mail: undefined, registration: 'open', role: 'all', webhookAllow: 'none' } as const
    const facts = { db: { ...own, root: counting }, config, loops: () => [], stopping: () => false, hasWebApp: true }
    const readyz = systemRoutes(facts).find(({ path }) => path === '/readyz')
    const ask = () => readyz?.answer({ method: 'GET', url: '/readyz', header: () => undefined }, {}, {})
    const answers = await Promise.all(Array.from({ length: 100 }, ask))
    for (const answer of answers) expect(answer).toEqual({ status: 200, body: { status: 'ready' } })
    expect(statements).toBe(1)
    await ask()
    expect(statements).toBe(2)
  })

  it('ends for a while when the disk of the database is full, which requests are told too', async () => {
    const { own } = await ownDatabase()
    const app = await startOn(own)
    onTestFinished(() => app.stop(0))
    const { port } = await app.listen()
    await app.startLoops()
    const fill = sql`do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`
    await expect(own.tx((tx) => fill.execute(tx))).rejects.toMatchObject({ code: '53100' })
    const response = await fetch(`http://127.0.0.1:${port}/readyz`)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ problems: ['the disk of the database is full'] })
    expect(away(Object.assign(new Error('could not extend file'), { code: '53100' }))).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('the disk of the database is full'),
    })
  })

  it('does not end when only housekeeping fails, which it tells', async () => {
    const { own } = await ownDatabase()
    await sql`alter table idempotency_keys rename to idempotency_keys_gone`.execute(own.root)
    const app = await startOn(own)
    onTestFinished(() => app.stop(0))
    const { port } = await app.listen()
    const readiness = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`)
      return { status: response.status, body: await response.json() }
    }
    expect(await readiness()).toMatchObject({ status: 503 })
    await app.startLoops()
    const warnings = ['the loop expire is failing']
    await expect.poll(readiness, { timeout: 10_000 }).toEqual({ status: 200, body: { status: 'ready', warnings } })
    expect((await app.ctx.metrics.expose()).text).toContain('\npostrider_loops_failing 1\n')
    await sql`alter table lanes rename to lanes_gone`.execute(own.root)
    // Whatever else reads lanes fails too, sooner or later.
    const problems = expect.arrayContaining(['the loop deliver is failing'])
    await expect
      .poll(readiness, { timeout: 10_000 })
      .toEqual({ status: 503, body: { status: 'not_ready', problems, warnings } })
  })
})

describe.runIf(inject('database').kind === 'postgres')('a server that has become read-only', () => {
  it('makes the service not ready, and what writes is to be tried again', async () => {
    const service = await startService()
    const api = await newApi(service)
    const { db: other, drop } = await freshDatabase()
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(service.ctx.db.root)
    const name = rows[0]?.name ?? ''
    await sql.raw(`alter database ${name} set default_transaction_read_only = on`).execute(other.root)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`.execute(other.root)
    const readiness = async () => (await fetch(`${service.url}/readyz`)).json()
    await expect.poll(readiness).toMatchObject({ problems: expect.arrayContaining(['the database is read-only']) })
    const refused = await api.post('/api/posts', { title: 'Later' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    await other.close()
    await drop()
    await service.stop()
  })
})

describe.runIf(inject('database').kind === 'postgres')('connections that the server ends', () => {
  it('fail what used them, and nothing else: the service goes on', async () => {
    const service = await startService()
    const api = await newApi(service)
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
    await other.close()
    await drop()
    await service.stop()
  })
})
