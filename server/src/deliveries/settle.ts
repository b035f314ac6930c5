/** Recording what came of attempts. One short transaction per batch; everything in it stands or falls together. */
import { sql } from 'kysely'
import type { Tx } from '../platform/db/database.ts'
import { blocked, type DueDelivery, type LaneLease } from './lease.ts'
import { type AttemptResult, afterAttempt, healthAfter, type LaneHealth, type NextState } from './policy.ts'
import type { HistoryEntry } from './tables.ts'

/** An attempt that ended, with the lease it was made under. */
export type Settlement = { lease: LaneLease; delivery: DueDelivery; result: AttemptResult }

/** A lane to give back. `clean` says that the outcome of every attempt on the lane is known and recorded. */
export type Release = { lease: LaneLease; clean: boolean }

type Settled = Settlement & { next: NextState; attempts: number; attemptsInRound: number }

/**
 * Records a batch of results and gives lanes back. Results of a lease that has been lost meanwhile change nothing and
 * are returned as `late`. A delivery that ended in another way while it was in flight (confirmed by the site, site
 * deleted) keeps that end.
 *
 * The lanes are locked first and everything else is read afterwards. An enqueue that committed before is then visible
 * to the release, and a later one finds the released lane: either way the wake-up is not lost.
 */
export async function settleBatch(
  tx: Tx,
  settlements: readonly Settlement[],
  releases: readonly Release[],
  retryDelaysMs: readonly number[],
  now: Date,
): Promise<{ settled: Settled[]; late: Settlement[] }> {
  const lanes = await lockLanes(
    tx,
    [...settlements, ...releases].map(({ lease }) => lease.siteId),
  )
  const held = (lease: LaneLease) => lanes.get(lease.siteId)?.fence === lease.fence
  const [valid, late] = partition(settlements, ({ lease }) => held(lease))
  const judged = valid.map((one) => decide(one, retryDelaysMs))
  const recorded = judged.length === 0 ? new Set<string>() : await recordAttempts(tx, judged)
  const settled = judged.filter(({ delivery }) => recorded.has(delivery.id))
  await supersedeOlder(
    tx,
    settled.filter((one) => one.result.ok || (one.next.status === 'failed' && mayHaveArrived(one))),
  )
  await addToHours(
    tx,
    settled.filter(({ next }) => next.status !== 'pending'),
  )
  await updateLanes(tx, settled, lanes)
  await releaseLanes(
    tx,
    releases.filter(({ lease }) => held(lease)),
    now,
  )
  return { settled, late }
}

type LockedLanes = Map<string, LaneHealth & { fence: number }>

async function lockLanes(tx: Tx, siteIds: readonly string[]): Promise<LockedLanes> {
  const rows = await tx
    .selectFrom('lanes')
    .select(['site_id', 'fence', 'suspect', 'failing', 'failures_in_a_row'])
    .where('site_id', 'in', [...new Set(siteIds)])
    .orderBy('site_id')
    .forUpdate()
    .execute()
  return new Map(
    rows.map((row) => [
      row.site_id,
      { fence: row.fence, suspect: row.suspect, failing: row.failing, failuresInARow: row.failures_in_a_row },
    ]),
  )
}

function decide(one: Settlement, retryDelaysMs: readonly number[]): Settled {
  const attempts = one.delivery.attempts + 1
  const attemptsInRound = one.delivery.attemptsInRound + 1
  return {
    ...one,
    attempts,
    attemptsInRound,
    next: afterAttempt(one.result, { attempts, attemptsInRound }, retryDelaysMs),
  }
}

/** After a crash, what is attempted again may have been acknowledged before; a failure now does not undo that. */
function mayHaveArrived({ lease, delivery }: Settlement): boolean {
  return delivery.uncertain || lease.recovering
}

/**
 * Updates the deliveries that are still pending; returns their ids. The number of attempts must be the one the attempt
 * began with: a batch that is repeated because its commit was answered by a lost connection records nothing twice.
 */
