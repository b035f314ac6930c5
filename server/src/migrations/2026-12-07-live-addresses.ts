import { type Kysely, sql } from 'kysely'

/** Deliveries keep where the site said that it shows the post. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table deliveries add column live_url text`.execute(db)
}
