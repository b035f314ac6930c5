import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { EmbeddedError } from './errors.ts'
import { openEmbedded } from './open-embedded.ts'
import { emptySnapshot, fileOf, migratedDirectory, open, startChild, temporaryDirectory } from './support.fixture.ts'

const TIMEOUT_MS = 180_000
let snapshot: Blob

beforeAll(async () => {
  snapshot = await emptySnapshot()
}, TIMEOUT_MS)

afterEach(() => vi.restoreAllMocks())

async function syncsOf(commits: number, pool: Pick<pg.Pool, 'query'>): Promise<number> {
  await pool.query('CREATE TABLE counted (id int)')
  const fsync = vi.spyOn(fs, 'fsyncSync')
  const fdatasync = vi.spyOn(fs, 'fdatasyncSync')
  for (let id = 0; id < commits; id++) await pool.query(`INSERT INTO counted VALUES (${id})`)
  return fsync.mock.calls.length + fdatasync.mock.calls.length
}

test('every commit is synced by the host', { timeout: TIMEOUT_MS }, async () => {
  const database = await open({ dir: await migratedDirectory(), thread: false })
  const pool = new pg.Pool(database.poolConfig)
  expect(await syncsOf(50, pool)).toBeGreaterThanOrEqual(50)
  await pool.end()
})

test('PGlite by itself syncs nothing, which is why the file system is patched', { timeout: TIMEOUT_MS }, async () => {
  const dir = await temporaryDirectory()
  const pglite = await PGlite.create({ dataDir: dir, loadDataDir: snapshot })
  const syncs = await syncsOf(50, { query: pglite.query.bind(pglite) } as unknown as pg.Pool) // only `query` is called
  await pglite.close()
  expect(syncs).toBe(0)
})

test('a killed process has lost no acknowledged row', { timeout: TIMEOUT_MS }, async () => {
  const dir = await migratedDirectory()
  let acknowledged = 0
  for (const afterMs of [50, 400, 150]) {
    const child = startChild('write', dir)
    await child.printed('open')
    await sleep(afterMs)
    await child.kill()
    expect(child.lines[0]).toBe('open')
    const last = Number(child.lines.at(-1))
    acknowledged = Number.isNaN(last) ? acknowledged : last
  }
  const database = await open({ dir })
  const pool = new pg.Pool(database.poolConfig)
  const { rows } = await pool.query('SELECT count(*)::int AS count, max(id) AS last FROM written')
  await pool.end()
  expect(acknowledged).toBeGreaterThan(0)
  expect(rows[0].count).toBeGreaterThanOrEqual(acknowledged)
  expect(rows[0].count).toBe(rows[0].last)
})

test('a commit that did not wait for the disk is there from the next maintenance on', {
  timeout: TIMEOUT_MS,
}, async () => {
  const dir = await migratedDirectory()
  const database = await open({ dir })
  const pool = new pg.Pool(database.poolConfig)
  await pool.query('CREATE TABLE counted (used int)')
  const count = () => pool.query('BEGIN; SET LOCAL synchronous_commit = off; INSERT INTO counted VALUES (1); COMMIT')
  /** How many are counted where the files are those that a kill would leave. */
  const afterKill = async () => {
    const copy = await temporaryDirectory()
    await cp(join(dir, 'db'), join(copy, 'db'), { recursive: true })
    const killed = await openEmbedded({ dir: copy, log: () => {} })
    const again = new pg.Pool(killed.poolConfig)
    const { rows } = await again.query('SELECT count(*)::int AS count FROM counted')
    await again.end()
    await killed.close()
    return rows[0].count
  }
  await count()
  expect(await afterKill()).toBe(0)
  await database.maintain((sql) => pool.query(sql), 'grown')
  expect(await afterKill()).toBe(1)
  await pool.end()
})

test('a database that has lost the end of its WAL says so once, and one that was killed or ended in order does not', {
  timeout: TIMEOUT_MS,
}, async () => {
  const dir = await temporaryDirectory()
  const first = await openEmbedded({ dir, snapshot, log: () => {} })
  const pool = new pg.Pool(first.poolConfig)
  await pool.query('CREATE TABLE kept (id int)')
  await first.maintain((sql) => pool.query(sql), 'all')
  await pool.query('INSERT INTO kept VALUES (1)')
  const before = await walOf(dir)
  await pool.query('INSERT INTO kept VALUES (2)')
  await first.maintain((sql) => pool.query(sql), 'grown')
  const [killed, damaged] = [await temporaryDirectory(), await temporaryDirectory()]
  await cp(join(dir, 'db'), join(killed, 'db'), { recursive: true })
  await cp(join(dir, 'db'), join(damaged, 'db'), { recursive: true })
  await writeFile(join(damaged, WAL, before.name), before.bytes)
  await pool.end()
  await first.close()

  expect(await reopened(dir)).toEqual({ lostWal: undefined, ids: [1, 2] })
  expect(await reopened(killed)).toEqual({ lostWal: undefined, ids: [1, 2] })
  const lostWal = { known: expect.any(String), recovered: expect.any(String) }
  expect(await reopened(damaged)).toEqual({ lostWal, ids: [1] })
  expect(await reopened(damaged)).toEqual({ lostWal: undefined, ids: [1] })
})

const WAL = join('db', 'data', 'pg_wal')

