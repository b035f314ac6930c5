import { sql } from 'kysely'
import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Database, Tx } from '../platform/db/database.ts'
import { firstIdAt } from '../platform/ids.ts'
import type { SignalSender } from '../platform/signals.ts'
import { lockLanesOfAccount } from './lanes.ts'

/** How long the history of a deleted site is kept (specification, section 4). */
const DELETED_SITE_MS = 90 * 24 * 3_600_000
const ROWS_PER_STEP = 1_000

/** An advisory lock (an arbitrary number) held while history is removed. */
const REMOVING_LOCK = 7_301_946_114

/**
 * Removes history in a transaction, one worker at a time: of two that remove different deliveries of an event, neither would see the
 * other's removal, and both would leave the event. Undefined while somebody else does: removing an account may take minutes.
 */
function removing<Result>(db: Database, remove: (tx: Tx) => Promise<Result>): Promise<Result | undefined> {
  return db.tx(async (tx) => {
    const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock(${REMOVING_LOCK}) as free`.execute(
      tx,
    )
    return rows[0]?.free ? remove(tx) : undefined
  })
}

/**
 * Removes history of sites that were deleted more than 90 days ago, a batch of rows at a time; returns whether there may be
 * more. An event is removed with its last delivery, an endpoint with its last row.
 */
export async function purgeDeletedSites(db: Database, now: Date): Promise<boolean> {
  return (await removing(db, (tx) => purgeBatch(tx, plusMs(now, -DELETED_SITE_MS)))) ?? false
}

async function purgeBatch(tx: Tx, before: Date): Promise<boolean> {
  const { rows } = await sql<{ deliveries: number; endpoints: number }>`
    with gone as (select account_id, site_id from endpoints where deleted_at <= ${before} order by deleted_at limit 20),
    doomed as (select id, event_id from deliveries where site_id in (select site_id from gone) limit ${ROWS_PER_STEP}),
    purged as (delete from deliveries where id in (select id from doomed)),
    events_purged as (
      delete from events v using (select distinct event_id from doomed) e where v.id = e.event_id and not exists (
        select from deliveries d where d.post_id = v.post_id and d.event_id = v.id and d.id not in (select id from doomed)
      )
    ),
    finished as (select account_id, site_id from gone where (select count(*) from doomed) < ${ROWS_PER_STEP}),
    hours_purged as (delete from delivery_hours h using finished f where h.account_id = f.account_id and h.site_id = f.site_id),
    days_purged as (delete from delivery_days d using finished f where d.account_id = f.account_id and d.site_id = f.site_id),
    lanes_purged as (delete from lanes where site_id in (select site_id from finished)),
    endpoints_purged as (delete from endpoints where site_id in (select site_id from finished) returning 1)
    select (select count(*) from doomed)::int as deliveries, (select count(*) from endpoints_purged)::int as endpoints
  `.execute(tx)
  const { deliveries = 0, endpoints = 0 } = rows[0] ?? {}
  return deliveries > 0 || endpoints > 0
}

/**
 * Removes all endpoints of an account with everything they were to be sent and have been sent. Workers that hold their lanes
 * start nothing more; what they record is for lanes that are gone, and changes nothing.
 *
 * Events are found by reading all of them, so they go first: while the lanes are locked, results of other accounts may wait
 * together with those of this one.
 */
export async function removeDeliveriesOf(ctx: { signals: SignalSender }, tx: Tx, accountId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${REMOVING_LOCK})`.execute(tx)
  await tx.deleteFrom('events').where('account_id', '=', accountId).execute()
  await lockLanesOfAccount(tx, accountId)
  const endpoints = await tx.selectFrom('endpoints').select('site_id').where('account_id', '=', accountId).execute()
  for (const { site_id: siteId } of endpoints) await ctx.signals.send(tx, 'endpoint', siteId)
  const siteIds = endpoints.map((one) => one.site_id)
  await sql`delete from deliveries where site_id = any(${siteIds}::uuid[])`.execute(tx)
  for (const table of ['skipped_posts', 'delivery_hours', 'delivery_days', 'lanes', 'endpoints'] as const)
    await tx.deleteFrom(table).where('account_id', '=', accountId).execute()
}

const HISTORY_ROWS = 1_000
/** Between two batches, so that removing a year of history is not noticed. */
const PAUSE_MS = 100

/**
 * Removes deliveries that finished before the configured age, and events without deliveries left, a small batch at a time;
 * returns how many deliveries. Ids are in the order of time, so no other index is needed and every row is read once. Pending
 * deliveries and roll-ups stay.
 */
export async function removeOldHistory(
  ctx: Pick<Context, 'clock' | 'config' | 'db'>,
  stopping: AbortSignal,
): Promise<number> {
  const { historyRetentionMs } = ctx.config
  if (historyRetentionMs === undefined) return 0
  const before = plusMs(ctx.clock.now(), -historyRetentionMs)
  let removed = 0
  for (let last: string | null = null; !stopping.aborted; ) {
    const batch: Batch | undefined = await removing(ctx.db, (tx) => removeBatch(tx, before, last))
    removed += batch?.removed ?? 0
    if (!batch?.full) break
    last = batch.last
    await ctx.clock.sleep(PAUSE_MS, stopping)
  }
  return removed
}

type Batch = { last: string | null; full: boolean; removed: number }

/**
 * A failure may be queued again while its batch is being removed: the delete waits for that transaction, checks the row again,
 * and leaves it. Each event is checked once, not once for each of its deliveries.
 */
async function removeBatch(tx: Tx, before: Date, after: string | null): Promise<Batch> {
  const { rows } = await sql<Batch>`
    with looked_at as (
      select id, status <> 'pending' and finished_at < ${before} as old from deliveries
      where id < ${firstIdAt(before)}::uuid and (${after}::uuid is null or id > ${after}::uuid)
      order by id limit ${HISTORY_ROWS}
    ),
    doomed as (select * from looked_at where old),
    removed as (delete from deliveries where id in (select id from doomed) and status <> 'pending' and finished_at < ${before} returning id, event_id),
    events_removed as (
      delete from events v using (select distinct event_id from removed) r where v.id = r.event_id and not exists (
        select from deliveries d where d.post_id = v.post_id and d.event_id = v.id and d.id not in (select id from removed)
      )
    )
    select (select id from looked_at order by id desc limit 1) as last,
      (select count(*) from looked_at) = ${HISTORY_ROWS} as full, (select count(*) from removed)::int as removed
  `.execute(tx)
  return rows[0] ?? { last: null, full: false, removed: 0 }
}
