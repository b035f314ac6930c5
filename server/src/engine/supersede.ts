/**
 * What a newer event of a post does to its older deliveries when it is recorded, in the same transaction (decision 0051). What becomes
 * of them when a newer event is delivered is in settle.ts.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import { outcomeChanges } from './changes.ts'
import { lockLanes } from './lanes.ts'
import type { EventKind } from './tables.ts'

/** SQL: how a delivery ends whose place a newer event of its post has taken, at this moment. It cannot be sent again. */
export function endAsSuperseded(at: Date | RawBuilder<Date>): RawBuilder<unknown> {
  return sql`status = 'failed', last_error = 'superseded', next_attempt_at = null, finished_at = ${at}`
}

/**
 * SQL: whether a delivery `d` of a lane `l` was provably never attempted, as far as its row and the lane's past can tell. What was enqueued
 * before the lane was found abandoned may have been attempted without a record. `created_at` is by the clock of a process, which may be
 * a minute ahead of the database's.
 */
const IS_UNTRIED = sql`(d.attempts = 0 and (l.unrecorded_at is null or d.created_at > l.unrecorded_at + interval '1 minute'))`

/** A post of an account, and the sites in question. */
type PostAtSites = { accountId: string; postId: string; siteIds: readonly string[] }

type Needs = Pick<Context, 'changes' | 'signals'>

/**
 * Ends everything that is pending of a post for sites, which is withdrawn there, as superseded. An attempt in flight ends first: its
 * result is recorded, and nothing follows it (settle.ts). Returns the sites that must hear of the removal: those that may have been
 * sent the post. A site has provably not if nothing of the post that was ever enqueued for it was attempted or confirmed, all of it was
 * enqueued after the lane was last found abandoned, and the lane is neither held nor abandoned now: so nobody can be attempting it, or
 * have attempted it without a record.
 */
export async function withdraw(
  ctx: Needs,
  tx: Tx,
  { accountId, postId, siteIds }: PostAtSites,
  now: Date,
): Promise<string[]> {
  if (siteIds.length === 0) return []
  await lockLanes(tx, siteIds)
  const { rows } = await sql<{ siteId: string; ended: string[] | null; isHeld: boolean; mayHaveIt: boolean }>`
    with own as (
      select d.id, d.site_id, d.sequence, d.status, v.kind,
        ${IS_UNTRIED} and (d.status = 'pending' or d.last_error is not distinct from 'superseded') as untried
      from deliveries d join events v on v.id = d.event_id join lanes l on l.site_id = d.site_id
      where d.post_id = ${postId} and d.site_id = any(${siteIds}::uuid[])
    ), ended as (
      update deliveries set ${endAsSuperseded(now)}
      where id in (select id from own where status = 'pending')
      returning id, site_id
    )
    select l.site_id as "siteId", l.leased_until is not null as "isHeld",
      (select array_agg(id) from ended where site_id = l.site_id) as ended,
      l.leased_until is not null or (
          select bool_and(untried) and (array_agg(kind order by sequence))[1] = 'post.published' from own where site_id = l.site_id
        ) is not true as "mayHaveIt"
    from lanes l where l.site_id = any(${siteIds}::uuid[]) order by l.site_id
  `.execute(tx)
  // The holder of a lane may have read what has just ended, and would still send it.
  for (const { siteId, ended, isHeld } of rows)
    if (isHeld && ended !== null) await ctx.signals.send(tx, 'superseded', `${siteId}/${postId}`)
  const changed = rows.flatMap(({ siteId, ended }) => (ended ?? []).map((id) => ({ id, accountId, siteId })))
  ctx.changes.note(tx, outcomeChanges(changed))
  return rows.filter(({ mayHaveIt }) => mayHaveIt).map(({ siteId }) => siteId)
}

/** The first of the events that a newer one replaces for a site. */
type Replaced = { kind: EventKind; previousVersion: number | null }

/**
 * Ends what is pending of a post for sites and was never attempted as superseded, since an update is about to replace it; returns for
 * each site what the update stands for from now on. Where the lane is held or abandoned, an attempt may be in flight or lost: there
 * nothing is replaced, and the update follows. So does it where a newer event was attempted.
 */
export async function replaceUntried(
  ctx: Needs,
  tx: Tx,
  { accountId, postId, siteIds }: PostAtSites,
  now: Date,
): Promise<Map<string, Replaced>> {
  await lockLanes(tx, siteIds)
  const { rows } = await sql<Replaced & { id: string; siteId: string }>`
    with replaced as (
      update deliveries d set ${endAsSuperseded(now)}
      from lanes l, events v
      where d.post_id = ${postId} and d.site_id = any(${siteIds}::uuid[]) and d.status = 'pending' and ${IS_UNTRIED}
        and l.site_id = d.site_id and l.leased_until is null
        and v.id = d.event_id and v.kind <> 'post.deleted'
        and not exists (
          select from deliveries n where n.post_id = d.post_id and n.site_id = d.site_id and n.sequence > d.sequence and n.attempts > 0
        )
      returning d.id, d.site_id, d.sequence, v.kind, v.previous_version
    )
    select id, site_id as "siteId", kind, previous_version as "previousVersion" from replaced order by site_id, sequence desc
  `.execute(tx)
  ctx.changes.note(tx, outcomeChanges(rows.map(({ id, siteId }) => ({ id, accountId, siteId }))))
  return new Map(rows.map(({ siteId, kind, previousVersion }) => [siteId, { kind, previousVersion }])) // the first comes last
}
