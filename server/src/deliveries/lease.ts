/** Leasing lanes, and reading what is due in them. */
import { type RawBuilder, sql } from 'kysely'
import { type Clock, endIn, nextFence, plusMs } from '../platform/clock.ts'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db } from '../platform/db/database.ts'
import { prepared } from '../platform/db/statements.ts'
import type { EventKind } from './tables.ts'

/**
 * The term of a lease. The database counts `ms` by its own clock, from the statement that leases. The holder starts counting earlier, and
 * trusts the lease only while its wall clock is before `until` and its monotonic clock is before `untilMs`. So machines need not agree on
 * the time, and neither a wall clock that is set back nor a machine's sleep makes a lease longer for its holder.
 */
export type Term = { ms: number; until: Date; untilMs: number }

/** A lane held by this process. Results are recorded only while the lane still has this `fence`. */
export type LaneLease = Term & {
  siteId: string
  accountId: string
  fence: number
  recovering: boolean
  suspect: boolean
}

/**
 * A lane that was leased because it was due, and is to be read. Only what was due at `readUntil` is attempted under the lease: when it was
 * taken, by the holder's clock, or in a recovering lane the last lease's `readUntil`, if later.
 */
export type DueLane = LaneLease & { readUntil: Date }

/** A lease of `ms` that is about to be taken. */
export function termFrom(clock: Clock, now: Date, ms: number): Term {
  return { ms, until: plusMs(now, ms), untilMs: clock.monotonicMs() + ms }
}

/** Where the deliveries of a lane go, and what they are signed with. */
export type Target = { siteId: string; siteName: string; webhookUrl: string; secretSealed: Buffer }

/** A delivery that may be attempted under a lease. */
export type DueDelivery = {
  id: string
  siteId: string
  postId: string
  sequence: number
  attempts: number
  attemptsInRound: number
  uncertain: boolean
  eventId: string
  payloadBytes: number
}

/** The part of an event that its webhook bodies share; `post` is JSON text in UTF-8. */
export type EventContent = { kind: EventKind; previousVersion: number | null; occurredAt: Date; post: Uint8Array }

/**
 * Leases lanes that are due and not held, longest due first: up to `prompt` lanes whose sites answer and up to `suspect` suspect ones, as
 * each kind has its own budget. A lane whose lease ran out was not released by its holder: it becomes `recovering`, and what that holder
 * may have attempted is due for the next one too, even by a slow clock (`read_until`). While a lane is leased, `due_at` is the end of
 * the lease, so after a crash the lane is due again by itself; an enqueue meanwhile makes `due_at` earlier, but does not free the lane.
 * `held`: lanes that this process has. Even if it was suspended past the end of their leases, it must not lease them again.
 *
 * Lane ids are compared with arrays, not joined: for a join the planner would read the whole table.
 */
export async function leaseDueLanes(
  db: Db,
  clock: Clock,
  limits: { prompt: number; suspect: number },
  { held, now, term }: { held: readonly string[]; now: Date; term: Term },
): Promise<DueLane[]> {
  const end = endIn(clock, term.ms)
  const due = (suspect: boolean, limit: number) => sql`
    select site_id, due_at from lanes
    where suspect = ${suspect} and due_at <= ${now} and (leased_until is null or leased_until <= ${clock.inDatabase()})
      and site_id not in (select unnest(${plainArray(held)}::uuid[]))
    order by due_at limit ${limit} for update skip locked
  `
  const { rows } = await prepared(sql<Omit<DueLane, keyof Term>>`
    with prompt as (${due(false, limits.prompt)}), suspects as (${due(true, limits.suspect)}),
      due as (select * from prompt union all select * from suspects),
      leased as (
        update lanes
        set leased_until = ${end}, due_at = ${end}, fence = ${nextFence(clock, sql`fence`)},
          recovering = recovering or leased_until is not null,
          read_until = case when recovering or leased_until is not null then greatest(read_until, ${now}) else ${now} end
        where site_id = any(array(select site_id from due))
        returning site_id, account_id, fence, read_until, recovering, suspect
      )
    select l.site_id as "siteId", l.account_id as "accountId", l.fence, l.read_until as "readUntil", l.recovering, l.suspect
    from leased l join due on due.site_id = l.site_id order by due.due_at, l.site_id
  `).execute(db)
  return rows.map((row) => ({ ...row, ...term }))
}

/**
 * Whether delivery `d` must wait for a newer, uncertain delivery `n` of its post: the site may have acknowledged `n`, and
 * must then not be sent `d` any more. When `n` is delivered or has failed for good, `d` ends as superseded.
 */
export const blocked = sql<boolean>`exists (
  select from deliveries n where n.site_id = d.site_id and n.post_id = d.post_id and n.uncertain and n.status = 'pending'
    and n.sequence > d.sequence
)`

/**
 * Whether delivery `d` of lane `l` is due: now, or by `read_until`, which is later if a holder whose clock was ahead may have lost answers.
 * An uncertain delivery must be due now: older ones wait for it anyway, so it keeps the delay after its last failure.
 */
function isDue(now: Date): RawBuilder<boolean> {
  return sql`(d.next_attempt_at <= l.read_until and (d.next_attempt_at <= ${now} or not d.uncertain))`
}

/** The targets of leased lanes, by site; paused and deleted sites have none. Must be read after the lease. */
export async function readTargets(db: Db, leases: readonly LaneLease[]): Promise<Map<string, Target>> {
  const { rows } = await prepared(sql<Target>`
    select site_id as "siteId", site_name as "siteName", webhook_url as "webhookUrl", secret_sealed as "secretSealed"
    from endpoints
    where site_id = any(${siteIdsOf(leases)}::uuid[]) and not paused and secret_sealed is not null
  `).execute(db)
  return new Map(rows.map((row) => [row.siteId, row]))
}

