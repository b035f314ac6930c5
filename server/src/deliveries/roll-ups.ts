/**
 * Sums of what deliveries have come to, by hour and by day (UTC), per site. Analytics add them up; the deliveries are not counted.
 *
 * The latest hour of a site is kept in its lane, whose row is written with every batch of results anyway. When results of a
 * later hour come, the lane's hour is closed: it is added to `delivery_hours` and `delivery_days`. So a site that is busy has two
 * rows less to write per batch, and a site that hears of a post now and then has them written once for each of its hours.
 * Whoever reads adds all three (`history.ts`). All of a site's sums are written under its lane's lock only.
 */
import { type RawBuilder, sql } from 'kysely'
import { plainArray } from '../platform/db/arrays.ts'
import type { Tx } from '../platform/db/database.ts'

/** A delivery that has ended. `tookMs` is how long the site took to answer. */
export type Outcome = {
  accountId: string
  siteId: string
  finishedAt: Date
  ok: boolean
  retried: boolean
  tookMs: number
}

/** What the deliveries to a site came to in an hour; `ms` is the sum of what the delivered ones took. */
export type HourSums = {
  accountId: string
  siteId: string
  hour: Date
  delivered: number
  failed: number
  retried: number
  ms: number
}

const HOUR_MS = 3_600_000

/** Sums per site and hour. */
export function sumByHour(outcomes: readonly Outcome[]): HourSums[] {
  const sums = new Map<string, HourSums>()
  for (const { accountId, siteId, finishedAt, ok, retried, tookMs } of outcomes) {
    const at = Math.floor(finishedAt.getTime() / HOUR_MS) * HOUR_MS
    const key = `${siteId} ${at}`
    const sum = sums.get(key) ?? { accountId, siteId, hour: new Date(at), delivered: 0, failed: 0, retried: 0, ms: 0 }
    sum.delivered += ok ? 1 : 0
    sum.failed += ok ? 0 : 1
    sum.retried += retried ? 1 : 0
    sum.ms += ok ? tookMs : 0
    sums.set(key, sum)
  }
  return [...sums.values()]
}

/**
 * Makes room in locked lanes for the latest of these hours, and writes down those that are not the latest of their site.
 * `hourOf` is the hour that a lane keeps now. Returns what is left to be added in the lanes, by site.
 */
export async function addAllButLatest(
  tx: Tx,
  sums: readonly HourSums[],
  hourOf: (siteId: string) => Date | null,
): Promise<Map<string, HourSums>> {
  const latest = new Map<string, HourSums>()
  const others: HourSums[] = []
  for (const one of sums) {
    const before = latest.get(one.siteId)
    const kept = Math.max(hourOf(one.siteId)?.getTime() ?? 0, before?.hour.getTime() ?? 0)
    if (one.hour.getTime() < kept) {
      others.push(one)
      continue
    }
    if (before !== undefined) others.push(before)
    latest.set(one.siteId, one)
  }
  const ended = [...latest.values()].filter(({ siteId, hour }) => isBefore(hourOf(siteId), hour))
  if (ended.length > 0)
    await closeHours(
      tx,
      ended.map(({ siteId }) => siteId),
    )
  if (others.length > 0) await addToRollUps(tx, others)
  return latest
}

function isBefore(kept: Date | null, hour: Date): boolean {
  return kept !== null && kept.getTime() < hour.getTime()
}

/** Writes down the hours that locked lanes keep; they keep none afterwards. */
export async function closeHours(tx: Tx, siteIds: readonly string[]): Promise<void> {
  const lanes = sql`lanes where site_id = any(${plainArray(siteIds)}::uuid[]) and hour is not null`
  await writeDown(
    tx,
    sql`select account_id, site_id, hour, hour_delivered, hour_failed, hour_retried, hour_delivered_ms from ${lanes}`,
  )
  await sql`
    update lanes set hour = null, hour_delivered = 0, hour_failed = 0, hour_retried = 0, hour_delivered_ms = 0
    where site_id = any(${plainArray(siteIds)}::uuid[]) and hour is not null
  `.execute(tx)
}

async function addToRollUps(tx: Tx, hours: readonly HourSums[]): Promise<void> {
  await writeDown(
    tx,
    sql`
      select * from unnest(
        ${plainArray(hours.map((one) => one.accountId))}::uuid[],
        ${plainArray(hours.map((one) => one.siteId))}::uuid[],
        ${plainArray(hours.map((one) => one.hour))}::timestamptz[],
        ${plainArray(hours.map((one) => one.delivered))}::int[],
        ${plainArray(hours.map((one) => one.failed))}::int[],
        ${plainArray(hours.map((one) => one.retried))}::int[],
        ${plainArray(hours.map((one) => one.ms))}::bigint[]
      )`,
  )
}

/** Adds rows of (account, site, hour, delivered, failed, retried, milliseconds), each site and hour once, to both roll-ups. */
async function writeDown(tx: Tx, rows: RawBuilder<unknown>): Promise<void> {
  await sql`
    with finished (account_id, site_id, hour, delivered, failed, retried, delivered_ms) as materialized (${rows}),
    days as (
      insert into delivery_days as d (account_id, site_id, day, delivered, failed, retried, delivered_ms)
      select account_id, site_id, date_trunc('day', hour, 'UTC'), sum(delivered), sum(failed), sum(retried), sum(delivered_ms)
      from finished group by 1, 2, 3
      on conflict (account_id, site_id, day) do update
      set delivered = d.delivered + excluded.delivered, failed = d.failed + excluded.failed,
        retried = d.retried + excluded.retried, delivered_ms = d.delivered_ms + excluded.delivered_ms
    )
    insert into delivery_hours as h (account_id, site_id, hour, delivered, failed, retried, delivered_ms)
    select * from finished
    on conflict (account_id, site_id, hour) do update
    set delivered = h.delivered + excluded.delivered, failed = h.failed + excluded.failed,
      retried = h.retried + excluded.retried, delivered_ms = h.delivered_ms + excluded.delivered_ms
  `.execute(tx)
}
