/** Recording the results of attempts and releasing lanes, in one short transaction per batch. */
import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../platform/clock.ts'
import { plainArray } from '../platform/db/arrays.ts'
import type { Tx } from '../platform/db/database.ts'
import { prepared } from '../platform/db/statements.ts'
import type { ChangedDelivery } from './changes.ts'
import { EARLIEST_ATTEMPT, noteAttempted } from './debounce.ts'
import type { DueDelivery, LaneLease } from './lease.ts'
import {
  type AttemptResult,
  afterAttempt,
  codeOf,
  errorOf,
  healthAfter,
  isAccepted,
  isSilent,
  type LaneHealth,
  type NextState,
} from './policy.ts'
import { addToRollUps, type Outcome } from './roll-ups.ts'
import { endAsSuperseded } from './supersede.ts'
import type { HistoryEntry } from './tables.ts'

/**
 * An attempt that ended, with the lease it was made under. `alongside`: what else it settles, of a debounced endpoint (debounce.ts).
 * `isOutdated`: the endpoint was changed meanwhile, so that silence says nothing of it as it is now. `verifies`: the pages of posts that it
 * accepts are looked at.
 */
export type Settlement = {
  lease: LaneLease
  delivery: DueDelivery
  alongside: readonly DueDelivery[] | undefined
  result: AttemptResult
  isOutdated: boolean
  verifies: boolean
}

/** A lane to release. `isAbandoned`: an attempt's outcome is unknown, so the next holder must treat the lane as after a crash. */
export type Release = { lease: LaneLease; isAbandoned: boolean }

/** What a batch consists of. */
export type Entry = { settlement: Settlement } | { release: Release }

/** A result that was recorded, with what it made of a delivery. `isAlongside`: the attempt was made for another one. */
export type Settled = Settlement & {
  next: NextState
  attempts: number
  attemptsInRound: number
  isAlongside: boolean
}

/** What a batch means for a site: how many of its deliveries ended as failed, whether it accepted a request, and posts that it accepted if their pages are looked at. */
export type SiteOutcome = {
  accountId: string
  siteId: string
  failed: number
  accepted: boolean
  toVerify: string[]
}

/** Where a site said that it shows a post. */
export type LiveUrl = { postId: string; siteId: string; url: string }

/** What became of a batch. */
type Outcomes = {
  settled: Settled[]
  /** Older deliveries that ended because a newer one was delivered. */
  superseded: ChangedDelivery[]
  /** Of sites at which something failed for good, or which had failed before, or whose pages are looked at. */
  outcomes: SiteOutcome[]
  liveUrls: LiveUrl[]
  /** Results of a lease that was lost meanwhile: they changed nothing. */
  late: Settlement[]
  /** Entries of lanes that another transaction has locked: nothing was done about them. */
  locked: Entry[]
}

/** The lease that an entry belongs to. */
export function leaseOf(entry: Entry): LaneLease {
  return 'release' in entry ? entry.release.lease : entry.settlement.lease
}

/**
 * Records a batch. Its lanes are locked first and everything else is read afterwards: an enqueue that committed before is visible to the
 * release, and a later one finds the released lane, so no wake-up is lost. Entries of lanes that are locked elsewhere are left out.
 */
