/** Leasing lanes, and reading what is due in them. */
import { sql } from 'kysely'
import { type Clock, type Deadline, deadlineIn, endIn, nextFence } from '../platform/clock.ts'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db } from '../platform/db/database.ts'
import { prepared } from '../platform/db/statements.ts'
import type { ChangedDelivery } from './changes.ts'
import { endAsSuperseded } from './supersede.ts'
import type { EventKind } from './tables.ts'

/**
 * A lane held by this process. Results are recorded only while the lane still has this `fence`; an attempt starts only if it ends before
 * the `deadline`, which lies before the end of the lease by the database's clock: the holder started counting earlier.
 */
export type LaneLease = {
  siteId: string
  accountId: string
  workerId: string
  fence: number
  suspect: boolean
  /** Its last holder did not release it, so that answers of the site may have been lost. */
  abandoned: boolean
  deadline: Deadline
}

/** Where the deliveries of a lane go. What `config` holds is known to the channel of the `kind`. */
export type Target = { siteId: string; siteName: string; kind: string; config: unknown; secretSealed: Buffer }

/**
 * The target of a leased lane. `debounceSeconds` is null where each delivery gets attempts of its own (debounce.ts); `verifies`: the pages of
 * its posts are looked at.
 */
export type LeasedTarget = Target & { debounceSeconds: number | null; verifies: boolean }

/** A delivery that may be attempted under a lease. */
export type DueDelivery = {
  id: string
  siteId: string
  postId: string
  sequence: number
  attempts: number
  attemptsInRound: number
  eventId: string
  payloadBytes: number
}

/** The part of an event that is the same for every site; `payload` is JSON text in UTF-8. */
export type EventContent = { kind: EventKind; previousVersion: number | null; occurredAt: Date; payload: Uint8Array }

/**
 * Leases lanes that are due and not held, longest due first: up to `prompt` lanes whose sites answer and up to `suspect` suspect ones, as
 * each kind has its own budget. While a lane is leased, `due_at` is the end of the lease, so after a crash it is due again by itself; an
 * enqueue meanwhile makes `due_at` earlier, but does not free the lane. `held`: lanes that this process has. Even if it was suspended
 * past the end of their leases, it must not lease them again.
 */
export async function leaseDueLanes(
  { db, clock }: { db: Db; clock: Clock },
  workerId: string,
  limits: { prompt: number; suspect: number },
  { held, ms }: { held: readonly string[]; ms: number },
): Promise<LaneLease[]> {
  const deadline = deadlineIn(clock, ms)
  const now = clock.inDatabase()
  const due = (suspect: boolean, limit: number) => sql`
    select site_id, due_at, leased_until from lanes
    where suspect = ${suspect} and due_at <= ${now} and (leased_until is null or leased_until <= ${now})
      and site_id <> all(${plainArray(held)}::uuid[])
    order by due_at limit ${limit} for update skip locked
  `
  const { rows } = await prepared(sql<Omit<LaneLease, 'workerId' | 'deadline'>>`
    with prompt as (${due(false, limits.prompt)}), suspects as (${due(true, limits.suspect)}),
      due as (select * from prompt union all select * from suspects),
      leased as (
        update lanes
        set unrecorded_at = case when leased_until is null then unrecorded_at else ${now} end,
          leased_until = ${endIn(clock, ms)}, leased_by = ${workerId}::uuid, due_at = ${endIn(clock, ms)},
          fence = ${nextFence(clock, sql`fence`)}
        where site_id = any(array(select site_id from due))
        returning site_id, account_id, fence, suspect
      )
    select l.site_id as "siteId", l.account_id as "accountId", l.fence, l.suspect, due.leased_until is not null as abandoned
    from leased l join due on due.site_id = l.site_id order by due.due_at, l.site_id
  `).execute(db)
  return rows.map((lease) => ({ ...lease, workerId, deadline }))
}

/**
 * Ends, in abandoned lanes, whatever is pending beside a newer pending event of the same post; returns it. The last holder may have had
 * the newer one acknowledged without recording it, and the site must not be sent an older one afterwards (decision D5). The newest is
 * attempted again, on its schedule: that is the one duplicate that a crash may cause. A crash in between leaves the lanes abandoned.
 */
export async function endUnanswered(db: Db, leases: readonly LaneLease[], now: Date): Promise<ChangedDelivery[]> {
  const abandoned = leases.filter((lease) => lease.abandoned)
  if (abandoned.length === 0) return []
  const { rows } = await sql<ChangedDelivery>`
    update deliveries d set ${endAsSuperseded(now)}
    where d.site_id = any(${siteIdsOf(abandoned)}::uuid[]) and d.status = 'pending' and exists (
      select from deliveries n
      where n.site_id = d.site_id and n.post_id = d.post_id and n.status = 'pending' and n.sequence > d.sequence
    )
    returning d.id, d.account_id as "accountId", d.site_id as "siteId"
  `.execute(db)
  return rows
}

