import { type Kysely, sql } from 'kysely'

/** Posts that are due in the same moment are read in sets, each of which begins after the last post of the one before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index posts_due`.execute(db)
  await sql`create index posts_due on posts (scheduled_at, id) where status = 'scheduled'`.execute(db)
}
