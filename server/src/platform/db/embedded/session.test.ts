import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type EmbeddedDatabase, openEmbedded } from './open-embedded.ts'
import { emptySnapshot } from './support.fixture.ts'

const TIMEOUT_MS = 180_000
let database: EmbeddedDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await openEmbedded({ dir: '', log: () => {}, durable: false, snapshot: await emptySnapshot() })
}, TIMEOUT_MS)

afterAll(() => database.close())

beforeEach(async () => {
  pool = new pg.Pool(database.poolConfig)
  await pool.query('DROP TABLE IF EXISTS kept; CREATE TABLE kept (id int PRIMARY KEY, body text)')
})

afterEach(async () => {
  if (!pool.ended) await pool.end()
})

test('parameters of every kind arrive and come back', async () => {
  const sql =
    'SELECT $1::int[] AS ints, $2::jsonb AS json, $3::bytea AS bytes, $4::bigint::text AS big, $5::timestamptz AS at, $6::text[] AS texts'
  const values = [[1, 2], { a: ['ü'] }, Buffer.from([0, 255]), 9_007_199_254_740_993n, new Date(5), ['a', 'b,"c']]
  const { rows } = await pool.query(sql, values)
  expect(rows).toEqual([
    {
      ints: [1, 2],
      json: { a: ['ü'] },
      bytes: Buffer.from([0, 255]),
      big: '9007199254740993',
      at: new Date(5),
      texts: ['a', 'b,"c'],
    },
  ])
})

test('parameters and results of many megabytes pass', { timeout: TIMEOUT_MS }, async () => {
  const text = 'y'.repeat(5_000_000)
  const { rows } = await pool.query("SELECT $1 || 'z' AS text FROM generate_series(1, 3)", [text])
  expect(rows.map((row) => row.text.length)).toEqual([5_000_001, 5_000_001, 5_000_001])
})

test('an error carries its fields and the next query works', async () => {
  await pool.query('INSERT INTO kept VALUES ($1)', [1])
  const again = pool.query('INSERT INTO kept VALUES ($1)', [1])
  await expect(again).rejects.toMatchObject({ code: '23505', constraint: 'kept_pkey', table: 'kept' })
  await expect(again).rejects.toBeInstanceOf(pg.DatabaseError)
  await expect(pool.query('SELECT $1::int', ['x'])).rejects.toMatchObject({ code: '22P02' })
  await expect(pool.query('SELEC $1', [1])).rejects.toMatchObject({ code: '42601' })
  expect((await pool.query('SELECT $1::int AS one', [1])).rows).toEqual([{ one: 1 }])
})

test('queries queue for the one connection, failures among them', async () => {
  const asked = Array.from({ length: 60 }, (_, id) => pool.query('SELECT 10 / ($1::int % 7) AS n', [id]))
  const outcomes = await Promise.allSettled(asked)
  expect(outcomes.map((outcome) => outcome.status)).toEqual(
    asked.map((_, id) => (id % 7 === 0 ? 'rejected' : 'fulfilled')),
  )
})

test('a prepared statement is reused by its client and does not outlive it', async () => {
  const statement = (value: number) => ({ name: 'double', text: 'SELECT $1::int * 2 AS n', values: [value] })
  const client = await pool.connect()
  expect((await client.query(statement(2))).rows).toEqual([{ n: 4 }])
  expect((await client.query(statement(3))).rows).toEqual([{ n: 6 }])
  client.release(true)
  expect((await pool.query(statement(4))).rows).toEqual([{ n: 8 }])
})

test('a client destroyed inside a transaction leaves nothing to the next', async () => {
  const client = await pool.connect()
  await client.query('BEGIN')
  await client.query('SET search_path = pg_catalog')
  await client.query('INSERT INTO public.kept VALUES (77)')
  client.release(new Error('gave up'))
  expect((await pool.query('SELECT count(*)::int AS n FROM kept')).rows).toEqual([{ n: 0 }])
  await pool.query('INSERT INTO kept VALUES (78)')
  await pool.end()
  pool = new pg.Pool(database.poolConfig)
  expect((await pool.query('SELECT id FROM kept')).rows).toEqual([{ id: 78 }])
})

