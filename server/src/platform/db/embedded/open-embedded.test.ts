import fs from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { unprivilegedUser } from '../../../../test/support/postgres/unprivileged.ts'
import { installedPglite, isCreated, prepareDirectory } from './directory.ts'
import { holdDirectory } from './lock.ts'
import { openEmbedded } from './open-embedded.ts'
import { emptySnapshot, open, openDirectory, startChild, temporaryDirectory, unprivileged } from './support.fixture.ts'

const TIMEOUT_MS = 180_000
let snapshot: Blob
let seeded: string

beforeAll(async () => {
  const empty = await emptySnapshot()
  const database = await openEmbedded({ dir: '', log: () => {}, durable: false, snapshot: empty })
  const pool = new pg.Pool(database.poolConfig)
  await pool.query('CREATE TABLE from_snapshot AS SELECT 7 AS id')
  await pool.end()
  snapshot = await database.dump()
  await database.close()
  seeded = await mkdtemp(join(tmpdir(), 'postrider-seeded-'))
  await (await openEmbedded({ dir: seeded, log: () => {}, snapshot })).close()
}, TIMEOUT_MS)
afterAll(() => rm(seeded, { recursive: true }))

/** A directory with the snapshot's database. */
async function seededDirectory(): Promise<string> {
  const dir = await temporaryDirectory()
  await cp(seeded, dir, { recursive: true })
  return dir
}

test('a first start without a snapshot creates the database, a second finds its rows', {
  timeout: TIMEOUT_MS,
}, async () => {
  const dir = join(await temporaryDirectory(), 'not', 'yet')
  const events: string[] = []
  const first = await open({ dir, log: (event) => events.push(event) })
  const pool = new pg.Pool(first.poolConfig)
  await pool.query('CREATE TABLE kept AS SELECT 5 AS id')
  await pool.end()
  await first.close()

  const second = await open({ dir, log: (event) => events.push(event) })
  const again = new pg.Pool(second.poolConfig)
  expect((await again.query('SELECT id FROM kept')).rows).toEqual([{ id: 5 }])
  await again.end()
  expect(events).toEqual(['db.embedded.creating', 'db.embedded.created', 'db.embedded.opened', 'db.embedded.opened'])
})

test('the server runs with fsync on and sorts by code point', { timeout: TIMEOUT_MS }, async () => {
  const database = await open({ dir: await seededDirectory() })
  const pool = new pg.Pool(database.poolConfig)
  const { rows } = await pool.query(
    `SELECT current_setting('fsync') AS fsync, current_setting('wal_sync_method') AS method,
            current_setting('allow_system_table_mods') AS catalogs, 'a' < 'B' AS dictionary, lower('Ä') AS folded`,
  )
  await pool.end()
  expect(rows).toEqual([{ fsync: 'on', method: 'fsync', catalogs: 'off', dictionary: false, folded: 'ä' }])
})

test.for([true, false])('a snapshot starts a new database (durable: %s)', { timeout: TIMEOUT_MS }, async (durable) => {
  const database = await open({ dir: await temporaryDirectory(), snapshot, durable })
  const pool = new pg.Pool(database.poolConfig)
  expect((await pool.query('SELECT id FROM from_snapshot')).rows).toEqual([{ id: 7 }])
  await pool.end()
})

test('a directory in use is refused with the pid of its holder, and free once that is killed', {
  timeout: TIMEOUT_MS,
}, async () => {
  const dir = await seededDirectory()
  const holder = startChild('hold', dir)
  await holder.printed('open')
  await expect(openEmbedded({ dir, log: () => {} })).rejects.toMatchObject({ code: 'in_use', pid: holder.pid })
  const rival = startChild('hold', dir)
  await rival.printed(`in use by ${holder.pid}`)
  expect(rival.lines).toEqual([`in use by ${holder.pid}`])
  await holder.kill()
  await open({ dir })
})

test('a database that has been closed dumps nothing', { timeout: TIMEOUT_MS }, async () => {
  const database = await open({ dir: await seededDirectory() })
  await database.close()
  await expect(database.dump()).rejects.toMatchObject({ code: 'closed' })
})

test('one process opens a directory once', { timeout: TIMEOUT_MS }, async () => {
  const dir = await seededDirectory()
  const database = await open({ dir })
  await expect(openEmbedded({ dir, log: () => {} })).rejects.toMatchObject({ code: 'in_use', pid: process.pid })
  await database.close()
  await open({ dir })
})

test('a database of another PGlite version is refused and left alone', { timeout: TIMEOUT_MS }, async () => {
  const dir = await seededDirectory()
  const stampFile = join(dir, 'db', 'version.json')
  const stamp = JSON.parse(await readFile(stampFile, 'utf8'))
  expect(stamp).toEqual({ pglite: await installedPglite(), postgres: '18' })
  await writeFile(stampFile, JSON.stringify({ ...stamp, pglite: '0.1.0' }))
  const before = await listing(dir)
  await expect(openEmbedded({ dir, log: () => {} })).rejects.toMatchObject({
    code: 'version_mismatch',
    message: expect.stringContaining('0.1.0'),
  })
  expect(await listing(dir)).toEqual(before)
  await writeFile(stampFile, '{"pglite":')
  await expect(openEmbedded({ dir, log: () => {} })).rejects.toMatchObject({ code: 'unrecognised' })
})

