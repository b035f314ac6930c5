import { type InsertObject, type SelectQueryBuilder, sql, type UpdateObject } from 'kysely'
import type { Db, Tx } from '../platform/db/database.ts'
import type { Tables } from '../platform/db/tables.ts'
import { searchQuery } from './search.ts'
import { MAX_SLUG } from './slug.ts'
import type { PostRow, PostStatus } from './tables.ts'

const COLUMNS = [
  'id', 'account_id', 'version', 'slug', 'title', 'excerpt', 'body_html', 'body_markdown', 'body_json', 'meta', 'tags', 'status',
  'scheduled_at', 'published_at', 'visible_to_all', 'event_sequence', 'sent_version', 'created_at', 'updated_at',
] as const // biome-ignore format: a list of names

/** One post of the account. */
export async function findPost(db: Db, accountId: string, id: string): Promise<PostRow | undefined> {
  return db
    .selectFrom('posts')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** One post of the account, locked until the transaction ends. */
export async function lockPost(tx: Tx, accountId: string, id: string): Promise<PostRow | undefined> {
  return tx
    .selectFrom('posts')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** A scheduled post whose time has come. */
export type DuePost = { id: string; scheduled_at: Date }

/** Posts whose time has come, earliest first, after `last`. */
export async function readDuePosts(db: Db, now: Date, last: DuePost | undefined, limit: number): Promise<DuePost[]> {
  const { rows } = await sql<DuePost>`
    select id, scheduled_at from posts
    where status = 'scheduled' and scheduled_at <= ${now}
      and (${last?.id ?? null}::uuid is null or (scheduled_at, id) > (${last?.scheduled_at ?? null}::timestamptz, ${last?.id ?? null}::uuid))
    order by scheduled_at, id limit ${limit}
  `.execute(db)
  return rows
}

/** Locks a post if its time has come and no other process is publishing it. */
export async function lockDuePost(tx: Tx, id: string, now: Date): Promise<PostRow | undefined> {
  return tx
    .selectFrom('posts')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('status', '=', 'scheduled')
    .where('scheduled_at', '<=', now)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
}

/** When the next scheduled post is due; undefined when none is scheduled. */
export async function nextScheduledAt(db: Db): Promise<Date | undefined> {
  const row = await db
    .selectFrom('posts')
    .select('scheduled_at')
    .where('status', '=', 'scheduled')
    .orderBy('scheduled_at')
    .limit(1)
    .executeTakeFirst()
  return row?.scheduled_at ?? undefined
}

/** Stores a new post. Violates `posts_slug` when the slug is taken. */
export async function insertPost(tx: Tx, post: InsertObject<Tables, 'posts'>): Promise<PostRow> {
  return tx.insertInto('posts').values(post).returning(COLUMNS).executeTakeFirstOrThrow()
}

/** Changes a post that the transaction has locked. Violates `posts_slug` when a new slug is taken. */
export async function updatePost(tx: Tx, id: string, change: UpdateObject<Tables, 'posts'>): Promise<PostRow> {
  return tx.updateTable('posts').set(change).where('id', '=', id).returning(COLUMNS).executeTakeFirstOrThrow()
}

/** Removes a post, with its old slugs and its relations to sites. */
export async function deletePost(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('posts').where('id', '=', id).execute()
}

/**
 * The first free one of `base`, `base-2`, `base-3` … Takes a lock on the name until the transaction ends, so that
 * posts of one title that are created at once get different numbers. The series stands in a select list because there it
 * is made as far as it is needed; as a table of its own all of it would be, at 70 ms a post.
 */
export async function freeSlug(tx: Tx, accountId: string, base: string): Promise<string> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${accountId}/${base}`}, 0))`.execute(tx)
  const { rows } = await sql<{ slug: string }>`
    select candidate as slug
    from (select generate_series(1, 1000000) as n) as numbers,
      lateral (select case when n = 1 then ${base} else rtrim(left(${base}, ${MAX_SLUG - 1} - length(n::text)), '-') || '-' || n end as candidate) c
    where not exists (select from posts where account_id = ${accountId} and slug = candidate)
    limit 1
  `.execute(tx)
  return rows[0]?.slug ?? base
}

/** Remembers a slug that a post had; a later owner of the slug takes it over. */
export async function retireSlug(tx: Tx, accountId: string, postId: string, slug: string, now: Date): Promise<void> {
  await tx
    .insertInto('post_slugs')
    .values({ account_id: accountId, post_id: postId, slug, retired_at: now })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'slug']).doUpdateSet({ post_id: postId, retired_at: now }),
    )
    .execute()
}

/** Forgets a slug as anybody's former one, because a post has it now. */
export async function reclaimSlug(tx: Tx, accountId: string, slug: string): Promise<void> {
  await tx.deleteFrom('post_slugs').where('account_id', '=', accountId).where('slug', '=', slug).execute()
}

/** The slugs a post had before, oldest first. */
export async function formerSlugs(db: Db, postId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('post_slugs')
    .select('slug')
    .where('post_id', '=', postId)
    .orderBy('retired_at')
    .execute()
  return rows.map((row) => row.slug)
}

/** The sites that have been sent the post and not told since that it is gone. */
export async function sentSites(db: Db, postId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('post_sites')
    .select('site_id')
    .where('post_id', '=', postId)
    .where('sent', '=', true)
    .execute()
  return rows.map((row) => row.site_id)
}

