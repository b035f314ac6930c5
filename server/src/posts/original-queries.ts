/** What is stored of the originals of posts. */
import { type RawBuilder, sql } from 'kysely'
import type { LiveUrl } from '../engine/index.ts'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db } from '../platform/db/database.ts'
import { addressedSite, sitesWithOwnAddresses } from '../sites/index.ts'

/**
 * SQL: the `Original` of a row of `posts`; null if it has none, or its site is gone. `ownSites` are the sites in question that name their
 * own addresses, as (`site_id`, `post_url`). Nothing is read for a post without an original.
 */
export function originalOf(ownSites: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when posts.primary_site_id is not null then (
    select json_build_object(
      'siteId', o.site_id,
      'pattern', o.post_url,
      'isFor', case when posts.status = 'published' then posts.visible_to_all else not posts.sites_chosen end or exists (
        select from post_sites s where s.post_id = posts.id and s.site_id = o.site_id and s.named
      ),
      'own', (select coalesce(json_object_agg(own.site_id, own.post_url), '{}') from ${ownSites} own),
      'live', (
        select coalesce(json_object_agg(s.site_id, s.live_url), '{}') from post_sites s
        where s.post_id = posts.id and s.live_url is not null
      )
    ) from ${addressedSite(sql`posts.primary_site_id`)} o
  ) end`
}

/** When the post got its slug, if it had another one before. */
export async function renamedAt(db: Db, postId: string): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select max(retired_at) as at from post_slugs where post_id = ${postId}
  `.execute(db)
  return rows[0]?.at ?? null
}

/** The next of the account's posts that have an original, in the order of their ids; with `siteId`, those that have it there. */
export async function postsWithOriginal(
  db: Db,
  accountId: string,
  siteId: string | undefined,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from posts where account_id = ${accountId} and primary_site_id is not null
      and (${siteId ?? null}::uuid is null or primary_site_id = ${siteId ?? null}::uuid)
      and (${after}::uuid is null or id > ${after}::uuid)
    order by id limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** The posts for which it matters where a site shows them, and is news: it is their original, or names its own addresses. */
export async function newsOfOriginals(
  db: Db,
  said: readonly LiveUrl[],
): Promise<Array<{ id: string; accountId: string }>> {
  const { rows } = await sql<{ id: string; accountId: string }>`
    select distinct posts.id, posts.account_id as "accountId"
    from unnest(
      ${plainArray(said.map(({ postId }) => postId))}::uuid[],
      ${plainArray(said.map(({ siteId }) => siteId))}::uuid[],
      ${said.map(({ url }) => url)}::text[]
    ) as said (post_id, site_id, url)
    join posts on posts.id = said.post_id
    left join post_sites s on s.post_id = posts.id and s.site_id = said.site_id
    where posts.primary_site_id is not null and s.live_url is distinct from said.url and (
      posts.primary_site_id = said.site_id
      or said.site_id in (select own.site_id from ${sitesWithOwnAddresses(sql`posts.account_id`)} own)
    )
    order by posts.id
  `.execute(db)
  return rows
}
