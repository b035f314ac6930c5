/** Recording the results of attempts, in one short transaction per batch. */
import { type RawBuilder, sql } from 'kysely'
import { plainArray } from '../platform/db/arrays.ts'
import type { Tx } from '../platform/db/database.ts'
import { limitLockWait, type Sent, sendAhead } from '../platform/db/statements.ts'
import type { ChangedDelivery } from './changes.ts'
import { blocked, type LaneLease } from './lease.ts'
import { afterAttempt, healthAfter, type LaneHealth } from './policy.ts'
import { mayHaveArrived, recordAttempts, type Settled, type Settlement } from './results.ts'
import { addToRollUps, divideByLatest, type HourSums, type Outcome, sumByHour } from './roll-ups.ts'

/** When the first prompt lane is due, and the first suspect one. */
export type NextDue = { prompt: Date | null; suspect: Date | null }

/** A lane to release. `clean` says that the outcome of every attempt on the lane is known and recorded. */
export type Release = { lease: LaneLease; clean: boolean; postponed: Postponement | undefined }

/** What was due in a lane at `known` waits until `until`. */
export type Postponement = { known: Date; until: Date }

/** What is recorded together: results, and lanes to release after them. */
export type Batch = { settlements: readonly Settlement[]; releases: readonly Release[] }

/** What becomes of lanes that another transaction has locked: they are waited for, a quarter of a second at most, or left out. */
export type IfLocked = 'wait' | 'leave'

/** What became of a batch. */
export type Outcomes = {
  settled: readonly Settled[]
  superseded: ChangedDelivery[]
  /** Results of a lease that was lost meanwhile: they changed nothing. */
  late: Settlement[]
  /** The lanes of which nothing was done, because they were locked. */
  leftOut: ReadonlySet<string>
  /** When the first of the released lanes are due again. Arrives with the commit. */
  nextDue: Promise<NextDue>
}

/**
 * Records a batch of results and releases lanes. A delivery that ended in another way while it was in flight (confirmed by the site,
 * site deleted) keeps that end; one that was superseded is delivered nevertheless if its site has accepted it. A wait for locks that takes too long rejects with a lock timeout.
 *
 * The lanes are locked first and everything else is read afterwards. An enqueue that committed before is then visible
 * to the release, and a later one finds the released lane: either way the wake-up is not lost.
 *
 * That takes two round trips: the results are on their way before the locks are known to be held, and the commit before the lanes are
 * known to be released.
 */
export async function settleBatch(
  tx: Tx,
  { settlements, releases }: Batch,
  { ifLocked, retryDelaysMs, now }: { ifLocked: IfLocked; retryDelaysMs: readonly number[]; now: Date },
): Promise<Outcomes> {
  const siteIds = [...new Set([...settlements, ...releases].map(({ lease }) => lease.siteId))]
  const locking = await lockLanes(tx, siteIds, ifLocked)
  const leftOut = ifLocked === 'wait' ? new Set<string>() : await findLockedElsewhere(tx, siteIds, await locking.rows)
  const reached = settlements.filter(({ lease }) => !leftOut.has(lease.siteId))
  const settled = await recordAttempts(
    tx,
    reached.map((one) => decide(one, retryDelaysMs)),
  )
  const lanes: LockedLanes = new Map((await locking.rows).map((row) => [row.siteId, row]))
  const held = ({ lease }: { lease: LaneLease }) => lanes.get(lease.siteId)?.fence === lease.fence
  const late = reached.filter((one) => !held(one))
  const superseded = await supersedeOlder(
    tx,
    settled.filter((one) => one.result.ok || (one.next.status === 'failed' && mayHaveArrived(one))),
  )
  const { latest, others } = divideByLatest(sumByHour(outcomesOf(settled)), (siteId) => keptIn(lanes.get(siteId)))
  await addToRollUps(tx, others)
  const updating = await updateLanes(tx, laneChanges(settled, releases.filter(held), lanes, latest), now)
  const nextDue = updating.rows.then(([row = NOTHING_DUE]) => row)
  nextDue.catch(() => {}) // the commit fails with the same error
  return { settled, superseded, late, leftOut, nextDue }
}

/** Enough for a transaction that publishes a post; one that publishes or removes a great deal may take seconds or minutes. */
const LONGEST_WAIT = '250ms'

type LockedLane = LaneHealth & Omit<HourSums, 'hour'> & { fence: number; hour: Date | null }
type LockedLanes = Map<string, LockedLane>

