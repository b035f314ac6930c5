/**
 * What sites read: the published posts that they may see (decision P7). A post is visible either to all sites of its account or
 * by name to some of them, never both. So a site sees two disjoint lists, and each has an index in the order in which it is read.
 */
import { type RawBuilder, sql } from 'kysely'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { prepared } from '../platform/db/statements.ts'
import { PUBLIC_COLUMNS, type VisiblePost } from './public.ts'

/** The reader of published posts: a site of an account. */
export type Reader = { accountId: string; siteId: string }

/** Whether a site may see the post of a row of `posts`, provided it is published. */
export function visibleTo(siteId: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`(visible_to_all or exists (
    select from post_sites s where s.post_id = posts.id and s.site_id = ${siteId} and s.named
  ))`
}

/** Whether the post of a row of `posts` has a tag. The index `posts_tags` holds the account's id with the tags. */
export function hasTag(accountId: string, tag: string): RawBuilder<boolean> {
  // In the index every post of the account has this one.
  if (tag === accountId) return sql<boolean>`${tag} = any(tags)`
  return sql<boolean>`array_prepend(account_id::text, tags) @> array[${accountId}, ${tag}]::text[]`
}

/**
 * Adds `revision` to a relation of sites with `account_id`. Every transaction that changes what any site of the account may see
 * changes it, so an answer read at a revision is valid while the revision stays.
 */
export function withRevision(sites: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select s.*, coalesce(c.revision, 0) as revision
    from (${sites}) s left join catalogs c on c.account_id = s.account_id`
}

/** A page of posts, newest first, as text: the elements of a JSON array. `total` counts all posts of the list. */
export type ListedPage = { elements: string; total: number }

/** Part of a list. */
export type Slice = { limit: number; offset: number }

/** Skipping up to this many rows is faster than fetching the rows of the page by id. */
const NEAR = 100

/**
 * One page per request of what sites may see. The two lists are limited before they are merged; otherwise the planner, which
 * does not know the account, reads and sorts all posts of a large one. A list entry is in the post's row: the query reads the rows
 * along with the index, or afterwards by id if it would skip many.
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
  const { rows } = await sql<ListedPage>`
    with matching as materialized (
      select id, published_at from posts
      where account_id = ${accountId} and status = 'published' and ${hasTag(accountId, tag)} and ${visibleTo(sql`${siteId}`)}
    )
    select (select count(*) from matching) as total, ${elements(sql`(select p.listed from posts p where p.id = on_page.id)`)}
    from (select id from matching order by published_at desc, id desc limit ${limit} offset ${offset}) as on_page
  `.execute(db)
  return rows[0] ?? { elements: '', total: 0 }
}

/** The posts of a page, joined in order: an aggregate without `order by` takes rows as they come. */
function elements(listed: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce(string_agg(${listed}, ','), '') as elements`
}

const PULLED_COLUMNS = sql.join(
  PUBLIC_COLUMNS.filter((column) => column !== 'body_json').map((column) => sql.ref(column)),
)

/** One post per request: the one of this slug that the site may see, or undefined. */
export async function visiblePosts(
  db: Db,
  asked: ReadonlyArray<Reader & { slug: string }>,
): Promise<Array<VisiblePost | undefined>> {
  const { rows } = await prepared(sql<VisiblePost & { place: number }>`
    select a.place, post.*
    from unnest(${plainArray(asked.map(({ accountId }) => accountId))}::uuid[], ${plainArray(asked.map(({ siteId }) => siteId))}::uuid[],
      ${asked.map(({ slug }) => slug)}::text[]) with ordinality as a (account_id, site_id, slug, place)
    cross join lateral (
      select ${PULLED_COLUMNS}, body_json::text as body_json, updated_at,
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
 * Locks a post of the account until the transaction ends. The next statement then reads the post and its related rows in one
 * snapshot; a statement that waits for the lock itself sees the other rows as they were before the wait.
 */
export async function lockPostAhead(tx: Tx, accountId: string, id: string): Promise<void> {
  await prepared(sql`select from posts where account_id = ${accountId} and id = ${id} for update`).execute(tx)
}

/** Whether this is a published post that the site may see; it is locked until the transaction ends. */
export async function lockVisiblePost(tx: Tx, { accountId, siteId }: Reader, id: string): Promise<boolean> {
  await lockPostAhead(tx, accountId, id)
  const found = await tx
    .selectFrom('posts')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', '=', 'published')
    .where(visibleTo(sql`${siteId}`))
    .executeTakeFirst()
  return found !== undefined
}
