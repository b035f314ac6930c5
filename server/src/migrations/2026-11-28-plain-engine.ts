import { type Kysely, sql } from 'kysely'

/**
 * Workers renew a row of their own, which nobody misses after a crash of the server or in a backup, and a lane says who holds it. The database's clock decides what is due, so `read_until` goes; after
 * a crash older events end at once, so `recovering` and `uncertain` go; the sums of the latest hour go to the roll-ups at once.
 * An endpoint has a kind, whose channel reads its configuration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create unlogged table workers (id uuid primary key, since timestamptz not null, seen_at timestamptz not null)`.execute(
    db,
  )
  await sql`
    with kept as (select account_id, site_id, hour, hour_delivered, hour_failed, hour_retried, hour_delivered_ms from lanes where hour is not null),
    days as (
      insert into delivery_days as d (account_id, site_id, day, delivered, failed, retried, delivered_ms)
      select account_id, site_id, date_trunc('day', hour, 'UTC'), hour_delivered, hour_failed, hour_retried, hour_delivered_ms from kept
      on conflict (account_id, site_id, day) do update
      set delivered = d.delivered + excluded.delivered, failed = d.failed + excluded.failed, retried = d.retried + excluded.retried,
        delivered_ms = d.delivered_ms + excluded.delivered_ms
    )
    insert into delivery_hours as h (account_id, site_id, hour, delivered, failed, retried, delivered_ms)
    select account_id, site_id, hour, hour_delivered, hour_failed, hour_retried, hour_delivered_ms from kept
    on conflict (account_id, site_id, hour) do update
    set delivered = h.delivered + excluded.delivered, failed = h.failed + excluded.failed, retried = h.retried + excluded.retried,
      delivered_ms = h.delivered_ms + excluded.delivered_ms
  `.execute(db)
  await sql`update lanes set leased_until = statement_timestamp(), due_at = statement_timestamp() where recovering`.execute(
    db,
  )
  await sql`
    alter table lanes add column leased_by uuid, drop column read_until, drop column recovering,
      drop column hour, drop column hour_delivered, drop column hour_failed, drop column hour_retried, drop column hour_delivered_ms
  `.execute(db)
  await sql`alter table endpoints add column kind text not null default 'webhook', add column config jsonb`.execute(db)
  await sql`update endpoints set config = jsonb_build_object('url', webhook_url)`.execute(db)
  await sql`alter table endpoints alter column kind drop default, alter column config set not null, drop column webhook_url`.execute(
    db,
  )
  await sql`drop index deliveries_uncertain`.execute(db)
  await sql`alter table deliveries drop column uncertain`.execute(db)
}