test('a database that does not open is kept as it is', { timeout: TIMEOUT_MS }, async () => {
  const dir = await seededDirectory()
  const copy = await temporaryDirectory()
  await truncate(join(dir, 'db', 'data', 'global', 'pg_control'), 100)
  await cp(dir, copy, { recursive: true })
  const events: string[] = []
  await expect(openEmbedded({ dir, log: (event) => events.push(event) })).rejects.toMatchObject({ code: 'open_failed' })
  expect(await listing(dir)).toEqual(await listing(copy))
  await expect(openEmbedded({ dir, log: () => {} })).rejects.toMatchObject({ code: 'open_failed' })
})

test('a directory that cannot be written is named in the error', async () => {
  const file = join(await temporaryDirectory(), 'file')
  await writeFile(file, '')
  await expect(openEmbedded({ dir: join(file, 'data'), log: () => {} })).rejects.toMatchObject({
    code: 'not_writable',
    message: expect.stringContaining(file),
  })
})

test('a lock that this process may only read is no lock, and is named in the error', async () => {
  const dir = await openDirectory()
  const file = join(dir, 'db.lock')
  await writeFile(file, '', { mode: 0o444 })
  const held = unprivileged(() => holdDirectory(dir))
  await expect(held).rejects.toMatchObject({ code: 'not_writable', message: expect.stringContaining(file) })
})

test('holding a directory leaves the file of its lock empty', async () => {
  const dir = await temporaryDirectory()
  const hold = await holdDirectory(dir)
  expect((await stat(join(dir, 'db.lock'))).size).toBe(0)
  await hold.release()
  expect((await stat(join(dir, 'db.lock'))).size).toBe(0)
})

test.runIf(process.geteuid?.() === 0)(
  'the database of another user is refused, and nothing is written beside it',
  {
    timeout: TIMEOUT_MS,
  },
  async () => {
    const dir = await seededDirectory()
    await Promise.all(['db.lock', 'db.pid'].map((name) => rm(join(dir, name), { force: true })))
    const { uid, gid } = await unprivilegedUser()
    await chown(join(dir, 'db'), Number(uid), Number(gid))
    await expect(openEmbedded({ dir, log: () => {} })).rejects.toMatchObject({
      code: 'not_owned',
      message: expect.stringContaining(`belongs to the user with the id ${uid}`),
    })
    expect(await readdir(dir)).toEqual(['db'])
    await chown(join(dir, 'db'), 0, 0)
    await open({ dir })
  },
)

test('a database that this user may not read is not taken for none, nor for an incomplete one', async () => {
  const dir = await openDirectory()
  const asked = () => unprivileged(() => isCreated(join(dir, 'data')))
  await mkdir(join(dir, 'data', 'db'), { recursive: true })
  await writeFile(join(dir, 'data', 'db', 'version.json'), '{}', { mode: 0o000 })
  await expect(asked()).rejects.toMatchObject({ code: 'open_failed', message: expect.stringContaining('EACCES') })
  await chmod(join(dir, 'data'), 0o000)
  await expect(asked()).rejects.toMatchObject({ code: 'open_failed', message: expect.stringContaining('EACCES') })
  await chmod(join(dir, 'data'), 0o700)
})

test('a data directory is made in one that this user may not read', async () => {
  const parent = await openDirectory()
  await chmod(parent, 0o333)
  await unprivileged(() => prepareDirectory(join(parent, 'not', 'yet')))
  await chmod(parent, 0o777)
  expect((await stat(join(parent, 'not', 'yet'))).isDirectory()).toBe(true)
})

test('a first start on a full disk says so, and leaves nothing that was used', { timeout: TIMEOUT_MS }, async () => {
  const dir = await temporaryDirectory()
  vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  })
  await expect(openEmbedded({ dir, log: () => {}, thread: false })).rejects.toMatchObject({
    code: 'open_failed',
    message: expect.stringContaining('the disk is full'),
  })
  vi.restoreAllMocks()
  await open({ dir, snapshot })
})

test('an abandoned first start is cleared away, other files are not', { timeout: TIMEOUT_MS }, async () => {
  const dir = await temporaryDirectory()
  await mkdir(join(dir, 'db.partial-abcdef', 'data'), { recursive: true })
  await writeFile(join(dir, 'media.bin'), 'mine')
  await open({ dir, snapshot })
  expect((await readdir(dir)).sort()).toEqual(['db', 'db.lock', 'db.pid', 'media.bin'])
})

test('the exit code stays what the program made it', { timeout: TIMEOUT_MS }, async () => {
  const before = process.exitCode
  process.exitCode = 3
  try {
    await (await openEmbedded({ dir: '', log: () => {}, snapshot, durable: false })).close()
    expect(process.exitCode).toBe(3)
  } finally {
    process.exitCode = before
  }
})

/** Every file but the lock's. The postmaster's pid file comes and goes with an attempt. */
async function listing(dir: string): Promise<string[]> {
  const names = await readdir(join(dir, 'db'), { recursive: true })
  return names.filter((name) => !name.endsWith('postmaster.pid')).sort()
}
