import { type Kysely, sql } from 'kysely'

/**
 * Indexes for the log of deliveries and for lists of posts. Both indexes on deliveries are by site: a page of an account's
 * log merges a few rows of each site, so one index serves the logs of accounts and of sites, however unevenly deliveries are
 * spread. Neither contains a column that changes when a delivery is settled. The second one finds what is rare in a log of
 * nearly always "delivered"; only deliveries that failed before are in it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
create index deliveries_log on deliveries (site_id, id desc);
create index deliveries_troubled on deliveries (site_id, id desc) where status in ('failed', 'delivered_retry');
create index posts_scheduled on posts (account_id, scheduled_at, id) where status = 'scheduled';
`)
    .execute(db)
}
