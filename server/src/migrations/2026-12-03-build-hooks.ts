import { type Kysely, sql } from 'kysely'

/** Endpoints may be debounced (`engine/debounce.ts`), and sites have a pattern of their posts' addresses. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table endpoints add column debounce_seconds integer`.execute(db)
  await sql`alter table lanes add column attempted_at timestamptz`.execute(db)
  await sql`alter table sites add column post_url text`.execute(db)
}
