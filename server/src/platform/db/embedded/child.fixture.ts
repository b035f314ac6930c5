/**
 * A process that opens an embedded database, for tests that kill it.
 * Usage: node child.fixture.ts hold|write|leave <dir> [snapshot file]
 * Prints `open` when the database answers; `write` then prints each id once its commit is acknowledged, and
 * `leave` has nothing more to do.
 */
import { readFileSync, writeSync } from 'node:fs'
import pg from 'pg'
import { EmbeddedInUseError } from './errors.ts'
import { openEmbedded } from './open-embedded.ts'

const [mode = '', dir = '', snapshotFile] = process.argv.slice(2)
const STDOUT = 1

async function run(): Promise<void> {
  const snapshot = snapshotFile ? { snapshot: readFileSync(snapshotFile) } : {}
  const database = await openEmbedded({ dir, log: () => {}, ...snapshot })
  const pool = new pg.Pool(database.poolConfig)
  await pool.query('CREATE TABLE IF NOT EXISTS written (id int PRIMARY KEY, filler text)')
  writeSync(STDOUT, 'open\n')
  while (mode === 'write') {
    const sql = 'INSERT INTO written SELECT coalesce(max(id), 0) + 1, $1 FROM written RETURNING id'
    const { rows } = await pool.query<{ id: number }>(sql, ['x'.repeat(500)])
    writeSync(STDOUT, `${rows[0]?.id}\n`)
  }
  if (mode === 'hold') setInterval(() => {}, 60_000)
}

run().catch((error: unknown) => {
  writeSync(STDOUT, error instanceof EmbeddedInUseError ? `in use by ${error.pid}\n` : `${String(error)}\n`)
  process.exit(1)
})
