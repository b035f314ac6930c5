/** Reading every table as of one moment. */
import { sql } from 'kysely'
import type { Database, Tx } from '../db/database.ts'
import type { BackupTable } from './format.ts'
import { hasSequences, storedTables, usePortableText } from './tables.ts'

/** Each fetch is sized by the largest row so far, so that memory stays near this whatever the rows are. */
const READ_BYTES = 4 * 1024 * 1024
const ROWS = { first: 16, most: 400 }

/** Rows of one table as written to the file: lines, each with its newline. */
export type RowBatch = { table: string; lines: string[] }

/** Runs `work` in one read-only transaction that sees the database as it was at its beginning. */
export async function inSnapshot<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.root
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await usePortableText(tx)
      return work(tx)
    })
}

/** The tables of a backup in loading order, with their exact numbers of rows in this snapshot. */
export async function countTables(tx: Tx): Promise<BackupTable[]> {
  if (await hasSequences(tx)) throw new Error('a backup has no place for sequences: make ids without them')
  const counted: BackupTable[] = []
  for (const table of await storedTables(tx)) {
    const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table.name)}`.execute(tx)
    counted.push({ name: table.name, columns: table.columns.map(({ name }) => name), rows: rows[0]?.rows ?? 0 })
  }
  return counted
}

/** Every row of the tables, in their order, a few at a time. */
export async function* readRows(tx: Tx, tables: readonly BackupTable[]): AsyncGenerator<RowBatch> {
  for (const table of tables) yield* readTable(tx, table)
}

async function* readTable(tx: Tx, table: Pick<BackupTable, 'name' | 'columns'>): AsyncGenerator<RowBatch> {
  const columns = sql.join(table.columns.map((column) => sql`${sql.ref(column)}::text`))
  await sql`
    declare backup no scroll cursor for select json_build_array(${columns})::text as line from ${sql.table(table.name)}
  `.execute(tx)
  let count = ROWS.first
  let largest = 1
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(count)} from backup`.execute(tx)
    if (rows.length === 0) break
    const lines = rows.map(({ line }) => `${line}\n`)
    for (const line of lines) largest = Math.max(largest, line.length)
    yield { table: table.name, lines }
    count = Math.max(1, Math.min(ROWS.most, count * 4, Math.floor(READ_BYTES / largest)))
  }
  await sql`close backup`.execute(tx)
}