/** The segment that is being written, as the disk has it. */
async function walOf(dir: string): Promise<{ name: string; bytes: Buffer }> {
  const segments = (await readdir(join(dir, WAL))).filter((name) => /^[0-9A-F]{24}$/.test(name)).sort()
  const changed = await Promise.all(segments.map(async (name) => (await stat(join(dir, WAL, name))).mtimeMs))
  const name = segments[changed.indexOf(Math.max(...changed))] ?? ''
  return { name, bytes: await readFile(join(dir, WAL, name)) }
}

/** Opens a directory, does one maintenance and closes it again. */
async function reopened(dir: string): Promise<{ lostWal: unknown; ids: number[] }> {
  const database = await openEmbedded({ dir, log: () => {} })
  const pool = new pg.Pool(database.poolConfig)
  const { rows } = await pool.query<{ id: number }>('SELECT id FROM kept ORDER BY id')
  await database.maintain((sql) => pool.query(sql), 'grown')
  await pool.end()
  await database.close()
  return { lostWal: database.lostWal, ids: rows.map((row) => row.id) }
}

test('a first start that is killed leaves no half database', { timeout: TIMEOUT_MS }, async () => {
  const dir = await temporaryDirectory()
  const snapshotFile = await fileOf(snapshot)
  let interrupted = 0
  // Without a snapshot another process makes the database, and ends with the one that is killed.
  for (const [earliestMs, from] of [
    [0, snapshotFile],
    [100, snapshotFile],
    [250, snapshotFile],
    [400, snapshotFile],
    [1_000, undefined],
  ] as const) {
    const child = startChild('hold', dir, from)
    for (const deadline = performance.now() + 5_000; performance.now() < deadline; await sleep(5)) {
      const partial = await readdir(dir)
      if (partial.some((name) => name.startsWith('db.partial-')) || partial.includes('db')) break
    }
    await sleep(earliestMs + Math.random() * 100)
    await child.kill()
    if (!(await readdir(dir)).includes('db')) interrupted++
  }
  const database = await open({ dir, snapshot })
  const pool = new pg.Pool(database.poolConfig)
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  await pool.end()
  expect((await readdir(dir)).filter((name) => name.startsWith('db.partial-'))).toEqual([])
  expect(interrupted).toBeGreaterThan(0)
})

test('a commit that could not be synced is not acknowledged, and nothing is after it', {
  timeout: TIMEOUT_MS,
}, async () => {
  const dir = await migratedDirectory()
  const heard: EmbeddedError[] = []
  const database = await open({ dir, thread: false, onBroken: (error) => heard.push(error) })
  const pool = new pg.Pool(database.poolConfig)
  pool.on('error', () => {})
  await pool.query('CREATE TABLE kept (id int)')
  await pool.query('INSERT INTO kept VALUES (1)')
  vi.spyOn(fs, 'fsyncSync').mockImplementation(() => {
    throw Object.assign(new Error('disk gone'), { code: 'EIO' })
  })
  await expect(pool.query('INSERT INTO kept VALUES ($1)', [2])).rejects.toMatchObject({ code: 'broken' })
  vi.restoreAllMocks()
  await expect(pool.query('SELECT 1')).rejects.toMatchObject({ code: 'broken' })
  expect(heard.map((error) => error.message)).toEqual([expect.stringContaining('disk gone')])
  await pool.end()
  await database.close()

  const reopened = await open({ dir })
  const again = new pg.Pool(reopened.poolConfig)
  const { rows } = await again.query('SELECT id FROM kept WHERE id = 1')
  await again.end()
  expect(rows).toEqual([{ id: 1 }])
})

test('an abort in the middle of a batch does not hang the process', { timeout: TIMEOUT_MS }, async () => {
  const database = await open({ dir: await migratedDirectory(), thread: false })
  const pool = new pg.Pool(database.poolConfig)
  pool.on('error', () => {})
  await pool.query('CREATE PROCEDURE commit_within(int) LANGUAGE plpgsql AS $$ BEGIN CREATE TABLE x (); COMMIT; END $$')
  vi.spyOn(fs, 'fsyncSync').mockImplementation(() => {
    throw Object.assign(new Error('disk gone'), { code: 'EIO' })
  })
  await expect(pool.query('CALL commit_within($1)', [2])).rejects.toMatchObject({ code: 'broken' })
  await pool.end()
})

test('a damaged page of a table is an error with a code of its own', { timeout: TIMEOUT_MS }, async () => {
  const dir = await migratedDirectory()
  const database = await open({ dir })
  const pool = new pg.Pool(database.poolConfig)
  await pool.query('CREATE TABLE kept AS SELECT 1 AS id')
  const { rows } = await pool.query<{ file: string }>(`SELECT pg_relation_filepath('kept') AS file`)
  await pool.end()
  await database.close()
  await writeFile(join(dir, 'db', 'data', rows[0]?.file ?? ''), randomBytes(8_192))

  const reopened = await open({ dir })
  const again = new pg.Pool(reopened.poolConfig)
  await expect(again.query('SELECT id FROM kept')).rejects.toMatchObject({ code: 'XX001' })
  await again.end()
})

test('a full disk is an error of the statement while WAL can still be written', { timeout: TIMEOUT_MS }, async () => {
  const database = await open({ dir: await migratedDirectory(), thread: false })
  const pool = new pg.Pool(database.poolConfig)
  await pool.query('CREATE TABLE big (filler bytea)')
  vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  })
  const insert = 'INSERT INTO big SELECT $1 FROM generate_series(1, 20)'
  await expect(pool.query(insert, [randomBytes(100_000)])).rejects.toMatchObject({ code: '53100' })
  vi.restoreAllMocks()
  expect((await pool.query(insert, [randomBytes(100_000)])).rowCount).toBe(20)
  await pool.end()
})