/** The targets of leased lanes, by site; paused and deleted sites have none. Must be read after the lease. */
export async function readTargets(db: Db, leases: readonly LaneLease[]): Promise<Map<string, LeasedTarget>> {
  const { rows } = await prepared(sql<LeasedTarget>`
    select site_id as "siteId", site_name as "siteName", kind, config, secret_sealed as "secretSealed",
      debounce_seconds as "debounceSeconds", verifies
    from endpoints
    where site_id = any(${siteIdsOf(leases)}::uuid[]) and not paused and secret_sealed is not null
  `).execute(db)
  return new Map(rows.map((row) => [row.siteId, row]))
}

/**
 * What is due in leased lanes, by site: at most `perLane` of each, longest due first. It must be read by a later statement than the
 * lease: a statement sees the database as it was when it began, and until the lease was taken another holder may have been recording.
 */
export async function readDue(
  { db, clock }: { db: Db; clock: Clock },
  leases: readonly LaneLease[],
  perLane: number,
): Promise<Map<string, DueDelivery[]>> {
  const { rows } = await sql<DueDelivery>`
    select d.id, d.site_id as "siteId", d.post_id as "postId", d.sequence, d.attempts, d.attempts_in_round as "attemptsInRound",
      d.event_id as "eventId", v.payload_bytes as "payloadBytes"
    from unnest(${siteIdsOf(leases)}::uuid[]) as l (site_id)
    cross join lateral (
      select * from deliveries d
      where d.site_id = l.site_id and d.status = 'pending' and d.next_attempt_at <= ${clock.inDatabase()}
      order by d.next_attempt_at, d.id limit ${perLane}
    ) d
    join events v on v.id = d.event_id
  `.execute(db)
  return Map.groupBy(rows, ({ siteId }) => siteId)
}

function siteIdsOf(leases: readonly LaneLease[]): string {
  return plainArray(leases.map(({ siteId }) => siteId))
}

/** The contents of events, by id. */
export async function readEvents(db: Db, ids: readonly string[]): Promise<Map<string, EventContent>> {
  const { rows } = await sql<Omit<EventContent, 'payload'> & { id: string; payload: string }>`
    select id, kind, previous_version as "previousVersion", occurred_at as "occurredAt", payload from events
    where id = any(${plainArray(ids)}::uuid[])
  `.execute(db)
  // Memory of its own: a slice of Node's shared pool would retain all 64 KiB of it.
  return new Map(rows.map(({ id, payload, ...row }) => [id, { ...row, payload: new TextEncoder().encode(payload) }]))
}

/**
 * In how many milliseconds the next lane becomes due; undefined when none will. The index has suspects apart, so each kind is asked for
 * its first.
 */
export async function nextDueInMs({ db, clock }: { db: Db; clock: Clock }): Promise<number | undefined> {
  const now = clock.inDatabase()
  const first = (suspect: boolean) => sql`
    (select due_at from lanes where suspect = ${suspect} and due_at > ${now} order by due_at limit 1)`
  const { rows } = await prepared(sql<{ inMs: number | null }>`
    select (extract(epoch from min(due_at) - ${now}) * 1000)::float8 as "inMs"
    from (${first(false)} union all ${first(true)}) next
  `).execute(db)
  return rows[0]?.inMs ?? undefined
}

/** How many lanes are due, without suspect ones, counted up to `limit`. */
export async function countDueLanes({ db, clock }: { db: Db; clock: Clock }, limit: number): Promise<number> {
  const { rows } = await prepared(sql<{ count: number }>`
    select count(*)::int as count from (
      select from lanes where not suspect and due_at <= ${clock.inDatabase()} limit ${limit}
    ) due
  `).execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Treats the lanes of these workers, or of all, as if their leases had run out: their holders are gone. Lanes are locked in the order of
 * site ids, as everywhere.
 */
export async function abandonLeases(db: Db, clock: Clock, workerIds: readonly string[] | 'all'): Promise<void> {
  await sql`
    with held as (
      select site_id from lanes
      where leased_until is not null and (${workerIds === 'all'} or leased_by = any(${workerIds === 'all' ? [] : workerIds}::uuid[]))
      order by site_id for update
    )
    update lanes l set leased_until = least(leased_until, ${clock.inDatabase()}), due_at = least(due_at, ${clock.inDatabase()})
    from held where l.site_id = held.site_id
  `.execute(db)
}
