import { type Kysely, sql } from 'kysely'

/** Posts in the trash are kept for a while. Their slugs are free for other posts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table posts add column trashed_at timestamptz`.execute(db)
  await sql`alter table posts drop constraint posts_status_check`.execute(db)
  await sql`
    alter table posts
      add constraint posts_status_check check (status in ('draft', 'scheduled', 'published', 'trash')),
      add constraint posts_trashed_check check ((status = 'trash') = (trashed_at is not null))
  `.execute(db)
  await sql`alter table posts drop constraint posts_slug`.execute(db)
  await sql`create unique index posts_slug on posts (account_id, slug) where status <> 'trash'`.execute(db)
  await sql`create index posts_trashed on posts (trashed_at) where status = 'trash'`.execute(db)
}
