/** Writing the results of attempts into the rows of their deliveries. */
import { type RawBuilder, sql } from 'kysely'
import { plainArray } from '../platform/db/arrays.ts'
import type { Tx } from '../platform/db/database.ts'
import type { DueDelivery, LaneLease } from './lease.ts'
import type { AttemptResult, NextState } from './policy.ts'
import type { HistoryEntry } from './tables.ts'

/** An attempt that ended, with the lease it was made under. */
export type Settlement = { lease: LaneLease; delivery: DueDelivery; result: AttemptResult }

/** A result that was recorded, with what it made of its delivery. */
export type Settled = Settlement & { next: NextState; attempts: number; attemptsInRound: number }

/** Whether an earlier holder may have lost this delivery's acknowledgement: a failure now does not disprove it. */
export function mayHaveArrived({ lease, delivery }: Settlement): boolean {
  return delivery.uncertain || lease.recovering
}

/**
 * Records the results of deliveries that are still pending, or were superseded meanwhile, and whose lanes, which must be locked, still
 * have the lease's fence; returns those recorded. A delivery must also have as many attempts as when this one began: so a batch repeated
 * because the connection was lost during its commit records nothing twice.
 */
export async function recordAttempts(tx: Tx, judged: readonly Settled[]): Promise<readonly Settled[]> {
  if (judged.length === 0) return judged
  // Nearly always everything is recorded; only otherwise are the ids needed.
  const { rows } = await sql<{ count: number; ids: string[] | null }>`
    with recorded as (
      update deliveries d
      set status = o.status, attempts = o.attempts, attempts_in_round = o.in_round, next_attempt_at = o.next_attempt_at,
        finished_at = case when o.next_attempt_at is null then o.finished_at end,
        response_code = o.code, response_time_ms = o.took_ms, last_error = o.error,
        history = case when o.entry is null then d.history else d.history || o.entry end, uncertain = o.uncertain
      from ${results(judged)}
      where d.id = o.id and d.status = 'pending' and d.attempts = o.attempts - 1
      returning d.id
    )
    select count(*), case when count(*) < ${judged.length} then array_agg(id) end as ids from recorded
  `.execute(tx)
  const { count = 0, ids = [] } = rows[0] ?? {}
  if (count === judged.length) return judged
  const recorded = new Set(ids)
  const [pending, others] = [judged.filter(isRecorded), judged.filter((one) => !isRecorded(one))]
  return [...pending, ...(await recordSuperseded(tx, others))]

  function isRecorded({ delivery }: Settled): boolean {
    return recorded.has(delivery.id)
  }
}

/**
 * Records the results of deliveries that were superseded while the attempt was in flight: one that the site has accepted is delivered; one
 * that failed stays superseded, with the attempt in its history, and counts nowhere.
 */
async function recordSuperseded(tx: Tx, judged: readonly Settled[]): Promise<readonly Settled[]> {
  const { rows } = await sql<{ id: string }>`
    update deliveries d
    set attempts = o.attempts, attempts_in_round = o.in_round, response_code = o.code, response_time_ms = o.took_ms,
      status = case when o.error is null then o.status else d.status end,
      finished_at = case when o.error is null then o.finished_at else d.finished_at end,
      last_error = case when o.error is null then null else d.last_error end,
      history = case when o.entry is null then d.history else d.history || o.entry end, uncertain = o.uncertain
    from ${results(judged)}
    where d.id = o.id and d.status = 'failed' and d.last_error = 'superseded' and d.attempts = o.attempts - 1
    returning d.id
  `.execute(tx)
  const recorded = new Set(rows.map(({ id }) => id))
  return judged
    .filter(({ delivery }) => recorded.has(delivery.id))
    .map((one) => (one.result.ok ? one : { ...one, next: { status: 'superseded', nextAttemptAt: null } }))
}

/** A from clause: the results `o` whose lanes still have their lease's fence. */
function results(judged: readonly Settled[]): RawBuilder<unknown> {
  const column = (pick: (one: Settled) => string | number | boolean | Date | null) => plainArray(judged.map(pick))
  return sql`
    unnest(
      ${column(({ delivery }) => delivery.id)}::uuid[],
      ${column(({ next }) => next.status)}::text[],
      ${column(({ attempts }) => attempts)}::int[],
      ${column(({ attemptsInRound }) => attemptsInRound)}::int[],
      ${column(({ next }) => next.nextAttemptAt)}::timestamptz[],
      ${column(({ result }) => result.finishedAt)}::timestamptz[],
      ${column(({ result }) => result.code)}::int[],
      ${column(({ result }) => result.tookMs)}::int[],
      ${judged.map(({ result }) => result.error)}::text[],
      ${judged.map((one) => historyOf(one))}::jsonb[],
      ${column((one) => !one.result.ok && mayHaveArrived(one))}::boolean[],
      ${column(({ lease }) => lease.siteId)}::uuid[],
      ${column(({ lease }) => lease.fence)}::bigint[]
    ) as o (id, status, attempts, in_round, next_attempt_at, finished_at, code, took_ms, error, entry, uncertain, site_id, fence)
    join lanes l on l.site_id = o.site_id and l.fence = o.fence`
}

/** The attempt's entry in the history. A delivery that succeeded at the first attempt keeps none: its row says it all. */
function historyOf({ attempts, result }: Settled): string | null {
  if (attempts === 1 && result.ok) return null
  const entry: HistoryEntry = {
    attempt: attempts,
    at: result.startedAt.toISOString(),
    code: result.code,
    error: result.error,
    took_ms: result.tookMs,
    ...(result.excerpt === null ? {} : { response: result.excerpt }),
  }
  return JSON.stringify(entry)
}
