import { type Kysely, sql } from 'kysely'

/**
 * Indexes for the log of deliveries and for lists of posts. Both of the deliveries' are by site, since a few rows of each
 * site make a page of an account's log: one index serves the log of an account and that of a site, however unevenly
 * their deliveries are spread. Neither is over a column that changes when a delivery is settled. The second one is for
 * what is rare in a log that nearly always says "delivered"; only deliveries that failed before ever get into it.
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
