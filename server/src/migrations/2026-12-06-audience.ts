import { type Kysely, sql } from 'kysely'

/**
 * Sites are named for posts that are not published yet, too; posts may have an end; and what was published by a schedule keeps the time
 * for which it was due.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table posts
      add column sites_chosen boolean not null default false, -- by site_ids: they last
      add column unpublish_at timestamptz,
      add column due_at timestamptz -- of the publication, if a schedule caused it
  `.execute(db)
  await sql`create index posts_ending on posts (unpublish_at, id) where unpublish_at is not null and status <> 'draft'`.execute(
    db,
  )
  await sql`alter table post_sites drop constraint post_sites_named_since`.execute(db)
  await sql`alter table events add column due_at timestamptz`.execute(db)
}
