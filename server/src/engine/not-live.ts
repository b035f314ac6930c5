/** What sites accepted and do not show, as far as their pages were looked at (`deliveries/receipts.ts`). */
import { type RawBuilder, sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import { hurryJobs } from '../platform/jobs/queue.ts'

/** The kind of the job that looks at a page; its key is `siteId/postId`. */
export const LOOK_JOB = 'look-at-page'

/** Has the pages of a site looked at again now, as far as they wait for that. Whoever changes where they are may ask for it. */
export async function lookAgain(ctx: Pick<Context, 'clock' | 'signals'>, tx: Tx, siteId: string): Promise<void> {
  await hurryJobs(ctx, tx, LOOK_JOB, `${siteId}/`)
}

/**
 * SQL: whether the post of a delivery `d` to the endpoint `e` is not live: that is what came of looking, nothing newer of the post was
 * looked at, and it was not withdrawn since. The index `deliveries_not_live` has such deliveries of a site. PostgreSQL expects more of them
 * than there are; `offset 0` keeps it from reading all deliveries in order to judge a few.
 */
export const IS_NOT_LIVE: RawBuilder<boolean> = sql<boolean>`(
  d.live_check ->> 'state' in ('wrong', 'gone') and e.verifies and e.deleted_at is null and not exists (
    select from deliveries n join events w on w.id = n.event_id
    where n.post_id = d.post_id and n.site_id = d.site_id and n.sequence > d.sequence
      and (n.live_check is not null or w.kind = 'post.deleted')
    offset 0
  )
)`

/** SQL: how many posts the endpoint `e` has accepted that are not live. */
export const POSTS_NOT_LIVE: RawBuilder<number> = sql<number>`(
  case when e.verifies then (select count(*) from deliveries d where d.site_id = e.site_id and ${IS_NOT_LIVE}) else 0 end
)::int`

/** A site with posts that are not live; `problem` is that of the newest. */
export type SiteNotLive = { siteId: string; accountId: string; siteName: string; posts: number; problem: string }

/** Every site with posts that are not live. */
export async function sitesNotLive(tx: Tx): Promise<SiteNotLive[]> {
  const { rows } = await sql<SiteNotLive>`
    select e.site_id as "siteId", e.account_id as "accountId", e.site_name as "siteName", count(*)::int as posts,
      (array_agg(d.live_check ->> 'problem' order by d.id desc))[1] as problem
    from deliveries d join endpoints e on e.site_id = d.site_id
    where ${IS_NOT_LIVE}
    group by e.site_id order by e.site_id
  `.execute(tx)
  return rows
}