export async function settleBatch(
  tx: Tx,
  entries: readonly Entry[],
  { clock, retryDelaysMs }: { clock: Clock; retryDelaysMs: readonly number[] },
): Promise<Outcomes> {
  const { locked, lanes } = await lockFreeLanes(tx, [...new Set(entries.map((entry) => leaseOf(entry).siteId))])
  const isHeld = ({ lease }: { lease: LaneLease }) => lanes.get(lease.siteId)?.fence === lease.fence
  const reached = entries.filter((entry) => !locked.has(leaseOf(entry).siteId))
  const settlements = reached.flatMap((entry) => ('settlement' in entry ? [entry.settlement] : []))
  const releases = reached.flatMap((entry) => ('release' in entry ? [entry.release] : []))
  const held = settlements.filter(isHeld)
  const settled = await recordAttempts(
    tx,
    clock,
    held.flatMap((one) => decide(one, retryDelaysMs)),
  )
  const superseded = await supersedeOlder(
    tx,
    settled.filter(({ result }) => isAccepted(result)),
  )
  await addToRollUps(tx, outcomesOf(settled))
  const debounced = held.filter(({ alongside }) => alongside !== undefined)
  await noteAttempted(
    tx,
    clock,
    debounced.map(({ lease }) => lease.siteId),
  )
  const changes = laneChanges(settled, releases.filter(isHeld), lanes)
  await updateLanes(tx, clock, changes)
  return {
    settled,
    superseded,
    outcomes: siteOutcomes(changes, lanes),
    liveUrls: settled.flatMap(liveUrlsOf),
    late: settlements.filter((one) => !isHeld(one)),
    locked: entries.filter((entry) => locked.has(leaseOf(entry).siteId)),
  }
}

type LockedLane = LaneHealth & { siteId: string; accountId: string; fence: number; failed: number }

/** Locks lanes, without waiting for those that another transaction has locked; lanes that are gone are neither. */
async function lockFreeLanes(
  tx: Tx,
  siteIds: readonly string[],
): Promise<{ lanes: Map<string, LockedLane>; locked: ReadonlySet<string> }> {
  const { rows } = await prepared(sql<LockedLane>`
    select site_id as "siteId", account_id as "accountId", fence, suspect, failing, failures_in_a_row as "failuresInARow", failed from lanes
    where site_id = any(${plainArray(siteIds)}::uuid[]) order by site_id for update skip locked
  `).execute(tx)
  const lanes = new Map(rows.map((row) => [row.siteId, row]))
  const missing = siteIds.filter((siteId) => !lanes.has(siteId))
  if (missing.length === 0) return { lanes, locked: new Set() }
  const others = await tx.selectFrom('lanes').select('site_id').where('site_id', 'in', missing).execute()
  return { lanes, locked: new Set(others.map(({ site_id }) => site_id)) }
}

function decide(one: Settlement, retryDelaysMs: readonly number[]): Settled[] {
  return [one.delivery, ...(one.alongside ?? [])].map((delivery, index) => {
    const attempts = delivery.attempts + 1
    const attemptsInRound = delivery.attemptsInRound + 1
    const next = afterAttempt(isAccepted(one.result), { attempts, attemptsInRound }, retryDelaysMs)
    return { ...one, delivery, attempts, attemptsInRound, next, isAlongside: index > 0 }
  })
}

/**
 * Writes results into the rows of their deliveries, whose lanes must be locked; returns those written. A delivery must have as many
 * attempts as when the attempt began, so a batch that is repeated because the connection was lost during its commit changes nothing.
 *
 * A delivery that ended in another way while it was in flight (confirmed by the site, site deleted) keeps that end. One that was superseded
 * meanwhile is delivered nevertheless if its site has accepted it; if not, it stays superseded, with the attempt in its history.
 */
