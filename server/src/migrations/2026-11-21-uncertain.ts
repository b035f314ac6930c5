import { type Kysely, sql } from 'kysely'

/** Deliveries that a site may have acknowledged to a worker that crashed before recording it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
alter table deliveries add column uncertain boolean not null default false;
create index deliveries_uncertain on deliveries (site_id, post_id) where uncertain and status = 'pending';
`)
    .execute(db)
}
