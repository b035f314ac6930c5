/** The service's tables, read from the database's catalog, so that a backup has whatever the migrations have made. */
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'

/** A table and its columns, with their types as SQL writes them. Generated columns are left out. */
export type StoredTable = { name: string; columns: { name: string; type: string }[] }

/** The migrator's own tables. */
const OF_THE_MIGRATOR = ['kysely_migration', 'kysely_migration_lock']

/**
 * Every table in the current schema, referenced tables before those that reference them. Extensions' tables are left out, and so are
 * unlogged ones: they keep nothing beyond a transaction, and a standby cannot read them.
 */
export async function storedTables(db: Db): Promise<StoredTable[]> {
  const { rows: tables } = await sql<StoredTable>`
    select c.relname as name, json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
      order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relpersistence = 'p'
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
      and c.relname <> all(${OF_THE_MIGRATOR})
    group by c.relname order by c.relname
  `.execute(db)
  const { rows: references } = await sql<Reference>`
    select f.relname as "from", t.relname as "to"
    from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and k.connamespace = current_schema()::regnamespace
  `.execute(db)
  const byName = new Map(tables.map((table) => [table.name, table]))
  return loadOrder([...byName.keys()], references).flatMap((name) => byName.get(name) ?? [])
}

type Reference = { from: string; to: string }

/** Tables in an order in which rows can be loaded: referenced tables come first. Throws on a cycle. */
export function loadOrder(tables: readonly string[], references: readonly Reference[]): string[] {
  const ordered: string[] = []
  let waiting = [...tables]
  while (waiting.length > 0) {
    const ready = waiting.filter((table) =>
      references.every(({ from, to }) => from !== table || ordered.includes(to) || !waiting.includes(to)),
    )
    if (ready.length === 0) throw new Error(`tables refer to each other in a circle: ${waiting.join(', ')}`)
    ordered.push(...ready)
    waiting = waiting.filter((table) => !ready.includes(table))
  }
  return ordered
}

/** Until the transaction ends, gives values the same text on every server, and lifts the limits on a statement's time. */
export async function usePortableText(tx: Tx): Promise<void> {
  for (const setting of [
    ["'ISO, YMD'", 'datestyle'],
    ["'postgres'", 'intervalstyle'],
    ["'UTC'", 'timezone'],
    ["'hex'", 'bytea_output'],
    ['1', 'extra_float_digits'],
    ['0', 'statement_timeout'],
    ['0', 'idle_in_transaction_session_timeout'],
  ]) {
    await sql.raw(`set local ${setting[1]} = ${setting[0]}`).execute(tx)
  }
}