test('a client destroyed while it ends does not take the session from the next', async () => {
  await pool.end()
  const first = new pg.Client(database.poolConfig)
  const second = new pg.Client(database.poolConfig)
  const third = new pg.Client(database.poolConfig)
  await first.connect()
  const next = second.connect()
  const ended = first.end()
  await nextTurn()
  first.connection.stream.destroy()
  await Promise.all([next, ended])
  await second.query('SELECT 1')
  await expect(third.connect()).rejects.toMatchObject({ code: 'busy' })
  await second.end()
})

test('an aborted transaction refuses work until it is rolled back', async () => {
  const client = await pool.connect()
  await client.query('BEGIN')
  await client.query('INSERT INTO kept VALUES ($1)', [1])
  await expect(client.query('SELECT 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' })
  await expect(client.query('SELECT $1::int', [1])).rejects.toMatchObject({ code: '25P02' })
  expect((await client.query('COMMIT')).command).toBe('ROLLBACK')
  client.release()
  expect((await pool.query('SELECT * FROM kept')).rows).toEqual([])
})

test('statements sent together are answered one by one, and each fails for itself', async () => {
  const client = await pool.connect()
  const asked = ['SELECT $1::int AS n', 'SELECT 1 / ($1::int - $1::int)', 'SELEC $1', 'SELECT $1::int + 1 AS n'].map(
    (sql) => client.query(sql, [7]),
  )
  const results = await Promise.allSettled(asked)
  client.release()
  expect(results).toMatchObject([
    { value: { rows: [{ n: 7 }] } },
    { reason: { code: '22012' } },
    { reason: { code: '42601' } },
    { value: { rows: [{ n: 8 }] } },
  ])
})

test('in a transaction, what was sent together with a statement that fails fails too', async () => {
  const client = await pool.connect()
  const asked = ['BEGIN', 'INSERT INTO kept VALUES (1)', 'SELECT 1 / 0', 'INSERT INTO kept VALUES (2)', 'COMMIT'].map(
    (sql) => client.query(sql),
  )
  const results = await Promise.allSettled(asked)
  client.release()
  expect(results).toMatchObject([
    { status: 'fulfilled' },
    { status: 'fulfilled' },
    { reason: { code: '22012' } },
    { reason: { code: '25P02' } },
    { value: { command: 'ROLLBACK' } },
  ])
  expect((await pool.query('SELECT * FROM kept')).rows).toEqual([])
})

test('a savepoint undoes what follows it', async () => {
  const client = await pool.connect()
  await client.query('BEGIN; INSERT INTO kept VALUES (1); SAVEPOINT here')
  await expect(client.query('INSERT INTO kept VALUES ($1)', [1])).rejects.toMatchObject({ code: '23505' })
  await client.query('ROLLBACK TO here; INSERT INTO kept VALUES (2); COMMIT')
  client.release()
  expect((await pool.query('SELECT id FROM kept ORDER BY id')).rows).toEqual([{ id: 1 }, { id: 2 }])
})

test('a notification reaches the client that listens', async () => {
  const client = await pool.connect()
  await client.query('LISTEN news')
  const heard = once(client, 'notification')
  await client.query("NOTIFY news, 'hello'")
  expect((await heard)[0]).toMatchObject({ channel: 'news', payload: 'hello' })
  client.release()
})

test('timers run while queries keep coming', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  for (const startedAt = performance.now(); performance.now() - startedAt < 200; ) await pool.query('SELECT 1')
  clearInterval(timer)
  expect(turns).toBeGreaterThan(5)
})