/** Notes that sites are being sent the post; `named` makes it visible to them too (and never takes that away). */
export async function markSent(
  tx: Tx,
  accountId: string,
  postId: string,
  siteIds: readonly string[],
  named: boolean,
): Promise<void> {
  await sql`
    insert into post_sites as s (account_id, post_id, site_id, named, sent)
    select ${accountId}::uuid, ${postId}::uuid, site_id, ${named}::boolean, true from unnest(${siteIds}::uuid[]) as site_id
    on conflict (post_id, site_id) do update set named = s.named or excluded.named, sent = true
  `.execute(tx)
}

/** Forgets every relation of a post to sites: they have been told that it is gone. */
export async function forgetSites(tx: Tx, postId: string): Promise<void> {
  await tx.deleteFrom('post_sites').where('post_id', '=', postId).execute()
}

/** What a list of posts is narrowed to. */
export type PostFilter = {
  status?: PostStatus | undefined
  siteId?: string | undefined
  tag?: string | undefined
  search?: string | undefined
}

/** A page of the account's posts (newest first; with a search, best match first) and how many there are in all. */
export async function listPosts(
  db: Db,
  accountId: string,
  filter: PostFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: PostRow[]; total: number }> {
  const matching = narrowed(db.selectFrom('posts').where('account_id', '=', accountId), filter)
  const { total } = await matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const { search } = filter
  const ranked =
    search === undefined ? matching : matching.orderBy(sql`ts_rank_cd(search, ${searchQuery(search)})`, 'desc')
  const rows = await ranked
    .select(COLUMNS)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}

type PostQuery = SelectQueryBuilder<Tables, 'posts', Record<never, never>>

function narrowed(posts: PostQuery, { status, siteId, tag, search }: PostFilter): PostQuery {
  let query = posts
  if (status !== undefined) query = query.where('status', '=', status)
  if (tag !== undefined) query = query.where(sql<boolean>`tags @> array[${tag}]::text[]`)
  if (search !== undefined) query = query.where(sql<boolean>`search @@ ${searchQuery(search)}`)
  if (siteId !== undefined) query = query.where(visibleTo(siteId))
  return query
}

/** Whether a post may be seen by the site: published for all, or for it by name (decision P7). */
function visibleTo(siteId: string) {
  return sql<boolean>`(visible_to_all or exists (select from post_sites s where s.post_id = posts.id and s.site_id = ${siteId} and s.named))`
}

/** How many posts were first published in a period; with a site, only those it may see. */
export async function countPublished(
  db: Db,
  accountId: string,
  period: { from: Date; to: Date },
  siteId?: string,
): Promise<number> {
  let query = db
    .selectFrom('posts')
    .where('account_id', '=', accountId)
    .where('status', '=', 'published')
    .where('published_at', '>=', period.from)
    .where('published_at', '<=', period.to)
  if (siteId !== undefined) query = query.where(visibleTo(siteId))
  return (await query.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count
}

/** The titles of the account's posts among these ids. */
export async function postTitles(db: Db, accountId: string, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('posts')
    .select(['id', 'title'])
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.id, row.title]))
}

/** Who reads published posts: a site of an account. */
export type Reader = { accountId: string; siteId: string }

const BODIES = new Set(['body_html', 'body_markdown', 'body_json'])
type BodyColumn = 'body_html' | 'body_markdown' | 'body_json'
const LISTED = COLUMNS.filter((column): column is Exclude<(typeof COLUMNS)[number], BodyColumn> => !BODIES.has(column))

/** A page of the published posts that a site may see, newest first, without their bodies; and how many there are. */
export async function visiblePosts(
  db: Db,
  reader: Reader,
  page: { tag: string | undefined; limit: number; offset: number },
): Promise<{ rows: Array<Omit<PostRow, BodyColumn>>; total: number }> {
  const { tag, limit, offset } = page
  let matching = publishedFor(db, reader)
  if (tag !== undefined) matching = matching.where(sql<boolean>`tags @> array[${tag}]::text[]`)
  const { total } = await matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await matching
    .select(LISTED)
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total }
}

/** The published post of this slug that a site may see, with the slugs it had before. */
export async function visiblePost(
  db: Db,
  reader: Reader,
  slug: string,
): Promise<{ post: PostRow; previousSlugs: string[] } | undefined> {
  const row = await publishedFor(db, reader)
    .where('slug', '=', slug)
    .select(COLUMNS)
    .select(
      sql<string[]>`array(select s.slug from post_slugs s where s.post_id = posts.id order by s.retired_at)`.as(
        'previousSlugs',
      ),
    )
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { previousSlugs, ...post } = row
  return { post, previousSlugs }
}

/** The published post of this id that a site may see, locked until the transaction ends. */
export async function lockVisiblePost(tx: Tx, reader: Reader, id: string): Promise<PostRow | undefined> {
  return publishedFor(tx, reader).where('id', '=', id).select(COLUMNS).forUpdate().executeTakeFirst()
}

function publishedFor(db: Db, { accountId, siteId }: Reader): PostQuery {
  return db
    .selectFrom('posts')
    .where('account_id', '=', accountId)
    .where('status', '=', 'published')
    .where(visibleTo(siteId))
}
