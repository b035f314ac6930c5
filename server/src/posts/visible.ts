/**
 * What sites read: the published posts that they may see (decision P7). A post is visible either to all sites of its account or
 * by name to some of them, never both. Sites may be named before it is published (`audience.ts`); then `published_at` is null. So a
 * site sees two disjoint lists, and each has an index in the order in which it is read.
 */
import { type RawBuilder, sql } from 'kysely'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { prepared } from '../platform/db/statements.ts'
import { sitesWithOwnAddresses } from '../sites/index.ts'
import { originalOf } from './original-queries.ts'
import { type Sized, TEXT_BYTES } from './portions.ts'
import { ENTRY_COLUMNS, PUBLIC_COLUMNS, type PulledEntry, type VisiblePost } from './public.ts'

/** The reader of published posts: a site of an account. */
export type Reader = { accountId: string; siteId: string }

/** Whether a site may see the post of a row of `posts`, provided it is published. */
export function visibleTo(siteId: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`(visible_to_all or exists (
    select from post_sites s where s.post_id = posts.id and s.site_id = ${siteId} and s.named and s.published_at is not null
  ))`
}

/** Whether the post of a row of `posts` has a tag. The index `posts_tags` holds the account's id with the tags. */
export function hasTag(accountId: string, tag: string): RawBuilder<boolean> {
  // In the index every post of the account has this one.
  if (tag === accountId) return sql<boolean>`${tag} = any(tags)`
  return sql<boolean>`array_prepend(account_id::text, tags) @> array[${accountId}, ${tag}]::text[]`
}

/** A page of posts, newest first. `total` counts all posts of the list. */
export type VisiblePage = { posts: PulledEntry[]; total: number }

/** Part of a list. */
export type Slice = { limit: number; offset: number }

/** A row of a page: one of its posts, or none if the page is empty. */
type PageRow = { total: number } & (PulledEntry | { [Column in keyof PulledEntry]: null })

/**
 * One page per request of what sites may see. The two lists are limited before they are merged; otherwise the planner, which
 * does not know the account, reads and sorts all posts of a large one. Everything but the posts of the page is read from indexes.
 * What is counted is counted once, however many pages are asked for: 20,000 posts of an account take 3 ms.
 */
export async function visiblePages(db: Db, asked: ReadonlyArray<Reader & Slice>): Promise<VisiblePage[]> {
  const { rows } = await prepared(sql<PageRow & { place: number }>`
    with asked as materialized (
      select * from unnest(${plainArray(asked.map(({ accountId }) => accountId))}::uuid[], ${plainArray(asked.map(({ siteId }) => siteId))}::uuid[],
        ${plainArray(asked.map(({ limit }) => limit))}::bigint[], ${plainArray(asked.map(({ offset }) => offset))}::bigint[])
        with ordinality as a (account_id, site_id, most, skipped, place)
    ),
    open as materialized (
      select account_id, (
        select count(*) from posts p where p.account_id = accounts.account_id and p.status = 'published' and p.visible_to_all
      ) as posts from (select distinct account_id from asked) as accounts
    ),
    named as materialized (
      select site_id, (select count(*) from post_sites s where s.site_id = sites.site_id and s.named and s.published_at is not null) as posts
      from (select distinct site_id from asked) as sites
    )
    select a.place, open.posts + named.posts as total, post.*
    from asked a join open on open.account_id = a.account_id join named on named.site_id = a.site_id
    left join lateral (${entriesOf(sql`(
      select id, published_at from (
        (select id, published_at from posts
         where account_id = a.account_id and status = 'published' and visible_to_all
         order by published_at desc, id desc limit a.most + a.skipped)
        union all
        (select post_id, published_at from post_sites s where s.site_id = a.site_id and s.named and s.published_at is not null
         order by published_at desc, post_id desc limit a.most + a.skipped)
      ) as seen
      order by published_at desc, id desc limit a.most offset a.skipped
    )`)}) as post on true
    order by a.place, post.published_at desc, post.id desc
  `).execute(db)
  const byPlace = Map.groupBy(rows, ({ place }) => place)
  return asked.map((_, index) => pageOf(byPlace.get(index + 1) ?? []))
}

/** A page of the posts with a tag that a site may see. */
export async function visibleWithTag(db: Db, asked: Reader & Slice & { tag: string }): Promise<VisiblePage> {
  const { accountId, siteId, tag, limit, offset } = asked
  const { rows } = await sql<PageRow>`
    with matching as materialized (
      select id, published_at from posts
      where account_id = ${accountId} and status = 'published' and ${hasTag(accountId, tag)} and ${visibleTo(sql`${siteId}`)}
    )
    select counted.total, post.* from (select count(*) as total from matching) as counted
    left join lateral (
      ${entriesOf(sql`(select id from matching order by published_at desc, id desc limit ${limit} offset ${offset})`)}
    ) as post on true
    order by post.published_at desc, post.id desc
  `.execute(db)
  return pageOf(rows)
}

