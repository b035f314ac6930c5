/** Scheduled posts whose time has come, read and changed in sets. */
import { sql } from 'kysely'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { limitLockWait } from '../platform/db/statements.ts'
import { type Sized, TEXT_BYTES } from './portions.ts'
import { COLUMNS, type PostRow } from './tables.ts'

/** A scheduled post whose time has come. */
export type DuePost = Sized & { account_id: string; scheduled_at: Date }

/** The accounts that have posts whose time has come, first the one that waits longest. */
export async function dueAccounts(db: Db, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select account_id as id from posts where status = 'scheduled' and scheduled_at <= ${now}
    group by account_id order by min(scheduled_at), account_id
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** An account, and the last of its due posts that was read. */
export type Place = { accountId: string; last: DuePost | undefined }

/** Before every post, in the order in which they come due. */
const FIRST = { scheduled_at: '-infinity', id: '00000000-0000-0000-0000-000000000000' }

/**
 * The posts of each of the accounts whose time has come, `each` at most: the earliest after its place. Ten thousand of the same moment are
 * read through their index, each once.
 */
export async function readDuePosts(db: Db, now: Date, places: readonly Place[], each: number): Promise<DuePost[]> {
  const after = places.map(({ last }) => last ?? FIRST)
  const { rows } = await sql<DuePost>`
    select due.* from unnest(
      ${plainArray(places.map(({ accountId }) => accountId))}::uuid[],
      ${plainArray(after.map(({ scheduled_at: at }) => at))}::timestamptz[],
      ${plainArray(after.map(({ id }) => id))}::uuid[]
    ) with ordinality as place (account_id, at, id, turn)
    cross join lateral (
      select id, account_id, scheduled_at, ${TEXT_BYTES} as bytes from posts
      where status = 'scheduled' and account_id = place.account_id and scheduled_at <= ${now} and (scheduled_at, id) > (place.at, place.id)
      order by scheduled_at, id limit ${each}
    ) as due
    order by place.turn, due.scheduled_at, due.id
  `.execute(db)
  return rows
}

/** Locks the posts that are still due, except those another transaction has locked. From now on this one waits at most 1 s for a lock. */
export async function lockDuePosts(tx: Tx, ids: readonly string[], now: Date): Promise<PostRow[]> {
  await limitLockWait(tx, '1s')
  return tx
    .selectFrom('posts')
    .select(COLUMNS)
    .where(sql<boolean>`id = any(${plainArray(ids)}::uuid[])`)
    .where('status', '=', 'scheduled')
    .where('scheduled_at', '<=', now)
    .orderBy('id')
    .forUpdate()
    .skipLocked()
    .execute()
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

/** The new column values of a post being published; the transaction has locked it. */
export type Publication = { id: string; publishedAt: Date; sequence: number; sentVersion: number | null }

/** Publishes locked posts to all sites. */
export async function publishRows(tx: Tx, publications: readonly Publication[], now: Date): Promise<void> {
  await sql`
    update posts p
    set status = 'published', scheduled_at = null, schedule_zone = null, visible_to_all = true,
      published_at = o.published_at, first_published_at = coalesce(p.first_published_at, o.published_at),
      updated_at = ${now}, event_sequence = o.sequence, sent_version = o.sent_version
    from unnest(
      ${plainArray(publications.map(({ id }) => id))}::uuid[],
      ${plainArray(publications.map(({ publishedAt }) => publishedAt))}::timestamptz[],
      ${plainArray(publications.map(({ sequence }) => sequence))}::int[],
      ${plainArray(publications.map(({ sentVersion }) => sentVersion))}::int[]
    ) as o (id, published_at, sequence, sent_version)
    where p.id = o.id
  `.execute(tx)
}

/** A post and a site that it has been sent to, or is being sent to. */
export type PostSite = { accountId: string; postId: string; siteId: string }

/** Which of the posts have been sent to which sites. */
export async function sentPairs(tx: Tx, postIds: readonly string[]): Promise<PostSite[]> {
  const { rows } = await sql<PostSite>`
    select account_id as "accountId", post_id as "postId", site_id as "siteId" from post_sites
    where post_id = any(${plainArray(postIds)}::uuid[]) and sent
  `.execute(tx)
  return rows
}

/** Notes that sites are being sent posts. */
export async function markPairsSent(tx: Tx, pairs: readonly PostSite[]): Promise<void> {
  await sql`
    insert into post_sites (account_id, post_id, site_id, named, sent)
    select account_id, post_id, site_id, false, true from unnest(
      ${plainArray(pairs.map(({ accountId }) => accountId))}::uuid[],
      ${plainArray(pairs.map(({ postId }) => postId))}::uuid[],
      ${plainArray(pairs.map(({ siteId }) => siteId))}::uuid[]
    ) as o (account_id, post_id, site_id)
    on conflict (post_id, site_id) do update set sent = true
  `.execute(tx)
}

/** The former slugs of each post, oldest first. */
export async function formerSlugsOf(db: Db, postIds: readonly string[]): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ postId: string; slugs: string[] }>`
    select post_id as "postId", array_agg(slug order by retired_at) as slugs from post_slugs
    where post_id = any(${plainArray(postIds)}::uuid[]) group by post_id
  `.execute(db)
  return new Map(rows.map(({ postId, slugs }) => [postId, slugs]))
}
