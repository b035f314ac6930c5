import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, cp, lstat, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { nativeDirectory } from './binaries.ts'
import { createDatabaseFromTemplate } from './databases.ts'
import { startOwnPostgres, type TestPostgres } from './server.ts'

const TIMEOUT_MS = 60_000

async function rowsOf(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

describe('a server of its own', () => {
  let postgres: TestPostgres

  beforeAll(async () => {
    postgres = await startOwnPostgres()
  }, TIMEOUT_MS)

  afterAll(() => postgres.stop())

  test('answers, synced to disk, in UTF-8 by code point', async () => {
    const sql = `SELECT current_setting('fsync') AS fsync, current_setting('server_encoding') AS encoding,
                        'a' < 'B' AS dictionary, lower('Ä') AS folded`
    expect(await rowsOf(postgres.url, sql)).toEqual([{ fsync: 'on', encoding: 'UTF8', dictionary: false, folded: 'ä' }])
  })

  test('copies a template and drops the copy with connections open', async () => {
    await rowsOf(postgres.url, 'CREATE DATABASE "a template"')
    const template = new URL(postgres.url)
    template.pathname = '/a template'
    await rowsOf(template.href, 'CREATE TABLE seeded AS SELECT 3 AS id')
    const copies = await Promise.all([1, 2, 3].map(() => createDatabaseFromTemplate(postgres.url, 'a template')))
    for (const { url } of copies) expect(await rowsOf(url, 'SELECT id FROM seeded')).toEqual([{ id: 3 }])

    const lingering = new pg.Client({ connectionString: copies[0]?.url })
    lingering.on('error', () => {})
    await lingering.connect()
    for (const { drop } of copies) await drop()
    expect(await rowsOf(postgres.url, "SELECT datname FROM pg_database WHERE datname LIKE 'test%'")).toEqual([])
  })

  test('keeps its rows and its address over a kill', { timeout: TIMEOUT_MS }, async () => {
    await rowsOf(postgres.url, 'CREATE TABLE kept AS SELECT 4 AS id')
    await postgres.kill()
    await expect(rowsOf(postgres.url, 'SELECT 1')).rejects.toThrow()
    await postgres.restart()
    expect(await rowsOf(postgres.url, 'SELECT id FROM kept')).toEqual([{ id: 4 }])
    await postgres.restart()
    expect(await rowsOf(postgres.url, 'SELECT id FROM kept')).toEqual([{ id: 4 }])
  })
})

test('starts from a package that only its owner may enter and that has no library links', {
  timeout: TIMEOUT_MS,
}, async () => {
  const closed = await mkdtemp(join(tmpdir(), 'postrider-closed-'))
  onTestFinished(() => rm(closed, { recursive: true, force: true }))
  await cp(nativeDirectory(), join(closed, 'native'), {
    recursive: true,
    filter: async (source) => !(await lstat(source)).isSymbolicLink(),
  })
  await chmod(closed, 0o700)
  const postgres = await startOwnPostgres({ native: join(closed, 'native') })
  expect(await rowsOf(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  await postgres.stop()
})

test('nothing is left of it when the process that started it is killed', { timeout: TIMEOUT_MS }, async () => {
  const script = `
    const { startOwnPostgres } = await import(${JSON.stringify(join(import.meta.dirname, 'server.ts'))})
    const { root, url } = await startOwnPostgres()
    console.log(root + ' ' + url)
    setInterval(() => {}, 60_000)`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: parent.stdout }), 'line')
  const [root = '', url = ''] = String(line).split(' ')
  expect(await rowsOf(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  parent.kill('SIGKILL')
  for (const deadline = performance.now() + 10_000; (await exists(root)) && performance.now() < deadline; )
    await sleep(20)
  expect(await exists(root)).toBe(false)
  await expect(rowsOf(url, 'SELECT 1')).rejects.toThrow()
})

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
