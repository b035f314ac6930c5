import { type Kysely, sql } from 'kysely'

/** What a site is made with, as its owner chose it: finer than the platform. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table sites add column framework text`.execute(db)
}
