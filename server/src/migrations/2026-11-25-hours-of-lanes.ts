import { type Kysely, sql } from 'kysely'

/** The sums of a site's latest hour move into its lane, whose row is written with every batch of results anyway. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
alter table lanes
  add column hour timestamptz,
  add column hour_delivered integer not null default 0,
  add column hour_failed integer not null default 0,
  add column hour_retried integer not null default 0,
  add column hour_delivered_ms bigint not null default 0;
`)
    .execute(db)
}
