import { type Kysely, sql } from 'kysely'

/** Counted requests. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
-- One row per counted bucket: how much of the window that ends then is used.
create table rate_limits (
  bucket text primary key,
  window_ends_at timestamptz not null,
  used integer not null
) with (fillfactor = 70);
create index rate_limits_ended on rate_limits (window_ends_at);
`)
    .execute(db)
}
