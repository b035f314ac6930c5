import { type Migration, Migrator } from 'kysely/migration'
import type { Database } from './database.ts'

/**
 * Brings the schema up to date; returns the names of the migrations that ran. Safe to call from several processes
 * at once. Throws when the database holds migrations that this version of the service does not know.
 */
export async function migrate(db: Database, migrations: Record<string, Migration>): Promise<string[]> {
  const migrator = new Migrator({ db: db.root, provider: { getMigrations: async () => migrations } })
  const { error, results } = await migrator.migrateToLatest()
  if (error !== undefined) throw new Error('the database schema could not be brought up to date', { cause: error })
  return (results ?? []).filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName)
}