test('maintenance keeps every table as large as what is in it, and leaves it analysed', async () => {
  const tables = ['kept', 'Odd "name']
  for (const table of tables) {
    const name = pg.escapeIdentifier(table)
    await pool.query(`CREATE TABLE IF NOT EXISTS ${name} (id int)`)
    await pool.query(`INSERT INTO ${name} SELECT n FROM generate_series(1, 5000) AS n`)
    await pool.query(`DELETE FROM ${name} WHERE id <= 4500`)
  }
  await database.maintain((sql) => pool.query(sql), 'all')
  for (const table of tables) {
    const name = pg.escapeIdentifier(table)
    const stored = await pool.query(
      `SELECT reltuples, pg_relation_size(oid) AS bytes FROM pg_class WHERE relname = $1`,
      [table],
    )
    expect(stored.rows).toMatchObject([{ reltuples: 500 }])
    await pool.query(`INSERT INTO ${name} SELECT n FROM generate_series(1, 4500) AS n`)
    const { rows } = await pool.query(`SELECT pg_relation_size(oid) AS bytes FROM pg_class WHERE relname = $1`, [table])
    expect(rows[0].bytes).toBe(stored.rows[0].bytes)
  }
})

test('maintenance keeps the statistics as large as what they say', async () => {
  await pool.query('CREATE TABLE wide (words text)')
  await pool.query('INSERT INTO wide SELECT repeat(md5(n::text), 25) FROM generate_series(1, 2000) AS n')
  const sizes: number[] = []
  for (let count = 0; count < 12; count += 1) {
    await database.maintain((sql) => pool.query(sql), 'all')
    const { rows } = await pool.query(`SELECT pg_table_size('pg_statistic')::int AS bytes`)
    sizes.push(rows[0].bytes)
  }
  expect(sizes.at(-1)).toBeLessThanOrEqual(sizes[3] ?? 0)
})

test('a table that has grown is vacuumed and analysed before its time, others are not', async () => {
  const names = ['grew', 'stayed']
  const seen = async () =>
    (await pool.query(`SELECT relname, reltuples FROM pg_class WHERE relname = ANY ($1) ORDER BY relname`, [names]))
      .rows
  for (const name of names) await pool.query(`CREATE TABLE ${name} (id int); INSERT INTO ${name} VALUES (1)`)
  await database.maintain((sql) => pool.query(sql), 'all')
  await pool.query('INSERT INTO stayed VALUES (2); INSERT INTO grew SELECT n FROM generate_series(2, 5000) AS n')
  await database.maintain((sql) => pool.query(sql), 'grown')
  expect(await seen()).toEqual([
    { relname: 'grew', reltuples: 5_000 },
    { relname: 'stayed', reltuples: 1 },
  ])
})

test('WAL is not kept for longer than it takes until there is much of it', { timeout: TIMEOUT_MS }, async () => {
  const checkpoint = async () =>
    (await pool.query('SELECT checkpoint_lsn FROM pg_control_checkpoint()')).rows[0].checkpoint_lsn
  const write = (megabytes: number) =>
    pool.query(`
      SELECT count(pg_logical_emit_message(false, 'test', repeat('x', 1048576))) FROM generate_series(1, ${megabytes})
    `)
  await database.maintain((sql) => pool.query(sql), 'all')
  const before = await checkpoint()
  await write(1)
  await database.maintain((sql) => pool.query(sql), 'grown')
  expect(await checkpoint()).toBe(before)
  await write(128)
  await database.maintain((sql) => pool.query(sql), 'grown')
  expect(await checkpoint()).not.toBe(before)
})

test('a dump is refused inside a transaction', async () => {
  const client = await pool.connect()
  await client.query('BEGIN')
  await expect(database.dump()).rejects.toMatchObject({ code: 'busy' })
  await client.query('ROLLBACK')
  client.release()
})

test('a second pool is refused while the first holds the connection', { timeout: TIMEOUT_MS }, async () => {
  await pool.query('SELECT 1')
  const second = new pg.Pool(database.poolConfig)
  await expect(second.query('SELECT 1')).rejects.toMatchObject({ code: 'busy' })
  await second.end()
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})

test('queries after the end are refused', { timeout: TIMEOUT_MS }, async () => {
  const closed = await openEmbedded({ dir: '', log: () => {}, durable: false })
  await closed.close()
  await closed.close()
  await expect(new pg.Pool(closed.poolConfig).query('SELECT 1')).rejects.toMatchObject({ code: 'closed' })
})