async function lockLanes(tx: Tx, siteIds: readonly string[], ifLocked: IfLocked): Promise<Sent<LockedLane>> {
  if (ifLocked === 'wait') await limitLockWait(tx, LONGEST_WAIT)
  return sendAhead(
    tx,
    sql<LockedLane>`
    select site_id as "siteId", account_id as "accountId", fence, suspect, failing, failures_in_a_row as "failuresInARow",
      hour, hour_delivered as delivered, hour_failed as failed, hour_retried as retried, hour_delivered_ms as ms
    from lanes
    where site_id = any(${plainArray(siteIds)}::uuid[]) order by site_id for update ${ifLocked === 'wait' ? sql`` : sql`skip locked`}
  `,
  )
}

/** The lanes among these that were not locked here, although they exist. */
async function findLockedElsewhere(
  tx: Tx,
  siteIds: readonly string[],
  here: readonly LockedLane[],
): Promise<ReadonlySet<string>> {
  const missing = new Set(siteIds).difference(new Set(here.map(({ siteId }) => siteId)))
  if (missing.size === 0) return missing
  const locked = await tx
    .selectFrom('lanes')
    .select('site_id')
    .where('site_id', 'in', [...missing])
    .execute()
  return new Set(locked.map((row) => row.site_id))
}

