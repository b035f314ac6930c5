import { type Kysely, sql } from 'kysely'

/** When a post was published for the first time, which unpublishing does not undo. Of posts that are not published now, it is not known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table posts add column first_published_at timestamptz').execute(db)
  await sql.raw("update posts set first_published_at = published_at where status = 'published'").execute(db)
  await sql
    .raw(
      `create index posts_first_published on posts (account_id, first_published_at) where first_published_at is not null`,
    )
    .execute(db)
}