const DUE = sql`d.id, d.site_id as "siteId", d.post_id as "postId", d.sequence, d.attempts,
  d.attempts_in_round as "attemptsInRound", d.uncertain, d.event_id as "eventId", v.payload_bytes as "payloadBytes"`

/**
 * What is due in leased lanes: at most `perLane` of each, longest due first; if a recovering lane has more, also the newest due one of
 * each post found. It must be read by a later statement than the lease: a statement sees the database as it was when it began,
 * and until the lease was taken another holder may have been recording results.
 */
export async function readDue(db: Db, leases: readonly DueLane[], perLane: number, now: Date): Promise<DueDelivery[]> {
  if (leases.length === 0) return []
  const { rows } = await sql<DueDelivery>`
    select ${DUE}
    from unnest(
      ${siteIdsOf(leases)}::uuid[],
      ${plainArray(leases.map(({ readUntil }) => readUntil))}::timestamptz[]
    ) as l (site_id, read_until)
    cross join lateral (
      select * from deliveries d
      where d.site_id = l.site_id and d.status = 'pending' and ${isDue(now)} and not ${blocked}
      order by d.next_attempt_at, d.id limit ${perLane}
    ) d
    join events v on v.id = d.event_id
  `.execute(db)
  const recovering = leases.filter((lease) => lease.recovering)
  if (recovering.length === 0) return rows
  const bySite = Map.groupBy(rows, ({ siteId }) => siteId)
  const cutOff = recovering.flatMap(({ siteId, readUntil }) => {
    const found = bySite.get(siteId) ?? []
    return found.length < perLane ? [] : found.map(({ postId }) => ({ siteId, postId, readUntil }))
  })
  return cutOff.length === 0 ? rows : [...rows, ...(await readNewest(db, cutOff, now))]
}

/**
 * The newest due delivery of each of these posts to its site. After a crash the newest goes first (`chooseAttempts`), and it may lie
 * beyond what was read: the dead holder may have read further. There is no condition on `status`, since only pending deliveries
 * have a `next_attempt_at`; with one, the planner may scan all that is pending in the lane, once for each post.
 */
async function readNewest(
  db: Db,
  posts: ReadonlyArray<Pick<DueLane, 'siteId' | 'readUntil'> & { postId: string }>,
  now: Date,
): Promise<DueDelivery[]> {
  const { rows } = await sql<DueDelivery>`
    select ${DUE}
    from (
      select distinct site_id, post_id, read_until from unnest(
        ${plainArray(posts.map(({ siteId }) => siteId))}::uuid[],
        ${plainArray(posts.map(({ postId }) => postId))}::uuid[],
        ${plainArray(posts.map(({ readUntil }) => readUntil))}::timestamptz[]
      ) as l (site_id, post_id, read_until)
    ) l
    cross join lateral (
      select * from deliveries d
      where d.post_id = l.post_id and d.site_id = l.site_id and ${isDue(now)} and not ${blocked}
      order by d.sequence desc limit 1
    ) d
    join events v on v.id = d.event_id
  `.execute(db)
  return rows
}

function siteIdsOf(leases: readonly LaneLease[]): string {
  return plainArray(leases.map(({ siteId }) => siteId))
}

/** The contents of events, by id. */
export async function readEvents(db: Db, ids: readonly string[]): Promise<Map<string, EventContent>> {
  const rows = await db
    .selectFrom('events')
    .select(['id', 'kind', 'previous_version', 'occurred_at', 'payload'])
    .where('id', 'in', ids)
    .execute()
  return new Map(
    rows.map((row) => [
      row.id,
      {
        kind: row.kind,
        previousVersion: row.previous_version,
        occurredAt: row.occurred_at,
        post: new TextEncoder().encode(row.payload), // memory of its own, not a slice of Node's pool
      },
    ]),
  )
}

/** When the next lane becomes due after `now`; undefined when none will. */
export async function nextDueAt(db: Db, now: Date): Promise<Date | undefined> {
  const { rows } = await prepared(sql<{ due_at: Date | null }>`
    select min(due_at) as due_at from (
      (select due_at from lanes where not suspect and due_at > ${now} order by due_at limit 1)
      union all
      (select due_at from lanes where suspect and due_at > ${now} order by due_at limit 1)
    ) next
  `).execute(db)
  return rows[0]?.due_at ?? undefined
}

/** How many lanes are due, without suspect ones, counted up to `limit`. */
export async function countDueLanes(db: Db, now: Date, limit: number): Promise<number> {
  const { rows } = await prepared(sql<{ count: number }>`
    select count(*)::int as count from (select from lanes where not suspect and due_at <= ${now} limit ${limit}) due
  `).execute(db)
  return rows[0]?.count ?? 0
}

/** Whether some process seems to hold lanes. */
export async function areLanesHeld(db: Db, clock: Clock): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select exists (select from lanes where leased_until > ${clock.inDatabase()}) as held
  `.execute(db)
  return rows[0]?.held === true
}

/**
 * Declares every lease abandoned. Only for a process that knows it is alone: the holders are dead, so their lanes need
 * not wait for the leases to run out. Lanes are locked in the order of site ids, as everywhere.
 */
export async function abandonLeases(db: Db, clock: Clock): Promise<number> {
  const { numAffectedRows } = await sql`
    with held as (select site_id from lanes where leased_until is not null order by site_id for update)
    update lanes l set leased_until = least(leased_until, ${clock.inDatabase()}), due_at = least(due_at, ${clock.now()}::timestamptz)
    from held where l.site_id = held.site_id
  `.execute(db)
  return Number(numAffectedRows)
}
