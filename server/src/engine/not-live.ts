/** What sites accepted and do not show, as far as their pages were looked at (`deliveries/receipts.ts`). */
import { type RawBuilder, sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import { enqueueJobs, hurryJobs } from '../platform/jobs/queue.ts'

/** The kind of the job that looks at a page; its key is `siteId/postId`. */
export const LOOK_JOB = 'look-at-page'

/** The job that looks at the page of a post on a site. */
export function lookJob({ accountId, siteId, postId }: { accountId: string; siteId: string; postId: string }) {
  return { accountId, key: `${siteId}/${postId}` }
}

/**
 * SQL: whether what came of looking for the post of a delivery `d` to the endpoint `e` still stands: the site wants to know, nothing newer of
 * the post was looked at, and it was not withdrawn since. `offset 0` keeps PostgreSQL from reading all deliveries in order to judge a few.
 */
const STANDS = sql<boolean>`(
  e.verifies and e.deleted_at is null and not exists (
    select from deliveries n join events w on w.id = n.event_id
    where n.post_id = d.post_id and n.site_id = d.site_id and n.sequence > d.sequence
      and (n.live_check is not null or w.kind = 'post.deleted')
    offset 0
  )
)`

/** SQL: whether the post of a delivery `d` to the endpoint `e` is not live. The index `deliveries_not_live` has such deliveries of a site. */
export const IS_NOT_LIVE: RawBuilder<boolean> = sql<boolean>`(
  d.live_check ->> 'state' in ('wrong', 'gone') and ${STANDS}
)`

/** SQL: how many posts the endpoint `e` has accepted that are not live. */
export const POSTS_NOT_LIVE: RawBuilder<number> = sql<number>`(
  case when e.verifies then (select count(*) from deliveries d where d.site_id = e.site_id and ${IS_NOT_LIVE}) else 0 end
)::int`

/** The posts that a site accepted and that nobody has seen there: their pages do not show them, or could not be looked at. */
export async function postsNotSeen(tx: Tx, siteId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct d.post_id as id from deliveries d join endpoints e on e.site_id = d.site_id
    where d.site_id = ${siteId} and d.live_check is not null and d.live_check ->> 'state' is distinct from 'verified' and ${STANDS}
  `.execute(tx)
  return rows.map(({ id }) => id)
}

type Site = { accountId: string; siteId: string }

/** Has the pages of these posts looked at now; the looks that follow begin anew. */
export async function lookAt(
  ctx: Pick<Context, 'clock' | 'signals'>,
  tx: Tx,
  { accountId, siteId }: Site,
  postIds: readonly string[],
): Promise<void> {
  const jobs = postIds.map((postId) => lookJob({ accountId, siteId, postId }))
  await enqueueJobs(ctx, tx, LOOK_JOB, jobs, 0)
  await ctx.signals.send(tx, 'jobs')
}

/** Has the pages of a site looked at now that wait for it, or were not seen before: somebody has changed where they are. */
export async function lookAgain(ctx: Pick<Context, 'clock' | 'signals'>, tx: Tx, site: Site): Promise<void> {
  await hurryJobs(ctx, tx, LOOK_JOB, `${site.siteId}/`)
  await lookAt(ctx, tx, site, await postsNotSeen(tx, site.siteId))
}

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
