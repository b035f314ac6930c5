/**
 * Debounced endpoints (`endpoints.debounce_seconds`): one attempt serves everything that is pending for the endpoint, and between two attempts
 * lie at least so many seconds. An attempt that is accepted settles all that was pending when it began, also what waits for a retry; one
 * that is not counts as an attempt of those deliveries that were due. Lanes, leases, fences and records are those of every endpoint.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../platform/clock.ts'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import type { DueDelivery } from './lease.ts'

/** The most deliveries that one attempt settles; what is left gets the next one. */
const MOST_AT_ONCE = 1_024

/** SQL: the earliest time of the next attempt of a lane `l` with the endpoint `e`; null where it is not debounced or was never attempted. */
export const EARLIEST_ATTEMPT: RawBuilder<Date | null> = sql`(l.attempted_at + e.debounce_seconds * interval '1 second')`

/** SQL: when the next attempt of a delivery `d` to the endpoint `e` is; null if there is none. */
export const NEXT_ATTEMPT: RawBuilder<Date | null> = sql`(
  case when d.status <> 'pending' or e.debounce_seconds is null then d.next_attempt_at
  else greatest(d.next_attempt_at, (select ${EARLIEST_ATTEMPT} from lanes l where l.site_id = e.site_id)) end
)`

/** What is pending in a lane: due, and waiting for a retry. */
export type Pending = { due: DueDelivery[]; later: DueDelivery[] }

/**
 * What is pending in leased lanes of debounced endpoints, by site, longest due first. Lanes in which nothing is due, or which may not
 * be attempted yet, are left out. Like `readDue` it must be read after the lease was taken.
 */
export async function readPending(
  { db, clock }: { db: Db; clock: Clock },
  siteIds: readonly string[],
): Promise<Map<string, Pending>> {
  if (siteIds.length === 0) return new Map()
  const now = clock.inDatabase()
  const { rows } = await sql<DueDelivery & { isDue: boolean }>`
    select d.id, d.site_id as "siteId", d.post_id as "postId", d.sequence, d.attempts, d.attempts_in_round as "attemptsInRound",
      d.event_id as "eventId", v.payload_bytes as "payloadBytes", d.next_attempt_at <= ${now} as "isDue"
    from lanes l
    join endpoints e on e.site_id = l.site_id
    cross join lateral (
      select * from deliveries where site_id = l.site_id and status = 'pending' order by next_attempt_at, id limit ${MOST_AT_ONCE}
    ) d
    join events v on v.id = d.event_id
    where l.site_id = any(${plainArray(siteIds)}::uuid[]) and coalesce(${EARLIEST_ATTEMPT} <= ${now}, true)
    order by d.next_attempt_at, d.id
  `.execute(db)
  const pending = [...Map.groupBy(rows, ({ siteId }) => siteId)].map(([siteId, list]): [string, Pending] => {
    const { due = [], later = [] } = Object.groupBy(list, ({ isDue }) => (isDue ? 'due' : 'later'))
    return [siteId, { due, later }]
  })
  return new Map(pending.filter(([, { due }]) => due.length > 0))
}

/** Notes that debounced lanes, which must be locked, were attempted: the next attempt waits. */
export async function noteAttempted(tx: Tx, clock: Clock, siteIds: readonly string[]): Promise<void> {
  if (siteIds.length === 0) return
  await sql`update lanes set attempted_at = ${clock.inDatabase()} where site_id = any(${plainArray(siteIds)}::uuid[])`.execute(
    tx,
  )
}
