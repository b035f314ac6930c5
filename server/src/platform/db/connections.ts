import { sql } from 'kysely'
import type { Db } from './database.ts'

/**
 * How many other connections of this service a PostgreSQL server has now. A process has at least the one on which it hears signals,
 * whose application name begins with the pool's.
 */
export async function otherConnections(db: Db): Promise<number> {
  const { rows } = await sql<{ others: number }>`
    select count(*) as others from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and starts_with(application_name, current_setting('application_name'))
  `.execute(db)
  return rows[0]?.others ?? 0
}