/** What lists show of the posts with these ids. The limit keeps the planner from reading all posts for a few. */
function entriesOf(ids: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select entry.* from ${ids} as on_page
    cross join lateral (
      select ${columns(ENTRY_COLUMNS)} from posts where posts.id = on_page.id limit 1
    ) as entry`
}

function pageOf(rows: readonly PageRow[]): VisiblePage {
  return { posts: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 }
}

/** How many posts a site may see. */
export async function countVisible(db: Db, { accountId, siteId }: Reader): Promise<number> {
  const { rows } = await sql<{ posts: number }>`
    select (select count(*) from posts where account_id = ${accountId} and status = 'published' and visible_to_all)
      + (select count(*) from post_sites where site_id = ${siteId} and named and published_at is not null) as posts
  `.execute(db)
  return rows[0]?.posts ?? 0
}

function columns(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(name)))
}

const PULLED_COLUMNS = columns(PUBLIC_COLUMNS.filter((column) => column !== 'body_json'))

/** What the Pull API shows a site of a post, from a row of `posts`. */
function wholePost(siteId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${PULLED_COLUMNS}, body_json::text as body_json, updated_at,
    array(select s.slug from post_slugs s where s.post_id = posts.id order by s.retired_at) as "previousSlugs",
    ${originalOf(sql`(select * from ${sitesWithOwnAddresses(sql`posts.account_id`)} o where o.site_id = ${siteId})`)} as original`
}

/** Posts by id, whole, as far as the site may see them, by their ids. */
export async function visiblePostsById(
  db: Db,
  { accountId, siteId }: Reader,
  ids: readonly string[],
): Promise<Map<string, VisiblePost>> {
  const { rows } = await sql<VisiblePost>`
    select ${wholePost(sql`${siteId}::uuid`)} from posts
    where id = any(${plainArray(ids)}::uuid[]) and account_id = ${accountId} and status = 'published' and ${visibleTo(sql`${siteId}::uuid`)}
  `.execute(db)
  return new Map(rows.map((post) => [post.id, post]))
}

/** Which posts a site should have, in which version: all that it may see, oldest publication first. */
export async function visibleVersions(
  db: Db,
  { accountId, siteId }: Reader,
): Promise<Array<{ id: string; slug: string; version: number }>> {
  const { rows } = await sql<{ id: string; slug: string; version: number }>`
    select id, slug, version from posts
    where account_id = ${accountId} and status = 'published' and ${visibleTo(sql`${siteId}::uuid`)}
    order by published_at, id
  `.execute(db)
  return rows
}

/** Which of the posts that a site may see; all of them, unless published `since` then or having the `tag`. */
export type Chosen = { since?: Date | undefined; tag?: string | undefined }

/** The posts that a site may see, oldest publication first, each with whether it was ever sent to the site and not removed from it since. */
export async function visibleAndSent(
  db: Db,
  { accountId, siteId }: Reader,
  { since, tag }: Chosen,
): Promise<Array<{ id: string; wasSent: boolean }>> {
  const { rows } = await sql<{ id: string; wasSent: boolean }>`
    select id, exists (
      select from post_sites s where s.post_id = posts.id and s.site_id = ${siteId}::uuid and s.sent
    ) as "wasSent" from posts
    where account_id = ${accountId} and status = 'published' and ${visibleTo(sql`${siteId}::uuid`)}
      and (${since ?? null}::timestamptz is null or published_at >= ${since ?? null}::timestamptz)
      and ${tag === undefined ? sql<boolean>`true` : hasTag(accountId, tag)}
    order by published_at, id
  `.execute(db)
  return rows
}

/** How much text posts have, in the order of their ids as given; posts that are gone are left out. */
export async function sizesOf(db: Db, ids: readonly string[]): Promise<Sized[]> {
  const rows = await db
    .selectFrom('posts')
    .select(['id', TEXT_BYTES.as('bytes')])
    .where(sql<boolean>`id = any(${plainArray(ids)}::uuid[])`)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

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
      select ${wholePost(sql`a.site_id`)} from posts
      where account_id = a.account_id and slug = a.slug and status = 'published' and ${visibleTo(sql`a.site_id`)}
      limit 1
    ) as post
  `).execute(db)
  const byPlace = new Map(rows.map(({ place, ...post }) => [place, post]))
  return asked.map((_, index) => byPlace.get(index + 1))
}

/** The slug that the post has now which had this one before; undefined when there is none. */
export async function presentSlug(db: Db, accountId: string, former: string): Promise<string | undefined> {
  const found = await db
    .selectFrom('post_slugs')
    .innerJoin('posts', 'posts.id', 'post_slugs.post_id')
    .select('posts.slug')
    .where('post_slugs.account_id', '=', accountId)
    .where('post_slugs.slug', '=', former)
    .executeTakeFirst()
  return found?.slug
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
