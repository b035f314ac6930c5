import { type RawBuilder, sql } from 'kysely'
import { type ChangedDelivery, deliveryChanges, lockLanes, outcomeChanges } from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import { plainArray } from '../platform/db/arrays.ts'
import type { Tx } from '../platform/db/database.ts'
import { judged } from './history.ts'

/** The most deliveries that one transaction queues again; it holds up their sites' deliveries while it writes. */
export const MOST_REQUEUED = 1_000

/** Which failures: those of a post (to one site only, if given), or those with these ids. */
export type Failures = { postId: string; siteId: string | undefined } | { ids: readonly string[] }

/**
 * Queues failed deliveries again with a fresh set of attempts, the newest `MOST_REQUEUED`; returns how many (decision D6). It leaves out
 * those of deleted sites and those overtaken by a newer event. Failures queued again are subtracted from the sums: they
 * are pending.
 */
export async function requeueFailed(
  ctx: Pick<Context, 'changes' | 'clock' | 'signals'>,
  tx: Tx,
  accountId: string,
  failures: Failures,
): Promise<number> {
  const asked = sql<boolean>`d.account_id = ${accountId} and d.status = 'failed' and ${chosen(failures)}`
  const { rows: sites } = await sql<{ site_id: string }>`
    select distinct d.site_id from deliveries d join endpoints e on e.site_id = d.site_id and e.deleted_at is null
    where ${asked}
  `.execute(tx)
  if (sites.length === 0) return 0
  const siteIds = sites.map((site) => site.site_id)
  await lockLanes(tx, siteIds)
  const { rows } = await sql<ChangedDelivery>`
    with judged as materialized (
      ${judged(sql`deliveries d where ${asked} and d.site_id = any(${siteIds}::uuid[])`)}
    ), again as (
      select d.id, d.account_id, d.site_id, d.attempts, date_trunc('hour', d.finished_at, 'UTC') as hour
      from deliveries d join endpoints e on e.site_id = d.site_id and e.deleted_at is null
      where ${asked} and d.last_error is distinct from 'superseded' and d.id in (select id from judged where not overtaken)
      order by d.id desc limit ${MOST_REQUEUED}
      for update of d -- retention may be removing it: what is gone must not be subtracted
    ), requeued as (
      update deliveries d set status = 'pending', attempts_in_round = 0, next_attempt_at = ${ctx.clock.inDatabase()}, finished_at = null
      from again where d.id = again.id
    ), hours as (
      update delivery_hours h set failed = h.failed - s.failed, retried = h.retried - s.retried
      from (
        select account_id, site_id, hour, count(*) as failed, count(*) filter (where attempts > 1) as retried
        from again group by account_id, site_id, hour
      ) s
      where h.account_id = s.account_id and h.site_id = s.site_id and h.hour = s.hour
    ), days as (
      update delivery_days d set failed = d.failed - s.failed, retried = d.retried - s.retried
      from (
        select account_id, site_id, date_trunc('day', hour, 'UTC') as day, count(*) as failed,
          count(*) filter (where attempts > 1) as retried
        from again group by 1, 2, 3
      ) s
      where d.account_id = s.account_id and d.site_id = s.site_id and d.day = s.day
    ), lanes as (
      update lanes l set due_at = least(l.due_at, ${ctx.clock.inDatabase()}), failed = l.failed - s.failed
      from (select site_id, count(*) as failed from again group by site_id) s where l.site_id = s.site_id
    )
    select id, account_id as "accountId", site_id as "siteId" from again
  `.execute(tx)
  if (rows.length === 0) return 0
  await ctx.signals.send(tx, 'deliver')
  ctx.changes.note(tx, outcomeChanges(rows))
  return rows.length
}

function chosen(failures: Failures): RawBuilder<boolean> {
  if ('ids' in failures) return sql`d.id = any(${plainArray(failures.ids)}::uuid[])`
  const { postId, siteId } = failures
  return sql`d.post_id = ${postId} and (${siteId ?? null}::uuid is null or d.site_id = ${siteId ?? null}::uuid)`
}

/**
 * Brings the next attempt of a pending delivery forward to now; returns whether it was waiting for a later time. The schedule
 * goes on from there. A delivery that is being attempted is due already, so it is not touched.
 */
export async function hurry(
  ctx: Pick<Context, 'changes' | 'clock' | 'signals'>,
  tx: Tx,
  accountId: string,
  { id, siteId }: { id: string; siteId: string },
): Promise<boolean> {
  await lockLanes(tx, [siteId])
  const now = ctx.clock.inDatabase()
  const { numUpdatedRows } = await tx
    .updateTable('deliveries')
    .set({ next_attempt_at: now })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('next_attempt_at', '>', now)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await sql`update lanes set due_at = least(due_at, ${now}) where site_id = ${siteId}`.execute(tx)
  await ctx.signals.send(tx, 'deliver')
  ctx.changes.note(tx, deliveryChanges([{ id, accountId, siteId }]))
  return true
}