async function recordAttempts(tx: Tx, clock: Clock, judged: readonly Settled[]): Promise<Settled[]> {
  if (judged.length === 0) return []
  const column = (pick: (one: Settled) => string | number | boolean | Date | null) => plainArray(judged.map(pick))
  const { rows } = await sql<{ id: string; status: NextState['status'] }>`
    update deliveries d
    set attempts = o.attempts, attempts_in_round = o.in_round, response_code = o.code, response_time_ms = o.took_ms,
      history = case when o.entry is null then d.history else d.history || o.entry end,
      status = case when d.status = 'pending' or o.error is null then o.status else d.status end,
      next_attempt_at = case when d.status = 'pending' then ${clock.inDatabase()} + o.retry_ms * interval '1 millisecond' end,
      finished_at = case when d.status = 'pending' or o.error is null then case when o.retry_ms is null then o.finished_at end else d.finished_at end,
      last_error = case when d.status = 'pending' or o.error is null then o.error else d.last_error end,
      live_url = coalesce(o.live_url, d.live_url)
    from unnest(
      ${column(({ delivery }) => delivery.id)}::uuid[],
      ${column(({ next }) => next.status)}::text[],
      ${column(({ attempts }) => attempts)}::int[],
      ${column(({ attemptsInRound }) => attemptsInRound)}::int[],
      ${column(({ next }) => next.retryInMs)}::float8[],
      ${column(({ result }) => result.finishedAt)}::timestamptz[],
      ${column(({ result }) => codeOf(result))}::int[],
      ${column(({ result }) => Math.round(result.tookMs))}::int[],
      ${judged.map(({ result }) => errorOf(result))}::text[],
      ${judged.map(historyOf)}::jsonb[],
      ${judged.map(({ result }) => (result.kind === 'delivered' ? (result.liveUrl ?? null) : null))}::text[]
    ) as o (id, status, attempts, in_round, retry_ms, finished_at, code, took_ms, error, entry, live_url)
    where d.id = o.id and d.attempts = o.attempts - 1 and (d.status = 'pending' or d.status = 'failed' and d.last_error = 'superseded')
    returning d.id, case when d.last_error = 'superseded' then 'superseded' else d.status end as status
  `.execute(tx)
  const statuses = new Map(rows.map(({ id, status }) => [id, status]))
  return judged.flatMap((one) => {
    const status = statuses.get(one.delivery.id)
    if (status === undefined) return []
    return [status === 'superseded' ? { ...one, next: { status, retryInMs: null } } : one]
  })
}

/** The attempt's entry in the history. A delivery that succeeded at the first attempt keeps none: its row says it all. */
function historyOf({ attempts, result }: Settled): string | null {
  if (attempts === 1 && isAccepted(result)) return null
  const entry: HistoryEntry = {
    attempt: attempts,
    at: result.startedAt.toISOString(),
    code: codeOf(result),
    error: errorOf(result),
    took_ms: Math.round(result.tookMs),
    ...(result.kind === 'refused' && result.excerpt !== null ? { response: result.excerpt } : {}),
  }
  return JSON.stringify(entry)
}

function liveUrlsOf({ lease: { siteId }, delivery: { postId }, result }: Settled): LiveUrl[] {
  const url = result.kind === 'delivered' ? (result.liveUrl ?? null) : null
  return url === null ? [] : [{ postId, siteId, url }]
}

/**
 * Ends older pending deliveries of the post and site as superseded; returns them. Once an event is delivered, nothing older may follow
 * (decision D5). The first event of a post has none.
 */
