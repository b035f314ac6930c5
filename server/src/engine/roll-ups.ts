/**
 * Sums of finished deliveries by hour and by day (UTC), per site. Analytics add these up instead of counting deliveries. All sums are
 * written under the lane's lock only, so two transactions never wait for each other's rows crosswise.
 */
import { type RawBuilder, sql } from 'kysely'
import { plainArray } from '../platform/db/arrays.ts'
import type { Tx } from '../platform/db/database.ts'

/** A delivery that has ended. `tookMs` is how long the site took to answer; one that the site confirmed itself has none. */
export type Outcome = {
  accountId: string
  siteId: string
  finishedAt: Date
  isOk: boolean
  isRetried: boolean
  tookMs: number | 'confirmed'
}

export const HOUR_MS = 3_600_000

/** The beginning of the hour that a time lies in. */
export function hourOf(time: Date): Date {
  return new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS)
}

const SUMS = sql`count(*) filter (where is_ok), count(*) filter (where not is_ok), count(*) filter (where is_retried),
  coalesce(sum(took_ms) filter (where is_ok), 0), count(*) filter (where is_ok and took_ms is null)`

/** Adds what has `finished` to the sums of its hours, or of its days. */
function addTo(unit: 'hour' | 'day'): RawBuilder<unknown> {
  const [table, start] = [sql.table(`delivery_${unit}s`), sql.ref(unit)]
  return sql`
    insert into ${table} as r (account_id, site_id, ${start}, delivered, failed, retried, delivered_ms, confirmed)
    select account_id, site_id, date_trunc(${sql.lit(unit)}, finished_at, 'UTC'), ${SUMS} from finished group by 1, 2, 3
    on conflict (account_id, site_id, ${start}) do update
    set delivered = r.delivered + excluded.delivered, failed = r.failed + excluded.failed, retried = r.retried + excluded.retried,
      delivered_ms = r.delivered_ms + excluded.delivered_ms, confirmed = r.confirmed + excluded.confirmed`
}

/** Adds outcomes to both roll-ups. The lanes of their sites must be locked. */
export async function addToRollUps(tx: Tx, outcomes: readonly Outcome[]): Promise<void> {
  if (outcomes.length === 0) return
  await sql`
    with finished as materialized (
      select * from unnest(
        ${plainArray(outcomes.map((one) => one.accountId))}::uuid[],
        ${plainArray(outcomes.map((one) => one.siteId))}::uuid[],
        ${plainArray(outcomes.map((one) => one.finishedAt))}::timestamptz[],
        ${plainArray(outcomes.map((one) => one.isOk))}::boolean[],
        ${plainArray(outcomes.map((one) => one.isRetried))}::boolean[],
        ${plainArray(outcomes.map(({ tookMs }) => (tookMs === 'confirmed' ? null : tookMs)))}::int[]
      ) as o (account_id, site_id, finished_at, is_ok, is_retried, took_ms)
    ), days as (${addTo('day')})
    ${addTo('hour')}
  `.execute(tx)
}