/** The sums that a lane keeps. */
function keptIn(lane: LockedLane | undefined): HourSums | undefined {
  return lane === undefined || lane.hour === null ? undefined : { ...lane, hour: lane.hour }
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

/**
 * Ends older pending deliveries of the post and site as superseded; returns them. Once an event is or may be delivered,
 * nothing older may follow (decision D5). The first has none.
 */
async function supersedeOlder(tx: Tx, all: readonly Settled[]): Promise<ChangedDelivery[]> {
  const arrived = all.filter(({ delivery }) => delivery.sequence > 1)
  if (arrived.length === 0) return []
  const { rows } = await sql<ChangedDelivery>`
    update deliveries d
    set status = 'failed', last_error = 'superseded', next_attempt_at = null, finished_at = o.finished_at
    from unnest(
      ${plainArray(arrived.map(({ lease }) => lease.siteId))}::uuid[],
      ${plainArray(arrived.map(({ delivery }) => delivery.postId))}::uuid[],
      ${plainArray(arrived.map(({ delivery }) => delivery.sequence))}::int[],
      ${plainArray(arrived.map(({ result }) => result.finishedAt))}::timestamptz[]
    ) as o (site_id, post_id, sequence, finished_at)
    where d.site_id = o.site_id and d.post_id = o.post_id and d.sequence < o.sequence and d.status = 'pending'
    returning d.id, d.account_id as "accountId", d.site_id as "siteId"
  `.execute(tx)
  return rows
}

function outcomesOf(settled: readonly Settled[]): Outcome[] {
  return settled
    .filter(({ next }) => next.status !== 'pending' && next.status !== 'superseded')
    .map(({ lease: { accountId, siteId }, result: { finishedAt, ok, tookMs }, attempts }) => {
      return { accountId, siteId, finishedAt, ok, retried: attempts > 1, tookMs }
    })
}

const HEALTHY: LaneHealth = { suspect: false, failing: false, failuresInARow: 0 }

/** The answer when no lane was released. */
export const NOTHING_DUE: NextDue = { prompt: null, suspect: null }

type LaneChange = {
  siteId: string
  health: LaneHealth
  delivered: number
  failed: number
  lastDeliveredAt: Date | null
  hour: Date | null
  sums: HourSums | undefined
  released: boolean
  clean: boolean
  postponed: Postponement | undefined
}

function laneChanges(
  settled: readonly Settled[],
  releases: readonly Release[],
  locked: LockedLanes,
  hours: ReadonlyMap<string, HourSums>,
): LaneChange[] {
  const results = Map.groupBy(settled, ({ lease }) => lease.siteId)
  const releasesBySite = new Map(releases.map((release) => [release.lease.siteId, release]))
  return [...new Set([...results.keys(), ...releasesBySite.keys()])].map((siteId) => {
    const list = results.get(siteId) ?? []
    const release = releasesBySite.get(siteId)
    return {
      siteId,
      health: list.reduce<LaneHealth>(
        (before, one) => healthAfter(before, one.result, one.next),
        locked.get(siteId) ?? HEALTHY,
      ),
      delivered: list.filter(({ result }) => result.ok).length,
      failed: list.filter(({ next }) => next.status === 'failed').length,
      lastDeliveredAt: list.findLast(({ result }) => result.ok)?.result.finishedAt ?? null,
      hour: hours.get(siteId)?.hour ?? locked.get(siteId)?.hour ?? null,
      sums: hours.get(siteId),
      released: release !== undefined,
      clean: release?.clean === true,
      postponed: release?.postponed,
    }
  })
}

/**
 * Updates the lanes' health and sums, and releases lanes. A released lane is due when its next delivery is, but not before now: a lane
 * with a backlog goes to the end of the queue, and lanes take turns. A postponed lane is due at `until`, or when the first delivery
 * due after `known` is, if earlier. An unclean release makes the lane recovering. When the first are due is known with the commit.
 */
async function updateLanes(tx: Tx, changes: readonly LaneChange[], now: Date): Promise<Sent<NextDue>> {
  const column = (pick: (one: LaneChange) => string | number | boolean | Date | null) => plainArray(changes.map(pick))
  return sendAhead(
    tx,
    sql<NextDue>`
    with changed as (
      update lanes l
      set suspect = o.suspect, failing = o.failing, failures_in_a_row = o.failures, delivered = l.delivered + o.delivered,
        failed = l.failed + o.failed, last_delivered_at = greatest(l.last_delivered_at, o.last_delivered_at),
        hour = o.hour, hour_delivered = ${inHour('hour_delivered')}, hour_failed = ${inHour('hour_failed')},
        hour_retried = ${inHour('hour_retried')}, hour_delivered_ms = ${inHour('hour_delivered_ms')},
        leased_until = case when o.released then null else l.leased_until end,
        recovering = case when o.released then not o.clean else l.recovering end,
        due_at = case when o.released then least(
          (select greatest(d.next_attempt_at, ${now}, ${POSTPONED}) ${nextInLane(sql`true`)}),
          case when o.known is not null then (
            select greatest(d.next_attempt_at, ${now}) ${nextInLane(sql`d.next_attempt_at > o.known`)}
          ) end
        ) else l.due_at end
      from unnest(
        ${column(({ siteId }) => siteId)}::uuid[],
        ${column(({ health }) => health.suspect)}::boolean[],
        ${column(({ health }) => health.failing)}::boolean[],
        ${column(({ health }) => health.failuresInARow)}::int[],
        ${column(({ delivered }) => delivered)}::int[],
        ${column(({ failed }) => failed)}::int[],
        ${column(({ lastDeliveredAt }) => lastDeliveredAt)}::timestamptz[],
        ${column(({ hour }) => hour)}::timestamptz[],
        ${column(({ sums }) => sums?.delivered ?? 0)}::int[],
        ${column(({ sums }) => sums?.failed ?? 0)}::int[],
        ${column(({ sums }) => sums?.retried ?? 0)}::int[],
        ${column(({ sums }) => sums?.ms ?? 0)}::bigint[],
        ${column(({ released }) => released)}::boolean[],
        ${column(({ clean }) => clean)}::boolean[],
        ${column(({ postponed }) => postponed?.until ?? null)}::timestamptz[],
        ${column(({ postponed }) => postponed?.known ?? null)}::timestamptz[]
      ) as o (site_id, suspect, failing, failures, delivered, failed, last_delivered_at, hour, hour_delivered, hour_failed,
        hour_retried, hour_delivered_ms, released, clean, postponed, known)
      where l.site_id = o.site_id
      returning l.due_at, l.suspect, o.released
    )
    select min(due_at) filter (where not suspect) as prompt, min(due_at) filter (where suspect) as suspect
    from changed where released
  `,
  )
}

/** Until when lane `l` is postponed: null if its `due_at` was moved under the lease, for something that the holder does not know. */
const POSTPONED = sql`case when l.due_at = l.leased_until then o.postponed end`

/** A from clause: delivery `d`, due first in lane `l` of those that may be attempted and meet the condition. */
function nextInLane(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    from deliveries d join endpoints e on e.site_id = d.site_id and not e.paused
    where d.site_id = l.site_id and d.status = 'pending' and ${condition} and not ${blocked}
    order by d.next_attempt_at, d.id limit 1`
}

/** A sum of the hour that the lane `l` keeps from now on: what `o` adds, and what `l` has, if that is of the same hour. */
function inHour(column: string): RawBuilder<number> {
  const name = sql.ref(column)
  return sql`case when l.hour = o.hour then l.${name} else 0 end + o.${name}`
}