async function supersedeOlder(tx: Tx, delivered: readonly Settled[]): Promise<ChangedDelivery[]> {
  const arrived = delivered.filter(({ delivery }) => delivery.sequence > 1)
  if (arrived.length === 0) return []
  const { rows } = await sql<ChangedDelivery>`
    update deliveries d
    set ${endAsSuperseded(sql`o.finished_at`)}
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
    .map(({ lease: { accountId, siteId }, result, attempts }) => ({
      accountId,
      siteId,
      finishedAt: result.finishedAt,
      isOk: isAccepted(result),
      isRetried: attempts > 1,
      tookMs: Math.round(result.tookMs),
    }))
}

type LaneChange = {
  siteId: string
  health: LaneHealth
  delivered: number
  failed: number
  lastDeliveredAt: Date | null
  toVerify: string[]
  release: Release | undefined
}

function laneChanges(
  settled: readonly Settled[],
  releases: readonly Release[],
  lanes: ReadonlyMap<string, LockedLane>,
): LaneChange[] {
  const results = Map.groupBy(settled, ({ lease }) => lease.siteId)
  const releasesBySite = new Map(releases.map((release) => [release.lease.siteId, release]))
  return [...lanes.values()].flatMap((lane) => {
    const list = results.get(lane.siteId) ?? []
    const release = releasesBySite.get(lane.siteId)
    if (list.length === 0 && release === undefined) return []
    return {
      siteId: lane.siteId,
      health: list.reduce<LaneHealth>((health, { result, isOutdated, isAlongside, next }) => {
        const isQuiet = !isOutdated && isSilent(result)
        return healthAfter(health, { isOk: isAccepted(result), isSilent: isQuiet, isAlongside }, next)
      }, lane),
      delivered: list.filter(({ result }) => isAccepted(result)).length,
      failed: list.filter(({ next }) => next.status === 'failed').length,
      lastDeliveredAt: list.findLast(({ result }) => isAccepted(result))?.result.finishedAt ?? null,
      toVerify: list.filter(({ verifies, result }) => verifies && isAccepted(result)).map((one) => one.delivery.postId),
      release,
    }
  })
}

function siteOutcomes(changes: readonly LaneChange[], lanes: ReadonlyMap<string, LockedLane>): SiteOutcome[] {
  return changes.flatMap(({ siteId, delivered, failed, toVerify }) => {
    const lane = lanes.get(siteId)
    if (lane === undefined || lane.failed + failed + toVerify.length === 0) return []
    return { accountId: lane.accountId, siteId, failed, accepted: delivered > 0, toVerify }
  })
}

/**
 * Updates the lanes' health and counts, and releases lanes. A released lane is due when its next delivery is, but not before now: a lane
 * with a backlog goes to the end of the queue, and lanes take turns. An abandoned one is due at once, with a lease that has run out.
 */
async function updateLanes(tx: Tx, clock: Clock, changes: readonly LaneChange[]): Promise<void> {
  if (changes.length === 0) return
  const now = clock.inDatabase()
  const column = (pick: (one: LaneChange) => string | number | boolean | Date | null) => plainArray(changes.map(pick))
  await prepared(sql`
    update lanes l
    set suspect = o.suspect, failing = o.failing, failures_in_a_row = o.failures, delivered = l.delivered + o.delivered,
      failed = l.failed + o.failed, unseen_failures = l.unseen_failures + o.failed, last_delivered_at = greatest(l.last_delivered_at, o.last_delivered_at),
      leased_until = case when o.abandoned then ${now} when not o.released then l.leased_until end,
      due_at = case when o.abandoned then ${now} when o.released then ${nextDue(now)} else l.due_at end
    from unnest(
      ${column(({ siteId }) => siteId)}::uuid[],
      ${column(({ health }) => health.suspect)}::boolean[],
      ${column(({ health }) => health.failing)}::boolean[],
      ${column(({ health }) => health.failuresInARow)}::int[],
      ${column(({ delivered }) => delivered)}::int[],
      ${column(({ failed }) => failed)}::int[],
      ${column(({ lastDeliveredAt }) => lastDeliveredAt)}::timestamptz[],
      ${column(({ release }) => release !== undefined)}::boolean[],
      ${column(({ release }) => release?.isAbandoned === true)}::boolean[]
    ) as o (site_id, suspect, failing, failures, delivered, failed, last_delivered_at, released, abandoned)
    where l.site_id = o.site_id
  `).execute(tx)
}

/** When the first pending delivery of lane `l` may be attempted, but not before `now`; null when there is none, or its site is paused. */
function nextDue(now: RawBuilder<Date>): RawBuilder<Date | null> {
  return sql`(
    select greatest(d.next_attempt_at, ${now}, ${EARLIEST_ATTEMPT}) from deliveries d join endpoints e on e.site_id = d.site_id and not e.paused
    where d.site_id = l.site_id and d.status = 'pending' order by d.next_attempt_at, d.id limit 1
  )`
}
