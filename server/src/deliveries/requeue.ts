import { sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import { overtaken } from './history.ts'
import { lockLanes } from './lanes.ts'

/**
 * Queues the failed deliveries of a post again (of one site, if given) with a fresh set of attempts; returns how many
 * (decision D6). Left alone are those of deleted sites and those that a newer event has overtaken. What the failures had
 * added to the sums is taken back: they are not finished any more.
 */
export async function requeueFailed(
  ctx: Pick<Context, 'signals'>,
  tx: Tx,
  post: { accountId: string; postId: string; siteId: string | undefined },
  now: Date,
): Promise<number> {
  const { rows: sites } = await sql<{ site_id: string }>`
    select distinct d.site_id from deliveries d join endpoints e on e.site_id = d.site_id and e.deleted_at is null
    where d.account_id = ${post.accountId} and d.post_id = ${post.postId} and d.status = 'failed'
      and (${post.siteId ?? null}::uuid is null or d.site_id = ${post.siteId ?? null}::uuid)
  `.execute(tx)
  if (sites.length === 0) return 0
  const siteIds = sites.map((site) => site.site_id)
  await lockLanes(tx, siteIds)
  const { rows } = await sql<{ requeued: number }>`
    with again as (
      select d.id, d.account_id, d.site_id, d.attempts, date_trunc('hour', d.finished_at, 'UTC') as hour
      from deliveries d join endpoints e on e.site_id = d.site_id and e.deleted_at is null
      where d.account_id = ${post.accountId} and d.post_id = ${post.postId} and d.status = 'failed'
        and d.site_id = any(${siteIds}::uuid[]) and d.last_error is distinct from 'superseded' and not ${overtaken}
    ), requeued as (
      update deliveries d set status = 'pending', attempts_in_round = 0, next_attempt_at = ${now}, finished_at = null
      from again where d.id = again.id
    ), hours as (
      update delivery_hours h set failed = h.failed - s.failed, retried = h.retried - s.retried
      from (
        select account_id, site_id, hour, count(*) as failed, count(*) filter (where attempts > 1) as retried
        from again group by account_id, site_id, hour
      ) s
      where h.account_id = s.account_id and h.site_id = s.site_id and h.hour = s.hour
    ), lanes as (
      update lanes l set due_at = least(l.due_at, ${now}), failed = l.failed - s.failed
      from (select site_id, count(*) as failed from again group by site_id) s where l.site_id = s.site_id
    )
    select count(*)::int as requeued from again
  `.execute(tx)
  const requeued = rows[0]?.requeued ?? 0
  if (requeued > 0) await ctx.signals.send(tx, 'deliver')
  return requeued
}
