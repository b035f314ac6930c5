/** Reading every table as of one moment. */
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Database, Tx } from '../db/database.ts'
import type { BackupTable } from './format.ts'
import { storedTables, usePortableText } from './tables.ts'

/** The most bytes in a batch of rows; a longer row is a batch of its own. */
const READ_BYTES = 4 * 1024 * 1024
/** How many rows are fetched at once. Their short lines fit into one batch; of longer lines, only the length is fetched at first. */
const FETCHED = 400
const SHORT_BYTES = Math.floor(READ_BYTES / FETCHED)

/** Rows of one table as written to the file: lines, each with its newline. */
export type RowBatch = { table: string; lines: string[] }

/**
 * Runs `work` in one read-only transaction, on a snapshot that is taken once all tables are locked: a table that a migration rewrites
 * after the snapshot would look empty.
 */
export async function inSnapshot<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  const tables = await storedTables(db.root)
  const done = await db.root
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await usePortableText(tx)
      await sql`lock table ${sql.join(tables.map(({ name }) => sql.table(name)))} in access share mode`.execute(tx)
      // The first statement that sees anything.
      return isDeepStrictEqual(await storedTables(tx), tables) ? { value: await work(tx) } : undefined
    })
  return done === undefined ? inSnapshot(db, work) : done.value
}

/** The tables of a backup in loading order, with their exact numbers of rows in this snapshot. */
export async function countTables(tx: Tx): Promise<BackupTable[]> {
  const counted: BackupTable[] = []
  for (const table of await storedTables(tx)) {
    const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table.name)}`.execute(tx)
    counted.push({ name: table.name, columns: table.columns.map(({ name }) => name), rows: rows[0]?.rows ?? 0 })
  }
  return counted
}

/** Every row of the tables, in their order, a few at a time. */
export async function* readRows(tx: Tx, tables: readonly BackupTable[]): AsyncGenerator<RowBatch> {
  for (const table of tables) {
    let count = 0
    for await (const lines of readTable(tx, table)) {
      count += lines.length
      yield { table: table.name, lines }
    }
    if (count !== table.rows) throw new Error(`${table.name} has ${table.rows} rows, of which ${count} were read`)
  }
}

/** A row that was fetched: where it is, how long its line is, and the line itself unless that is long. */
type Fetched = { place: string; bytes: number; line: string | null }

async function* readTable(tx: Tx, { name, columns }: BackupTable): AsyncGenerator<string[]> {
  const texts = sql.join(columns.map((column) => sql`${sql.ref(column)}::text`))
  const built = sql`select ctid, json_build_array(${texts})::text as line from ${sql.table(name)}`
  // With `offset 0` each line is built once.
  await sql`
    declare backup no scroll cursor for
    select ctid::text as place, octet_length(line) as bytes,
      case when octet_length(line) <= ${sql.lit(SHORT_BYTES)} then line end as line
    from (${built} offset 0) as built
  `.execute(tx)
  for (;;) {
    const { rows } = await sql<Fetched>`fetch ${sql.lit(FETCHED)} from backup`.execute(tx)
    if (rows.length === 0) break
    yield rows.flatMap(({ line }) => (line === null ? [] : `${line}\n`))
    for (const places of batchesOf(rows.filter(({ line }) => line === null))) {
      const { rows: long } = await sql<{ line: string }>`${built} where ctid = any(${places}::tid[])`.execute(tx)
      yield long.map(({ line }) => `${line}\n`)
    }
  }
  await sql`close backup`.execute(tx)
}

/** The places of rows, divided into batches. */
function batchesOf(rows: readonly Fetched[]): string[][] {
  const batches: string[][] = []
  let room = 0
  for (const { place, bytes } of rows) {
    const last = batches.at(-1)
    if (last !== undefined && bytes <= room) last.push(place)
    else {
      batches.push([place])
      room = READ_BYTES
    }
    room -= bytes
  }
  return batches
}
