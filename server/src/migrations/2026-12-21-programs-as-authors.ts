import { type Kysely, sql } from 'kysely'

/** Which program made a version of a post, and what one proposes to publish. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table posts add column revised_by_name text, add column proposal jsonb`.execute(db)
  await sql`alter table post_revisions add column revised_by_name text`.execute(db)
  await sql`create index posts_proposed on posts (account_id) where proposal is not null`.execute(db)
}
