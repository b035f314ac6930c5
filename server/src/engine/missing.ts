/** What sites lack of the posts that they should have: what failed with nothing newer after it, and what was published while they were paused. */
import { type RawBuilder, sql } from 'kysely'
import { plainArray } from '../platform/db/arrays.ts'
import type { Tx } from '../platform/db/database.ts'

/**
 * SQL: whether a delivery `d` of this site has failed and can be sent again, as nothing newer of its post was ever meant for the site. The
 * index `deliveries_missing` has the failures of a site, oldest first.
 */
export function isUnrepaired(siteId: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`(
    d.site_id = ${siteId} and d.status = 'failed' and d.last_error is distinct from 'superseded'
    and not exists (select from deliveries n where n.post_id = d.post_id and n.site_id = d.site_id and n.sequence > d.sequence)
  )`
}

/** SQL: how many posts the site of an endpoint `e` with the lane `l` should have and lacks. A lane that never had a failure has none to look for. */
export const MISSING_POSTS: RawBuilder<number> = sql<number>`(
  (select count(*) from skipped_posts s where s.site_id = e.site_id)
  + case when l.failed = 0 then 0 else (
    select count(*) from deliveries d join events v on v.id = d.event_id
    where ${isUnrepaired(sql`e.site_id`)} and v.kind <> 'post.deleted'
  ) end
)::int`

/** Notes that a post was published for sites that are paused, and that it was not sent to them. */
export async function skipSites(
  tx: Tx,
  { accountId, postId, siteIds }: { accountId: string; postId: string; siteIds: readonly string[] },
): Promise<void> {
  if (siteIds.length === 0) return
  await sql`
    insert into skipped_posts (account_id, post_id, site_id)
    select ${accountId}::uuid, ${postId}::uuid, site_id from unnest(${plainArray(siteIds)}::uuid[]) as site_id
    on conflict do nothing
  `.execute(tx)
}

/** Forgets which sites a post was not sent to: it is not for them any more, unless they are among `stillFor`. */
export async function forgetSkipped(tx: Tx, postId: string, stillFor: readonly string[] = []): Promise<void> {
  await sql`
    delete from skipped_posts where post_id = ${postId} and site_id <> all(${plainArray(stillFor)}::uuid[])
  `.execute(tx)
}

/** The posts that a site was not sent because it was paused. */
export async function skippedPosts(tx: Tx, siteId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('skipped_posts')
    .select('post_id')
    .where('site_id', '=', siteId)
    .orderBy('post_id')
    .execute()
  return rows.map((row) => row.post_id)
}
