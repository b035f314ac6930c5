import { type InsertObject, sql, type UpdateObject } from 'kysely'
import { isForgotten, pausedSites } from '../engine/index.ts'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { prepared } from '../platform/db/statements.ts'
import type { Tables } from '../platform/db/tables.ts'
import { type Sized, TEXT_BYTES } from './portions.ts'
import { MAX_SLUG } from './slug.ts'
import { COLUMNS, type PostRow } from './tables.ts'
import { lockPostAhead, visibleTo } from './visible.ts'

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

/** The same, with everything else needed to publish it. */
export async function lockPostToPublish(
  tx: Tx,
  accountId: string,
  id: string,
): Promise<{ post: PostRow; surroundings: Surroundings } | undefined> {
  await lockPostAhead(tx, accountId, id)
  const { rows } = await prepared(sql<PostRow & Surroundings>`
    select ${sql.join(COLUMNS.map((column) => sql.ref(column)))}, ${SURROUNDINGS} from posts where account_id = ${accountId} and id = ${id}
  `).execute(tx)
  if (rows[0] === undefined) return undefined
  const { siteIds, formerSlugs, paused, ...post } = rows[0]
  return { post, surroundings: { siteIds, formerSlugs, paused } }
}

/** Locks the account's posts among these ids until the transaction ends, and returns them; both in the order of their ids. */
export async function lockPosts(tx: Tx, accountId: string, ids: readonly string[]): Promise<Sized[]> {
  return tx
    .selectFrom('posts')
    .select(['id', TEXT_BYTES.as('bytes')])
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Posts that the transaction has locked, in the order of their ids. */
export async function readLocked(tx: Tx, posts: readonly Sized[]): Promise<PostRow[]> {
  return tx
    .selectFrom('posts')
    .select(COLUMNS)
    .where(sql<boolean>`id = any(${plainArray(posts.map(({ id }) => id))}::uuid[])`)
    .orderBy('id')
    .execute()
}

/** Stores a new post. Violates `posts_slug` when the slug is taken. */
export async function insertPost(tx: Tx, post: InsertObject<Tables, 'posts'>): Promise<PostRow> {
  return tx.insertInto('posts').values(post).returning(COLUMNS).executeTakeFirstOrThrow()
}

/** Changes a post that the transaction has locked. Violates `posts_slug` when a new slug is taken. */
export async function updatePost(tx: Tx, id: string, change: UpdateObject<Tables, 'posts'>): Promise<PostRow> {
  return tx.updateTable('posts').set(change).where('id', '=', id).returning(COLUMNS).executeTakeFirstOrThrow()
}

/**
 * Stores the publication of a post that the transaction has locked: its row, and the sites that it is sent to. `named` also
 * makes it visible to them (and never removes that).
 */
export async function writePublication(
  tx: Tx,
  post: PostRow,
  siteIds: readonly string[],
  named: boolean,
): Promise<void> {
  await prepared(sql`
    with sent as (
      insert into post_sites as s (account_id, post_id, site_id, named, sent, published_at)
      select ${post.account_id}::uuid, ${post.id}::uuid, site_id, ${named}::boolean, true, ${post.published_at}::timestamptz
      from unnest(${siteIds}::uuid[]) as site_id
      on conflict (post_id, site_id) do update
      set named = s.named or excluded.named, sent = true, published_at = excluded.published_at
    )
    update posts set status = ${post.status}::text, scheduled_at = ${post.scheduled_at}::timestamptz,
      schedule_zone = ${post.schedule_zone}::text, published_at = ${post.published_at}::timestamptz,
      first_published_at = coalesce(first_published_at, ${post.published_at}::timestamptz), updated_at = ${post.updated_at}::timestamptz,
      visible_to_all = ${post.visible_to_all}::boolean,
      event_sequence = ${post.event_sequence}::int, sent_version = ${post.sent_version}::int
    where id = ${post.id}::uuid
  `).execute(tx)
}

/** Removes a post, with its old slugs and its relations to sites. */
export async function deletePost(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('posts').where('id', '=', id).execute()
}

/**
 * The first of `base`, `base-2`, `base-3` … that is free. Locks `base` until the transaction ends, so that posts with the same title
 * created at the same time get different numbers; the lock is sent ahead of the query. `generate_series` is in a select list, where
 * PostgreSQL evaluates it lazily; in a from clause it would generate all numbers, at 70 ms a post. Not prepared: a plan made when
 * there were a handful of posts would read the whole table for each number.
 */
export async function freeSlug(tx: Tx, accountId: string, base: string): Promise<string> {
  await prepared(sql`select pg_advisory_xact_lock(hashtextextended(${`${accountId}/${base}`}, 0))`).execute(tx)
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

/** Removes a slug from the former ones, because a post has it now. */
export async function reclaimSlug(tx: Tx, accountId: string, slug: string): Promise<void> {
  await prepared(sql`delete from post_slugs where account_id = ${accountId} and slug = ${slug}`).execute(tx)
}

/** What sites know of a post. */
export type Known = {
  /** The sites that were sent the post and have not since been told that it is gone. */
  siteIds: string[]
  /** The post's former slugs, oldest first. */
  formerSlugs: string[]
}

/** Which sites have a post, and its former slugs. */
export async function knownOf(db: Db, postId: string): Promise<Known> {
  const { rows } = await prepared(sql<Known>`select ${KNOWN} from posts where id = ${postId}`).execute(db)
  return rows[0] ?? { siteIds: [], formerSlugs: [] }
}

/** What publishing a post needs besides its row: what sites know of it, and the account's sites with whether each is paused. */
export type Surroundings = Known & { paused: Record<string, boolean> }

/** What publishing a post needs besides its row, which the transaction has locked. */
export async function surroundingsOf(tx: Tx, postId: string): Promise<Surroundings> {
  const { rows } = await prepared(sql<Surroundings>`select ${SURROUNDINGS} from posts where id = ${postId}`).execute(tx)
  return rows[0] ?? { siteIds: [], formerSlugs: [], paused: {} }
}

const KNOWN = sql`
  array(select s.site_id from post_sites s where s.post_id = posts.id and s.sent order by s.site_id) as "siteIds",
  array(select s.slug from post_slugs s where s.post_id = posts.id order by s.retired_at) as "formerSlugs"`
const SURROUNDINGS = sql`${KNOWN}, ${pausedSites(sql`posts.account_id`)} as paused`

/** Drops the names of a post's sites, because it is now visible to every site. */
export async function unnameSites(tx: Tx, postId: string): Promise<void> {
  await tx
    .updateTable('post_sites')
    .set({ named: false })
    .where('post_id', '=', postId)
    .where('named', '=', true)
    .execute()
}

/** Deletes a post's relations to sites, which have been told that it is gone. */
export async function forgetSites(tx: Tx, postId: string): Promise<void> {
  await tx.deleteFrom('post_sites').where('post_id', '=', postId).execute()
}

/** How many posts each account has; those without any may be missing. */
export async function countPosts(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; posts: number }>`
    select account_id as id, (draft + scheduled + published)::int as posts from catalogs
  `.execute(db)
  return new Map(rows.map(({ id, posts }) => [id, posts]))
}

/** Locks all posts of the account until the transaction ends, in the order of their ids, as `lockPosts` does. */
export async function lockPostsOfAccount(tx: Tx, accountId: string): Promise<void> {
  await sql`select from posts where account_id = ${accountId} order by id for update`.execute(tx)
}

/** Deletes all posts of the account, without a word to the sites that have them. Locks them in no order. */
export async function deletePosts(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('posts').where('account_id', '=', accountId).execute()
  await sql`set constraints all immediate`.execute(tx) // the triggers write the account's catalog now, not when it is gone
  await tx.deleteFrom('catalogs').where('account_id', '=', accountId).execute()
}

const PAIRS_PER_STEP = 1_000

/**
 * Deletes, one batch at a time, which posts were published by name to sites whose history is gone. Returns whether there may be
 * more. While a site's history is kept, posts and figures can be asked for by site.
 */
export async function unnameForgottenSites(db: Db): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with doomed as (
      select s.post_id, s.site_id from site_catalogs c join post_sites s on s.site_id = c.site_id and s.named
      where ${isForgotten(sql`c.site_id`)}
      limit ${PAIRS_PER_STEP} for update of s skip locked
    )
    delete from post_sites where (post_id, site_id) in (select post_id, site_id from doomed)
  `.execute(db)
  return numAffectedRows === BigInt(PAIRS_PER_STEP)
}

/** How many posts were first published in a period, also those that are not any more; with a site, only those it may see. */
export async function countPublished(
  db: Db,
  accountId: string,
  period: { from: Date; to: Date },
  siteId?: string,
): Promise<number> {
  let query = db
    .selectFrom('posts')
    .where('account_id', '=', accountId)
    .where('first_published_at', '>=', period.from)
    .where('first_published_at', '<=', period.to)
  if (siteId !== undefined) query = query.where(visibleTo(sql`${siteId}`))
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

/** How many scheduled posts are due. */
export async function countDue(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ due: number }>`
    select count(*) as due from posts where status = 'scheduled' and scheduled_at <= ${now}
  `.execute(db)
  return rows[0]?.due ?? 0
}
