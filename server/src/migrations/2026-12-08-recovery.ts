import { type Kysely, sql } from 'kysely'

/** Sites may come back by themselves, and what a site lacks is counted: failures that nothing newer has followed, and posts that it was not sent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table endpoints add column recovers boolean not null default false`.execute(db)
  await sql`
    create index deliveries_missing on deliveries (site_id, id)
    where status = 'failed' and last_error is distinct from 'superseded'
  `.execute(db)
  // Posts that were published while the site was paused, and that it was not sent since.
  await sql`
    create table skipped_posts (
      account_id uuid not null,
      site_id uuid not null,
      post_id uuid not null,
      primary key (site_id, post_id)
    )
  `.execute(db)
  await sql`create index skipped_posts_of_post on skipped_posts (post_id)`.execute(db)
}
