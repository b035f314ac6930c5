import { sql } from 'kysely'
import { plusMs } from '../platform/clock.ts'
import type { Db } from '../platform/db/database.ts'

/** How long the history of a deleted site is kept (specification, section 4). */
const DELETED_SITE_MS = 90 * 24 * 3_600_000
const ROWS_PER_STEP = 5_000

/**
 * Removes history of sites that were deleted more than 90 days ago, a batch of rows at a time; whether there may be more.
 * An event goes with the last delivery of it, an endpoint with its last row.
 */
export async function purgeDeletedSites(db: Db, now: Date): Promise<boolean> {
  const before = plusMs(now, -DELETED_SITE_MS)
  const { rows } = await sql<{ deliveries: number; endpoints: number }>`
    with gone as (select site_id from endpoints where deleted_at <= ${before} order by deleted_at limit 20),
    doomed as (select id, post_id, event_id from deliveries where site_id in (select site_id from gone) limit ${ROWS_PER_STEP}),
    purged as (delete from deliveries where id in (select id from doomed)),
    events_purged as (
      delete from events v using doomed where v.id = doomed.event_id and not exists (
        select from deliveries d where d.post_id = v.post_id and d.event_id = v.id and d.id not in (select id from doomed)
      )
    ),
    finished as (select site_id from gone where (select count(*) from doomed) < ${ROWS_PER_STEP}),
    hours_purged as (delete from delivery_hours where site_id in (select site_id from finished)),
    lanes_purged as (delete from lanes where site_id in (select site_id from finished)),
    endpoints_purged as (delete from endpoints where site_id in (select site_id from finished) returning 1)
    select (select count(*) from doomed)::int as deliveries, (select count(*) from endpoints_purged)::int as endpoints
  `.execute(db)
  const { deliveries = 0, endpoints = 0 } = rows[0] ?? {}
  return deliveries > 0 || endpoints > 0
}