async function recordAttempts(tx: Tx, judged: readonly Settled[]): Promise<Set<string>> {
  const column = <T>(pick: (one: Settled) => T) => judged.map(pick)
  const { rows } = await sql<{ id: string }>`
    update deliveries d
    set status = o.status, attempts = o.attempts, attempts_in_round = o.in_round, next_attempt_at = o.next_attempt_at,
      finished_at = case when o.next_attempt_at is null then o.finished_at end,
      response_code = o.code, response_time_ms = o.took_ms, last_error = o.error, history = d.history || o.entry,
      uncertain = o.uncertain
    from unnest(
      ${column(({ delivery }) => delivery.id)}::uuid[],
      ${column(({ next }) => next.status)}::text[],
      ${column(({ attempts }) => attempts)}::int[],
      ${column(({ attemptsInRound }) => attemptsInRound)}::int[],
      ${column(({ next }) => next.nextAttemptAt)}::timestamptz[],
      ${column(({ result }) => result.finishedAt)}::timestamptz[],
      ${column(({ result }) => result.code)}::int[],
      ${column(({ result }) => result.tookMs)}::int[],
      ${column(({ result }) => result.error)}::text[],
      ${column((one) => JSON.stringify(historyOf(one)))}::jsonb[],
      ${column((one) => !one.result.ok && mayHaveArrived(one))}::boolean[]
    ) as o (id, status, attempts, in_round, next_attempt_at, finished_at, code, took_ms, error, entry, uncertain)
    where d.id = o.id and d.status = 'pending' and d.attempts = o.attempts - 1
    returning d.id
  `.execute(tx)
  return new Set(rows.map((row) => row.id))
}

/** A delivery that succeeded at once keeps no history: its row says it all. */
function historyOf({ attempts, result }: Settled): HistoryEntry[] {
  if (attempts === 1 && result.ok) return []
  return [{ attempt: attempts, at: result.startedAt.toISOString(), code: result.code, error: result.error }]
}

/** Once an event is delivered, or may have been, older ones of the same post must not reach the site (decision D5). */
async function supersedeOlder(tx: Tx, arrived: readonly Settled[]): Promise<void> {
  if (arrived.length === 0) return
  await sql`
    update deliveries d
    set status = 'failed', last_error = 'superseded', next_attempt_at = null, finished_at = o.finished_at
    from unnest(
      ${arrived.map(({ delivery }) => delivery.siteId)}::uuid[],
      ${arrived.map(({ delivery }) => delivery.postId)}::uuid[],
      ${arrived.map(({ delivery }) => delivery.sequence)}::int[],
      ${arrived.map(({ result }) => result.finishedAt)}::timestamptz[]
    ) as o (site_id, post_id, sequence, finished_at)
    where d.site_id = o.site_id and d.post_id = o.post_id and d.sequence < o.sequence and d.status = 'pending'
  `.execute(tx)
}

type Hour = {
  accountId: string
  siteId: string
  hour: Date
  delivered: number
  failed: number
  retried: number
  ms: number
}

/** Adds finished deliveries to the hourly roll-up. A site's hours are written under its lane's lock only. */
async function addToHours(tx: Tx, finished: readonly Settled[]): Promise<void> {
  if (finished.length === 0) return
  const hours = [...sumByHour(finished).values()]
  await sql`
    insert into delivery_hours as h (account_id, site_id, hour, delivered, failed, retried, delivered_ms)
    select * from unnest(
      ${hours.map((hour) => hour.accountId)}::uuid[],
      ${hours.map((hour) => hour.siteId)}::uuid[],
      ${hours.map((hour) => hour.hour)}::timestamptz[],
      ${hours.map((hour) => hour.delivered)}::int[],
      ${hours.map((hour) => hour.failed)}::int[],
      ${hours.map((hour) => hour.retried)}::int[],
      ${hours.map((hour) => hour.ms)}::bigint[]
    )
    on conflict (account_id, site_id, hour) do update
    set delivered = h.delivered + excluded.delivered, failed = h.failed + excluded.failed,
      retried = h.retried + excluded.retried, delivered_ms = h.delivered_ms + excluded.delivered_ms
  `.execute(tx)
}

