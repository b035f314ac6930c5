/**
 * Sums of finished deliveries by hour and by day (UTC), per site. Analytics add these up instead of counting deliveries.
 *
 * A site's lane keeps the sums of its latest hour, since every batch of results writes the lane's row anyway. The first result of
 * a later hour adds the lane's sums to `delivery_hours` and `delivery_days`. So these two are written once per site and hour
 * instead of once per batch; a site with one batch an hour gains nothing. Confirmations go to the roll-ups at once. Readers add
 * the lane's sums to the roll-ups (`history.ts`). All sums are written under the lane's lock only.
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

/** A site's sums for an hour. `ms`: the response times of the delivered ones; `confirmed`: how many of them the site confirmed. */
export type HourSums = {
  accountId: string
  siteId: string
  hour: Date
  delivered: number
  failed: number
  retried: number
  ms: number
  confirmed?: number
}

export const HOUR_MS = 3_600_000

/** The beginning of the hour that a time lies in. */
export function hourOf(time: Date): Date {
  return new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS)
}

/** Sums per site and hour, by site. */
export function sumByHour(outcomes: readonly Outcome[]): Map<string, HourSums[]> {
  const bySite = new Map<string, HourSums[]>()
  for (const outcome of outcomes) {
    const own = bySite.get(outcome.siteId) ?? []
    let sum = own.find(({ hour }) => isInHour(outcome.finishedAt, hour))
    if (sum === undefined) {
      sum = noneIn(outcome)
      bySite.set(outcome.siteId, own)
      own.push(sum)
    }
    add(sum, outcome)
  }
  return bySite
}

function isInHour(time: Date, hour: Date): boolean {
  const sinceMs = time.getTime() - hour.getTime()
  return sinceMs >= 0 && sinceMs < HOUR_MS
}

function noneIn({ accountId, siteId, finishedAt }: Outcome): HourSums {
  return { accountId, siteId, hour: hourOf(finishedAt), delivered: 0, failed: 0, retried: 0, ms: 0 }
}

function add(sum: HourSums, { ok, retried, tookMs }: Outcome): void {
  sum.delivered += ok ? 1 : 0
  sum.failed += ok ? 0 : 1
  sum.retried += retried ? 1 : 0
  sum.ms += ok ? tookMs : 0
}

/**
 * Divides sums, of which each site and hour has one, into those of each site's latest hour, which its lane is to keep, and the
 * others, which go to the roll-ups: earlier hours, and what the lane kept of an hour that is over. `keptOf`: what a lane keeps now.
 */
export function divideByLatest(
  sums: ReadonlyMap<string, readonly HourSums[]>,
  keptOf: (siteId: string) => HourSums | undefined,
): { latest: Map<string, HourSums>; others: HourSums[] } {
  const latest = new Map<string, HourSums>()
  const others: HourSums[] = []
  for (const [siteId, own] of sums) {
    const kept = keptOf(siteId)
    const newest = own.reduce((before, one) => (one.hour > before.hour ? one : before))
    if (kept !== undefined && kept.hour > newest.hour) others.push(...own)
    else {
      latest.set(siteId, newest)
      for (const one of own) if (one !== newest) others.push(one)
      if (kept !== undefined && kept.hour < newest.hour) others.push(kept)
    }
  }
  return { latest, others }
}

/** Moves the hours that locked lanes keep to the roll-ups, which have all sums then. */
export async function closeHours(tx: Tx, siteIds: readonly string[]): Promise<void> {
  const keepOne = sql`site_id = any(${plainArray(siteIds)}::uuid[]) and hour is not null`
  await writeDown(
    tx,
    sql`select account_id, site_id, hour, hour_delivered, hour_failed, hour_retried, hour_delivered_ms, 0 from lanes where ${keepOne}`,
  )
  await sql`
    update lanes set hour = null, hour_delivered = 0, hour_failed = 0, hour_retried = 0, hour_delivered_ms = 0
    where ${keepOne}
  `.execute(tx)
}

/** Adds sums to the roll-ups. The lanes of their sites must be locked. */
export async function addToRollUps(tx: Tx, hours: readonly HourSums[]): Promise<void> {
  if (hours.length === 0) return
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
        ${plainArray(hours.map((one) => one.ms))}::bigint[],
        ${plainArray(hours.map((one) => one.confirmed ?? 0))}::int[]
      )`,
  )
}

const SUMS = sql`sum(delivered), sum(failed), sum(retried), sum(delivered_ms), sum(confirmed)`

/** Adds rows of (account, site, hour, delivered, failed, retried, milliseconds, confirmed) to both roll-ups. */
async function writeDown(tx: Tx, rows: RawBuilder<unknown>): Promise<void> {
  await sql`
    with finished (account_id, site_id, hour, delivered, failed, retried, delivered_ms, confirmed) as materialized (${rows}),
    days as (
      insert into delivery_days as d (account_id, site_id, day, delivered, failed, retried, delivered_ms, confirmed)
      select account_id, site_id, date_trunc('day', hour, 'UTC'), ${SUMS} from finished group by 1, 2, 3
      on conflict (account_id, site_id, day) do update
      set delivered = d.delivered + excluded.delivered, failed = d.failed + excluded.failed,
        retried = d.retried + excluded.retried, delivered_ms = d.delivered_ms + excluded.delivered_ms,
        confirmed = d.confirmed + excluded.confirmed
    )
    insert into delivery_hours as h (account_id, site_id, hour, delivered, failed, retried, delivered_ms, confirmed)
    select account_id, site_id, hour, ${SUMS} from finished group by 1, 2, 3
    on conflict (account_id, site_id, hour) do update
    set delivered = h.delivered + excluded.delivered, failed = h.failed + excluded.failed,
      retried = h.retried + excluded.retried, delivered_ms = h.delivered_ms + excluded.delivered_ms,
      confirmed = h.confirmed + excluded.confirmed
  `.execute(tx)
}
