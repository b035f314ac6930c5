import pg from 'pg'
import { expect, test } from 'vitest'
import type { EmbeddedError } from './errors.ts'
import { openEmbedded } from './open-embedded.ts'
import { migratedDirectory, open, startChild, threadOf } from './support.fixture.ts'

const TIMEOUT_MS = 180_000

test('other work goes on while a statement runs', { timeout: TIMEOUT_MS }, async () => {
  const database = await open({ dir: await migratedDirectory() })
  const pool = new pg.Pool(database.poolConfig)
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await pool.query('SELECT count(*) FROM generate_series(1, 2000000) AS n WHERE md5(n::text) IS NULL')
  clearInterval(timer)
  expect(turns).toBeGreaterThan(10)
  await pool.end()
})

test.for(['idle', 'at work'])(
  'a thread that dies %s is an abort: what was committed is kept',
  {
    timeout: TIMEOUT_MS,
  },
  async (state) => {
    const dir = await migratedDirectory()
    const heard: EmbeddedError[] = []
    const database = await open({ dir, onBroken: (error) => heard.push(error) })
    const pool = new pg.Pool(database.poolConfig)
    pool.on('error', () => {})
    await pool.query('CREATE TABLE kept AS SELECT 1 AS id')
    const thread = await threadOf(() => pool.query('SELECT 1'))
    const running =
      state === 'at work' ? pool.query('SELECT md5(n::text) FROM generate_series(1, 100000000) AS n') : null
    const failed = running === null ? null : expect(running).rejects.toMatchObject({ code: 'broken' })
    await thread.terminate()
    await failed
    await expect(pool.query('SELECT 1')).rejects.toMatchObject({ code: 'broken' })
    expect(heard.map(({ message }) => message)).toEqual([expect.stringContaining('its thread ended')])
    await pool.end()
    await database.close()

    const again = new pg.Pool((await open({ dir })).poolConfig)
    expect((await again.query('SELECT id FROM kept')).rows).toEqual([{ id: 1 }])
    await again.end()
  },
)

test('a database whose thread dies while it is closed gives up its directory', { timeout: TIMEOUT_MS }, async () => {
  const dir = await migratedDirectory()
  const database = await openEmbedded({ dir, log: () => {} })
  const pool = new pg.Pool(database.poolConfig)
  const thread = await threadOf(() => pool.query('SELECT 1'))
  await pool.end()
  await database.dump() // after what the pool's end has left to do
  const closed = expect(database.close()).rejects.toMatchObject({ code: 'broken' })
  await thread.terminate()
  await closed
  await (await openEmbedded({ dir, log: () => {} })).close()
})

test('an idle database does not keep a program running', { timeout: TIMEOUT_MS }, async () => {
  const child = startChild('leave', await migratedDirectory())
  expect(await child.ended()).toBe(0)
  expect(child.lines).toEqual(['open'])
})