function sumByHour(finished: readonly Settled[]): Map<string, Hour> {
  const hours = new Map<string, Hour>()
  for (const { delivery, result, attempts } of finished) {
    const hour = new Date(Math.floor(result.finishedAt.getTime() / 3_600_000) * 3_600_000)
    const key = `${delivery.siteId} ${hour.getTime()}`
    const sum = hours.get(key) ?? {
      accountId: delivery.accountId,
      siteId: delivery.siteId,
      hour,
      delivered: 0,
      failed: 0,
      retried: 0,
      ms: 0,
    }
    sum.delivered += result.ok ? 1 : 0
    sum.failed += result.ok ? 0 : 1
    sum.retried += attempts > 1 ? 1 : 0
    sum.ms += result.ok ? result.tookMs : 0
    hours.set(key, sum)
  }
  return hours
}

const HEALTHY: LaneHealth = { suspect: false, failing: false, failuresInARow: 0 }

async function updateLanes(tx: Tx, settled: readonly Settled[], locked: LockedLanes): Promise<void> {
  if (settled.length === 0) return
  const lanes = [...Map.groupBy(settled, ({ lease }) => lease.siteId)].map(([siteId, list]) => {
    const delivered = list.filter(({ result }) => result.ok)
    const health = list.reduce<LaneHealth>(
      (before, one) => healthAfter(before, one.result, one.next),
      locked.get(siteId) ?? HEALTHY,
    )
    return {
      siteId,
      ...health,
      delivered: delivered.length,
      failed: list.filter(({ next }) => next.status === 'failed').length,
      lastDeliveredAt: delivered.at(-1)?.result.finishedAt ?? null,
    }
  })
  await sql`
    update lanes l
    set suspect = o.suspect, failing = o.failing, failures_in_a_row = o.failures, delivered = l.delivered + o.delivered,
      failed = l.failed + o.failed, last_delivered_at = greatest(l.last_delivered_at, o.last_delivered_at)
    from unnest(
      ${lanes.map((lane) => lane.siteId)}::uuid[],
      ${lanes.map((lane) => lane.suspect)}::boolean[],
      ${lanes.map((lane) => lane.failing)}::boolean[],
      ${lanes.map((lane) => lane.failuresInARow)}::int[],
      ${lanes.map((lane) => lane.delivered)}::int[],
      ${lanes.map((lane) => lane.failed)}::int[],
      ${lanes.map((lane) => lane.lastDeliveredAt)}::timestamptz[]
    ) as o (site_id, suspect, failing, failures, delivered, failed, last_delivered_at)
    where l.site_id = o.site_id
  `.execute(tx)
}

/**
 * Gives lanes back, due when their next delivery is, but not before now: a lane with a backlog goes to the end of the
 * queue, so that lanes take turns. An unclean release is treated like a crash by the next holder.
 */
async function releaseLanes(tx: Tx, releases: readonly Release[], now: Date): Promise<void> {
  if (releases.length === 0) return
  await sql`
    update lanes l
    set leased_until = null, recovering = not o.clean,
      due_at = (
        select greatest(d.next_attempt_at, ${now}) from deliveries d
        join endpoints e on e.site_id = d.site_id and not e.paused
        where d.site_id = l.site_id and d.status = 'pending' and not ${blocked}
        order by d.next_attempt_at, d.id limit 1
      )
    from unnest(
      ${releases.map(({ lease }) => lease.siteId)}::uuid[],
      ${releases.map(({ clean }) => clean)}::boolean[]
    ) as o (site_id, clean)
    where l.site_id = o.site_id
  `.execute(tx)
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  const groups = Map.groupBy(items, test)
  return [groups.get(true) ?? [], groups.get(false) ?? []]
}
