import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { installedPglite, type Stamp } from './directory.ts'
import { open, startPreviousChild, temporaryDirectory } from './support.fixture.ts'

test('what the previous PGlite had committed when it was killed is there under this one, which stamps the directory', {
  timeout: 180_000,
}, async () => {
  const dir = await temporaryDirectory()
  const stamp = async (): Promise<Stamp> => JSON.parse(await readFile(join(dir, 'db', 'version.json'), 'utf8'))
  const child = startPreviousChild('write', dir)
  await child.printed('20')
  await child.kill()
  const before = await stamp()
  const installed = await installedPglite()
  expect(before.pglite).not.toBe(installed)
  const acknowledged = child.lines.map(Number).filter(Number.isInteger)

  const events: string[] = []
  const database = await open({ dir, log: (event) => events.push(event) })
  const pool = new pg.Pool(database.poolConfig)
  const { rows } = await pool.query<{ id: number }>('SELECT id FROM written WHERE length(filler) = 500 ORDER BY id')
  expect(rows.map(({ id }) => id).slice(0, acknowledged.length)).toEqual(acknowledged)
  await pool.query('INSERT INTO written SELECT max(id) + 1 FROM written')
  await pool.query('REINDEX TABLE written')
  await pool.end()
  expect(events).toEqual(['db.embedded.upgraded', 'db.embedded.opened'])
  expect(await stamp()).toEqual({ ...before, pglite: installed })
})
