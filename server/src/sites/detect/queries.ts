/** Reads and changes which sites are due for a look at their platform. */
import { type RawBuilder, sql, type UpdateObject } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { Platform } from '../tables.ts'

/** A look that this process has begun. It can be settled while the site still has this address and this number of tries. */
export type DetectionLease = { siteId: string; accountId: string; url: string; tries: number }

/** The most looks at a site before it stays `custom`. */
const MOST_TRIES = 2

/**
 * Leases up to `limit` sites that are due, longest due first. A site that is not settled is due again at `until`, so a crash
 * repeats the look; the last try clears `detect_at`.
 */
export async function leaseDueSites(
  db: Db,
  { limit, now, until }: { limit: number; now: Date; until: Date },
): Promise<DetectionLease[]> {
  const { rows } = await sql<DetectionLease>`
    with due as (
      select id from sites where detect_at <= ${now} order by detect_at limit ${limit} for update skip locked
    )
    update sites s
    set detect_tries = s.detect_tries + 1, detect_at = case when s.detect_tries + 1 < ${MOST_TRIES} then ${until}::timestamptz end
    from due where s.id = due.id
    returning s.id as "siteId", s.account_id as "accountId", s.url, s.detect_tries as tries
  `.execute(db)
  return rows
}

/** When the next site becomes due after `now`; undefined when none will. */
export async function nextDetectionAt(db: Db, now: Date): Promise<Date | undefined> {
  const row = await db
    .selectFrom('sites')
    .select('detect_at')
    .where('detect_at', '>', now)
    .orderBy('detect_at')
    .limit(1)
    .executeTakeFirst()
  return row?.detect_at ?? undefined
}

/** Records the result, unless the user has chosen a platform or changed the address since. Returns whether it was recorded. */
export async function settleDetection(db: Db, lease: DetectionLease, platform: Platform): Promise<boolean> {
  const { numUpdatedRows } = await stillAsLeased(db, lease).set({ platform, detect_at: null }).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Makes a site due again at `at`. Does nothing after its last try. */
export async function postponeDetection(db: Db, lease: DetectionLease, at: Date): Promise<void> {
  if (lease.tries < MOST_TRIES) await stillAsLeased(db, lease).set({ detect_at: at }).execute()
}

/** Undoes a try that was interrupted; the site is due at once. */
export async function returnDetection(db: Db, lease: DetectionLease, now: Date): Promise<void> {
  await stillAsLeased(db, lease)
    .set({ detect_at: now, detect_tries: lease.tries - 1 })
    .execute()
}

function stillAsLeased(db: Db, { siteId, url, tries }: DetectionLease) {
  return db
    .updateTable('sites')
    .where('id', '=', siteId)
    .where('url', '=', url)
    .where('detect_tries', '=', tries)
    .where('platform_given', '=', false)
}

/**
 * Columns for the update that moves a site to `url`, to restart detection: the old address says nothing about the new one. They change
 * nothing if the address stays or the user has chosen the platform. Not an update of its own: when a transaction changes a row twice,
 * the database locks the row's account, and whoever removes the account locks that before its sites.
 */
export function restartedDetection(url: string, now: Date): UpdateObject<Tables, 'sites'> {
  const ifMoved = <T>(then: RawBuilder<T>, column: string) =>
    sql<T>`case when url <> ${url} and not platform_given then ${then} else ${sql.ref(column)} end`
  return {
    platform: ifMoved(sql<Platform>`'custom'`, 'platform'),
    detect_at: ifMoved(sql<Date>`${now}::timestamptz`, 'detect_at'),
    detect_tries: ifMoved(sql<number>`0`, 'detect_tries'),
  }
}
