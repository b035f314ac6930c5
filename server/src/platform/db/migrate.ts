import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Database, Db, Tx } from './database.ts'
import type { OnStep } from './open.ts'

/** Every migration of this version, by name; the names sort in the order in which they run. */
export type Migrations = Record<string, Migration>

/** What has run, what has yet to run, and what ran but is unknown here (another version was at work). Sorted names. */
export type SchemaState = { applied: string[]; pending: string[]; unknown: string[] }

/** The schema does not fit this version of the service; the message says what to do. */
export class SchemaError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SchemaError'
  }
}

/** The encoding a database must have: others cannot store most of the world's text. */
export const ENCODING = 'UTF8'

/** Throws SchemaError for a database in another encoding. */
export async function assertEncoding(db: Db): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db)
  const encoding = rows[0]?.server_encoding ?? ENCODING
  if (encoding !== ENCODING) throw wrongEncoding(encoding)
}

/** The error for a database in another encoding. */
export function wrongEncoding(encoding: string): SchemaError {
  return new SchemaError(
    `The database has the encoding ${encoding}, which cannot store every text. Create one with the encoding ${ENCODING} (create database … encoding 'UTF8' template template0) and set DATABASE_URL to it; move existing data with backup and restore.`,
  )
}

/** Compares the schema with `migrations`. Changes nothing. */
export async function schemaState(db: Db, migrations: Migrations): Promise<SchemaState> {
  const known = Object.keys(migrations).toSorted()
  const { rows: found } = await sql<{ exists: boolean }>`
    select to_regclass('kysely_migration') is not null as exists
  `.execute(db)
  if (found[0]?.exists !== true) return { applied: [], pending: known, unknown: [] }
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const applied = rows.map(({ name }) => name).toSorted()
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  }
}

/**
 * Brings the schema up to date; returns the names of the migrations that ran, and tells `onStep` of them before and after. Safe to call
 * from several processes at once. Throws `SchemaError` when the database holds migrations that this version of the service does not know, or
 * has an encoding that does not hold every text.
 */
export async function migrate(db: Database, migrations: Migrations, onStep: OnStep = () => {}): Promise<string[]> {
  await assertEncoding(db.root)
  const schema = await schemaState(db.root, migrations)
  assertKnown(schema)
  const { applied: before, pending } = schema
  if (pending.length === 0) return []
  onStep('db.migrating', { pending, isNew: before.length === 0 })
  const applied = await db.withoutTimeLimit(async (root) =>
    outcome(await migratorOf(root, migrations).migrateToLatest()),
  )
  onStep('db.migrated', { applied })
  return applied
}

/** Brings the schema to the state after the migration `last`, as part of the transaction. */
export async function migrateTo(tx: Tx, migrations: Migrations, last: string): Promise<string[]> {
  return outcome(await migratorOf(tx, migrations).migrateTo(last))
}

/** Throws SchemaError for a database of a newer version, and for one of a preview. */
export function assertKnown(schema: SchemaState): void {
  const { unknown } = schema
  if (unknown.length === 0) return
  throw new SchemaError(
    isOfPreview(schema)
      ? 'The database was made by a preview of Postrider, which this version does not open. Nothing was changed. Run postrider backup with the last preview, then postrider restore with this version and an empty database (docs/operating-reference.md, Upgrading).'
      : `The database was migrated by a newer version of Postrider (${unknown.join(', ')}). Nothing was changed. Use that version or a newer one.`,
  )
}

/** Whether other migrations than this version's made the schema. A newer version has run all of this version's, and more. */
export function isOfPreview({ pending, unknown }: SchemaState): boolean {
  return unknown.length > 0 && pending.length > 0
}

function migratorOf(db: Db, migrations: Migrations): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } })
}

function outcome({ error, results }: Awaited<ReturnType<Migrator['migrateToLatest']>>): string[] {
  if (error !== undefined) throw new Error('the database schema could not be brought up to date', { cause: error })
  return (results ?? []).filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName)
}
