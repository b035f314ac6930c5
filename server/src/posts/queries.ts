import { sql } from 'kysely'
import { pausedSites } from '../engine/index.ts'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { prepared } from '../platform/db/statements.ts'
import { sitesWithOwnAddresses } from '../sites/index.ts'
import type { KnownSites } from './audience.ts'
import type { AddressedRow, Original } from './canonical.ts'
import { originalOf } from './original-queries.ts'
import type { PostStatus } from './policy.ts'
import { type Sized, TEXT_BYTES } from './portions.ts'
import { MAX_SLUG } from './slug.ts'
import { COLUMNS, type PostRow, type StoredPost } from './tables.ts'
import { lockPostAhead, visibleTo } from './visible.ts'

/** One post of the account that is not in the trash. */
export async function findPost(db: Db, accountId: string, id: string): Promise<PostRow | undefined> {
  return db
    .selectFrom('posts')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', '<>', 'trash')
    .$narrowType<{ status: PostStatus }>()
    .executeTakeFirst()
}

/** One post of the account that is not in the trash, locked until the transaction ends. */
export async function lockPost(tx: Tx, accountId: string, id: string): Promise<PostRow | undefined> {
  const post = await lockStored(tx, accountId, id)
  return post !== undefined && isPresent(post) ? post : undefined
}

/** The same of one that is in the trash. */
export async function lockTrashed(tx: Tx, accountId: string, id: string): Promise<StoredPost | undefined> {
  const post = await lockStored(tx, accountId, id)
  return post !== undefined && isPresent(post) ? undefined : post
}

/** The same wherever the post is. */
export async function lockStored(tx: Tx, accountId: string, id: string): Promise<StoredPost | undefined> {
  return tx
    .selectFrom('posts')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** Whether a post is not in the trash. */
export function isPresent(post: StoredPost): post is PostRow {
  return post.status !== 'trash'
}

/** The same, with everything else needed to publish it. */
export async function lockPostToPublish(
  tx: Tx,
  accountId: string,
  id: string,
): Promise<{ post: PostRow; publishContext: PublishContext } | undefined> {
  await lockPostAhead(tx, accountId, id)
  const { rows } = await prepared(sql<PostRow & PublishContext>`
    select ${sql.join(COLUMNS.map((column) => sql.ref(column)))}, ${PUBLISH_CONTEXT} from posts where account_id = ${accountId} and id = ${id} and status <> 'trash'
  `).execute(tx)
  if (rows[0] === undefined) return undefined
  const { sentTo, formerSlugs, original, told, named, paused, ...post } = rows[0]
  return { post, publishContext: { sentTo, formerSlugs, original, told, named, paused } }
}

/** Where posts are looked for. */
type Place = 'present' | 'trash' | 'anywhere'

/** Locks the account's posts among these ids until the transaction ends, and returns them; both in the order of their ids. */
export async function lockPosts(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
  place: Place = 'present',
): Promise<Sized[]> {
  return tx
    .selectFrom('posts')
    .select(['id', TEXT_BYTES.as('bytes')])
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .$if(place !== 'anywhere', (posts) => posts.where('status', place === 'trash' ? '=' : '<>', 'trash'))
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Posts that the transaction has locked and that are not in the trash, in the order of their ids. */
export async function readLocked(tx: Tx, posts: readonly Sized[]): Promise<PostRow[]> {
  return (await readStored(tx, posts)).filter(isPresent)
}

/** The same wherever the posts are. */
export async function readStored(tx: Tx, posts: readonly Sized[]): Promise<StoredPost[]> {
  return tx
    .selectFrom('posts')
    .select(COLUMNS)
    .where(sql<boolean>`id = any(${plainArray(posts.map(({ id }) => id))}::uuid[])`)
    .orderBy('id')
    .execute()
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
    where not exists (select from posts where account_id = ${accountId} and slug = candidate and status <> 'trash')
    limit 1
  `.execute(tx)
  return rows[0]?.slug ?? base
}

/** What sites know of a post. */
export type SyncState = {
  /** The sites that were sent the post and have not since been told that it is gone. */
  sentTo: string[]
  /** The post's former slugs, oldest first. */
  formerSlugs: string[]
  original: Original | null
  /** The addresses of the original that sites were sent last, by their ids. */
  told: Readonly<Record<string, string>> | null
}

/** Which sites have a post, and its former slugs. */
export async function syncStateOf(db: Db, postId: string): Promise<SyncState> {
  const { rows } = await prepared(sql<SyncState>`select ${SYNC_STATE} from posts where id = ${postId}`).execute(db)
  return rows[0] ?? NOTHING_KNOWN
}

/** The same of several posts, with what addresses are made of; of those that are published. */
export async function syncStatesOf(db: Db, ids: readonly string[]): Promise<Array<AddressedRow & SyncState>> {
  const { rows } = await sql<AddressedRow & SyncState>`
    select id, slug, meta, published_at, ${SYNC_STATE} from posts where id = any(${plainArray(ids)}::uuid[]) and status = 'published' order by id
  `.execute(db)
  return rows
}

/** What publishing a post needs besides its row: what sites know of it, and the sites that it may be for. */
export type PublishContext = SyncState & KnownSites

/** What publishing a post needs besides its row, which the transaction has locked. */
export async function publishContextOf(db: Db, postId: string): Promise<PublishContext> {
  const { rows } = await prepared(
    sql<PublishContext>`select ${PUBLISH_CONTEXT} from posts where id = ${postId}`,
  ).execute(db)
  return rows[0] ?? { ...NOTHING_KNOWN, named: [], paused: {} }
}

const NOTHING_KNOWN: SyncState = { sentTo: [], formerSlugs: [], original: null, told: null }

const SYNC_STATE = sql`
  array(select s.site_id from post_sites s where s.post_id = posts.id and s.sent order by s.site_id) as "sentTo",
  array(select s.slug from post_slugs s where s.post_id = posts.id order by s.retired_at) as "formerSlugs",
  ${originalOf(sitesWithOwnAddresses(sql`posts.account_id`))} as original,
  (select json_object_agg(s.site_id, s.canonical_url) from post_sites s where s.post_id = posts.id and s.canonical_url is not null) as told`
const PUBLISH_CONTEXT = sql`${SYNC_STATE},
  array(select s.site_id from post_sites s where s.post_id = posts.id and s.named order by s.site_id) as named,
  ${pausedSites(sql`posts.account_id`)} as paused`

/** How many posts each account has; those without any are missing. */
export async function countPosts(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; posts: number }>`
    select account_id as id, count(*) as posts from posts where status <> 'trash' group by account_id
  `.execute(db)
  return new Map(rows.map(({ id, posts }) => [id, posts]))
}

/** Locks all posts of the account until the transaction ends, in the order of their ids, as `lockPosts` does. */
export async function lockPostsOfAccount(tx: Tx, accountId: string): Promise<void> {
  await sql`select from posts where account_id = ${accountId} order by id for update`.execute(tx)
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
    .where('status', '<>', 'trash')
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
