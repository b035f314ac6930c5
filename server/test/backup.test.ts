/** Reading the tables for a backup; what operators do with backups is in commands.test.ts. */
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { countTables, inSnapshot, readRows } from '../src/platform/backup/dump.ts'
import type { Database, Tx } from '../src/platform/db/database.ts'
import { freshDatabase } from './support/database.ts'
import { holdTransaction } from './support/held.ts'

const MIB = 2 ** 20

let db: Database
let drop: () => Promise<void>

beforeEach(async () => {
  const opened = await freshDatabase()
  db = opened.db
  drop = opened.drop
  await sql`create table notes (id int primary key, text text)`.execute(db.root)
})
afterEach(async () => {
  await db.close()
  await drop()
})

const notesIn = async (tx: Tx) => (await countTables(tx)).filter(({ name }) => name === 'notes')

it('no more is read at once than fits, also when long rows follow many short ones', async () => {
  await sql`insert into notes select n, 'short' from generate_series(1, 1500) n`.execute(db.root)
  await sql`insert into notes select n, repeat('long', 60000) from generate_series(1501, 1530) n`.execute(db.root)
  await sql`insert into notes select n, repeat('"', ${3 * MIB}) from generate_series(1531, 1533) n`.execute(db.root)
  const ids: number[] = []
  let largest = 0
  await inSnapshot(db, async (tx) => {
    for await (const { lines } of readRows(tx, await notesIn(tx))) {
      ids.push(...lines.map((line) => Number(JSON.parse(line)[0])))
      if (lines.length > 1) largest = Math.max(largest, lines.join('').length)
    }
  })
  expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 1_533 }, (_, index) => index + 1))
  expect(largest).toBeGreaterThan(MIB)
  expect(largest).toBeLessThanOrEqual(4 * MIB + 400)
})

it.runIf(inject('database').kind === 'postgres')(
  'a backup beside a migration has what the migration leaves',
  async () => {
    await sql`insert into notes values (1, 'one'), (2, 'two')`.execute(db.root)
    const commit = await holdTransaction(db, async (tx) => {
      await sql`alter table notes alter column id type bigint`.execute(tx)
      await sql`create table more_notes (id int)`.execute(tx)
      await sql`insert into more_notes values (3)`.execute(tx)
    })
    const counting = inSnapshot(db, countTables)
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await waiting.execute(db.root)).rows.length).toBe(1)
    await commit()
    expect(await counting).toEqual(
      expect.arrayContaining([
        { name: 'notes', columns: ['id', 'text'], rows: 2 },
        { name: 'more_notes', columns: ['id'], rows: 1 },
      ]),
    )
  },
)

it('the schema has no sequences: a backup has no place for where they are', async () => {
  const { rows } = await sql`select relname from pg_class where relkind = 'S'`.execute(db.root)
  expect(rows).toEqual([])
})
