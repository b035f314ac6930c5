import { type Kysely, sql } from 'kysely'

/**
 * Pages of delivered posts are looked at where a site wants that, and a site has an incident of its own for what was accepted and is not
 * live. Whoever is told that a site fails is told of this too.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table endpoints add column verifies boolean not null default false`.execute(db)
  await sql`alter table deliveries add column live_check jsonb`.execute(db)
  await sql`
    create index deliveries_not_live on deliveries (site_id, id) where live_check ->> 'state' in ('wrong', 'gone')
  `.execute(db)
  await sql`alter table incidents add column kind text not null default 'failing'`.execute(db)
  await sql`drop index incidents_open`.execute(db)
  await sql`create unique index incidents_open on incidents (site_id, kind) where closed_at is null`.execute(db)
  await sql`
    update notification_channels set events = events
      || case when 'site.failing' = any(events) then array['site.not_live'] else array[]::text[] end
      || case when 'site.recovered' = any(events) then array['site.live'] else array[]::text[] end
  `.execute(db)
}
