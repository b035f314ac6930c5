import { type Kysely, sql } from 'kysely'

/** Sites keep what came of their last test. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table sites add column last_test jsonb`.execute(db)
}
