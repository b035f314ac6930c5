import { type Kysely, sql } from 'kysely'

/** Indexes for the analytics endpoints. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
create index deliveries_failed on deliveries (account_id, finished_at desc) where status = 'failed';
create index posts_published on posts (account_id, published_at desc, id desc) where status = 'published';
create index endpoints_deleted on endpoints (deleted_at) where deleted_at is not null;
`)
    .execute(db)
}
