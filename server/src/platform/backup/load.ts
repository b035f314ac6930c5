/** Writing the rows of a backup into an empty database. */
import { sql } from 'kysely'
import { type Db, isDatabaseGone, type Tx } from '../db/database.ts'
import { EmbeddedError } from '../db/embedded/errors.ts'
import { messageOf } from '../thrown.ts'
import { BackupError, type BackupTable } from './format.ts'
import type { StoredTable } from './tables.ts'

/** The tables among these that hold rows. Locks them all: nobody else can add rows until the transaction ends. */
export async function lockAndFindRows(tx: Tx, tables: readonly StoredTable[]): Promise<string[]> {
  const filled: string[] = []
  for (const { name } of tables) {
    await sql`lock table ${sql.table(name)} in access exclusive mode`.execute(tx)
    const { rows } = await sql<{ any: boolean }>`
      select exists (select 1 from ${sql.table(name)}) as any
    `.execute(tx)
    if (rows[0]?.any === true) filled.push(name)
  }
  return filled
}

/** Adds rows, given as lines of a backup, to a table, without columns that it does not have. Throws BackupError when they do not fit it. */
export async function loadRows(db: Db, stored: StoredTable, table: BackupTable, lines: string[]): Promise<void> {
  try {
    await insertRows(db, stored, table, lines)
  } catch (error) {
    if (isDatabaseGone(error) || error instanceof EmbeddedError) throw error
    const reason = messageOf(error)
    throw new BackupError(
      `Rows of ${table.name} in the backup do not fit the database: ${reason}. Nothing was changed.`,
      {
        cause: error,
      },
    )
  }
}

async function insertRows(db: Db, stored: StoredTable, table: BackupTable, lines: string[]): Promise<void> {
  const rows = lines.map((line) => JSON.parse(line) as (string | null)[]) // the checksum proves that the lines are as they were written
  const types = new Map(stored.columns.map(({ name, type }) => [name, type]))
  const fields = table.columns.flatMap((column, index) => {
    const type = types.get(column)
    return type === undefined ? [] : { column, type, alias: `c${index}`, values: rows.map((row) => row[index] ?? null) }
  })
  await sql`
    insert into ${sql.table(table.name)} (${sql.join(fields.map(({ column }) => sql.ref(column)))})
    select ${sql.join(fields.map(({ alias, type }) => sql`${sql.ref(alias)}::${sql.raw(type)}`))}
    from unnest(${sql.join(fields.map(({ values }) => sql`${values}::text[]`))})
      as r (${sql.join(fields.map(({ alias }) => sql.ref(alias)))})
  `.execute(db)
}
