/**
 * What sites read: the published posts that they may see (decision P7). A post is visible to all sites of its account, or
 * named for some of them, never both. So what a site sees is two lists without a common post, each in an index in the order
 * in which it is read.
 */
import { type RawBuilder, sql } from 'kysely'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { prepared, sendAhead } from '../platform/db/statements.ts'
import type { VisiblePost } from './payload.ts'
import { COLUMNS, type PostRow } from './tables.ts'

/** Who reads published posts: a site of an account. */
export type Reader = { accountId: string; siteId: string }

/** Whether the post of a row of `posts` may be seen by a site, if it is published. */
export function visibleTo(siteId: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`(visible_to_all or exists (
    select from post_sites s where s.post_id = posts.id and s.site_id = ${siteId} and s.named
  ))`
}

/** Whether the post of a row of `posts` has a tag. The account's id is in the index with the tags (`posts_tags`). */
export function hasTag(accountId: string, tag: string): RawBuilder<boolean> {
  return sql<boolean>`array_prepend(account_id::text, tags) @> array[${accountId}, ${tag}]::text[]`
}

/**
 * A relation of sites with `account_id`, and with `revision`: it changes with every transaction that changes what any site
 * of the account may see, so whatever was read while it was the same is the same.
 */
export function withRevision(sites: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select s.*, coalesce(c.revision, 0) as revision
    from (${sites}) s left join catalogs c on c.account_id = s.account_id`
}

/** A page of posts, newest first: the elements of a JSON array, as text; and how many there are in all. */
export type ListedPage = { elements: string; total: number }

/** Part of a list. */
export type Slice = { limit: number; offset: number }

/** Passing over this many rows is quicker than looking for those shown by their ids. */
const NEAR = 100

/**
 * Pages of what sites may see, one for each that is asked for. The two lists are limited before they are merged, or the
 * planner, which knows no account, reads and sorts all of a large one. What a list shows of a post lies in the post's row: the
 * rows are read along with the index, or by their ids afterwards where many would be passed over.
 */
export async function visiblePages(db: Db, asked: ReadonlyArray<Reader & Slice>): Promise<ListedPage[]> {
  const near = asked.every(({ offset }) => offset <= NEAR)
  const { rows } = await prepared(sql<ListedPage>`
    select coalesce((select c.open from catalogs c where c.account_id = a.account_id), 0)
      + coalesce((select c.named from site_catalogs c where c.site_id = a.site_id), 0) as total, page.*
    from unnest(${plainArray(asked.map(({ accountId }) => accountId))}::uuid[], ${plainArray(asked.map(({ siteId }) => siteId))}::uuid[],
      ${plainArray(asked.map(({ limit }) => limit))}::bigint[], ${plainArray(asked.map(({ offset }) => offset))}::bigint[])
      with ordinality as a (account_id, site_id, most, skipped, place)
    cross join lateral (
      select ${elements(sql`coalesce(listed, (select p.listed from posts p where p.id = on_page.id))`)}
      from (
        select id, listed from (
          (select id, published_at, ${near ? sql`listed` : sql`null`} as listed from posts
           where account_id = a.account_id and status = 'published' and visible_to_all
           order by published_at desc, id desc limit a.most + a.skipped)
          union all
          (select post_id, published_at, null from post_sites s where s.site_id = a.site_id and s.named
           order by published_at desc, post_id desc limit a.most + a.skipped)
        ) as seen
        order by published_at desc, id desc limit a.most offset a.skipped
      ) as on_page
    ) as page
    order by a.place
  `).execute(db)
  return rows
}

/** A page of the posts with a tag that a site may see. */
export async function visibleWithTag(db: Db, asked: Reader & Slice & { tag: string }): Promise<ListedPage> {
  const { accountId, siteId, tag, limit, offset } = asked
  const matching = sql`
    posts where account_id = ${accountId} and status = 'published' and ${hasTag(accountId, tag)}
      and ${visibleTo(sql`${siteId}`)}`
  const { rows } = await sql<ListedPage>`
    select (select count(*) from ${matching}) as total, ${elements(sql`listed`)}
    from (select listed from ${matching} order by published_at desc, id desc limit ${limit} offset ${offset}) as on_page
  `.execute(db)
  return rows[0] ?? { elements: '', total: 0 }
}

/** The posts of a page, glued together in their order: an aggregate without one of its own takes rows as they come. */
function elements(listed: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce(string_agg(${listed}, ','), '') as elements`
}

/** The posts of these slugs that sites may see, one for each that is asked for; undefined where there is none. */
export async function visiblePosts(
  db: Db,
  asked: ReadonlyArray<Reader & { slug: string }>,
): Promise<Array<VisiblePost | undefined>> {
  const { rows } = await prepared(sql<VisiblePost & { place: number }>`
    select a.place, post.*
    from unnest(${plainArray(asked.map(({ accountId }) => accountId))}::uuid[], ${plainArray(asked.map(({ siteId }) => siteId))}::uuid[],
      ${asked.map(({ slug }) => slug)}::text[]) with ordinality as a (account_id, site_id, slug, place)
    cross join lateral (
      select id, version, slug, title, excerpt, body_html, body_markdown, body_json::text as body_json, meta, tags, published_at, updated_at,
        array(select s.slug from post_slugs s where s.post_id = posts.id order by s.retired_at) as "previousSlugs"
      from posts
      where account_id = a.account_id and slug = a.slug and status = 'published' and ${visibleTo(sql`a.site_id`)}
      limit 1
    ) as post
  `).execute(db)
  const byPlace = new Map(rows.map(({ place, ...post }) => [place, post]))
  return asked.map((_, index) => byPlace.get(index + 1))
}

/**
 * Locks a post of the account until the transaction ends, for a statement that is sent right after it and reads the post with what is
 * around it: a statement that waits for a lock itself sees everything else as it was before.
 */
export async function lockPostAhead(tx: Tx, accountId: string, id: string): Promise<void> {
  await sendAhead(tx, sql`select from posts where account_id = ${accountId} and id = ${id} for update`)
}

/** The published post of this id that a site may see, locked until the transaction ends. */
export async function lockVisiblePost(tx: Tx, { accountId, siteId }: Reader, id: string): Promise<PostRow | undefined> {
  await lockPostAhead(tx, accountId, id)
  return tx
    .selectFrom('posts')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', '=', 'published')
    .where(visibleTo(sql`${siteId}`))
    .executeTakeFirst()
}
