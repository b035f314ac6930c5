/**
 * Every statement that writes posts, their former slugs and their relations to sites. Each notes the account whose sites may see
 * something else by it, so that the account's revision rises.
 */
import { type InsertObject, sql, type UpdateObject } from 'kysely'
import { isForgotten } from '../engine/index.ts'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { prepared } from '../platform/db/statements.ts'
import type { Tables } from '../platform/db/tables.ts'
import type { Audience } from './audience.ts'
import { type PostStatus, TRASH_DAYS } from './policy.ts'
import { noteAllVisible, noteVisible, type PostsTx } from './revision.ts'
import { COLUMNS, type PostRow, type StoredPost } from './tables.ts'

/** Stores a new post, which is not published yet. Violates `posts_slug` when the slug is taken. */
export async function insertPost(
  tx: PostsTx,
  post: InsertObject<Tables, 'posts'> & { status: 'draft' | 'scheduled' },
): Promise<PostRow> {
  return tx
    .insertInto('posts')
    .values(post)
    .returning(COLUMNS)
    .$narrowType<{ status: PostStatus }>()
    .executeTakeFirstOrThrow()
}

/** What sites see nothing of. */
const UNSEEN: ReadonlySet<string> = new Set([
  'unpublish_at',
  'sites_chosen',
  'event_sequence',
  'sent_version',
  'has_changes',
  'proposal',
])

/** Changes a post that the transaction has locked. Violates `posts_slug` when a new slug is taken. */
export async function updatePost(
  tx: PostsTx,
  { id, account_id: accountId, status }: StoredPost,
  change: UpdateObject<Tables, 'posts'>,
): Promise<PostRow> {
  const changed = await tx
    .updateTable('posts')
    .set(change)
    .where('id', '=', id)
    .returning(COLUMNS)
    .$narrowType<{ status: PostStatus }>()
    .executeTakeFirstOrThrow()
  const isPublished = status === 'published' || changed.status === 'published'
  if (isPublished && !Object.keys(change).every((column) => UNSEEN.has(column))) noteVisible(tx, accountId, id)
  return changed
}

/**
 * Stores the publication of a post that the transaction has locked and that was `was`: its row, and the sites that it is sent to, with the
 * address of the original that each is sent.
 */
export async function writePublication(
  tx: PostsTx,
  was: PostRow,
  post: PostRow,
  siteIds: readonly string[],
  canonicalOf: (siteId: string) => string | undefined,
): Promise<void> {
  await prepared(sql`
    with sent as (
      insert into post_sites as s (account_id, post_id, site_id, named, sent, published_at, canonical_url)
      select ${post.account_id}::uuid, ${post.id}::uuid, site_id, false, true, ${post.published_at}::timestamptz, canonical_url
      from unnest(${siteIds}::uuid[], ${siteIds.map((id) => canonicalOf(id) ?? null)}::text[]) as t (site_id, canonical_url)
      on conflict (post_id, site_id) do update
      set sent = true, published_at = excluded.published_at, canonical_url = excluded.canonical_url
    )
    update posts set status = ${post.status}::text, scheduled_at = ${post.scheduled_at}::timestamptz,
      schedule_zone = ${post.schedule_zone}::text, published_at = ${post.published_at}::timestamptz,
      first_published_at = coalesce(first_published_at, ${post.published_at}::timestamptz), updated_at = ${post.updated_at}::timestamptz,
      visible_to_all = ${post.visible_to_all}::boolean, due_at = ${post.due_at}::timestamptz,
      event_sequence = ${post.event_sequence}::int, sent_version = ${post.sent_version}::int,
      proposal = case when has_changes then proposal end
    where id = ${post.id}::uuid
  `).execute(tx)
  if (was.status !== post.status || was.visible_to_all !== post.visible_to_all)
    noteVisible(tx, post.account_id, post.id)
}

/** Removes a post, with its old slugs and its relations to sites. */
export async function deletePost(tx: PostsTx, { id, account_id: accountId, status }: StoredPost): Promise<void> {
  await tx.deleteFrom('posts').where('id', '=', id).execute()
  if (status === 'published') noteVisible(tx, accountId, id)
}

const POSTS_PER_STEP = 100

/** Deletes what has been in the trash for long enough, a batch at a time. Returns whether there may be more. */
export async function emptyTrash(db: Db, now: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from posts where id in (
      select id from posts where status = 'trash' and trashed_at < ${now}::timestamptz - ${TRASH_DAYS} * interval '1 day'
      order by trashed_at limit ${POSTS_PER_STEP} for update skip locked
    )
  `.execute(db)
  return numAffectedRows === BigInt(POSTS_PER_STEP)
}

/** Remembers a slug that a post had; a later owner of the slug takes it over. */
export async function retireSlug(
  tx: PostsTx,
  { id, account_id: accountId, slug }: Pick<PostRow, 'id' | 'account_id' | 'slug'>,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('post_slugs')
    .values({ account_id: accountId, post_id: id, slug, retired_at: now })
    .onConflict((conflict) => conflict.columns(['account_id', 'slug']).doUpdateSet({ post_id: id, retired_at: now }))
    .execute()
  noteVisible(tx, accountId, id)
}

/** Removes a slug from the former ones, because a post has it now. */
export async function reclaimSlug(tx: PostsTx, accountId: string, slug: string): Promise<void> {
  const { numAffectedRows } = await prepared(
    sql`delete from post_slugs where account_id = ${accountId} and slug = ${slug}`,
  ).execute(tx)
  if (numAffectedRows !== 0n) noteVisible(tx, accountId)
}

/**
 * Makes these the sites that a post is for. Sites that are not among them are forgotten: the caller withdraws the post from those that
 * have it.
 */
export async function writeAudience(
  tx: PostsTx,
  { id, account_id: accountId, published_at: publishedAt }: PostRow,
  audience: Audience,
): Promise<void> {
  if (audience === null)
    await tx
      .updateTable('post_sites')
      .set({ named: false })
      .where('post_id', '=', id)
      .where('named', '=', true)
      .execute()
  else
    await sql`
      with others as (delete from post_sites where post_id = ${id} and site_id <> all(${plainArray(audience)}::uuid[]))
      insert into post_sites (account_id, post_id, site_id, named, sent, published_at)
      select ${accountId}::uuid, ${id}::uuid, site_id, true, false, ${publishedAt}::timestamptz
      from unnest(${plainArray(audience)}::uuid[]) as site_id
      on conflict (post_id, site_id) do update set named = true, published_at = excluded.published_at
    `.execute(tx)
  if (publishedAt !== null) noteVisible(tx, accountId, id)
}

/**
 * Forgets which sites have a post, since they are told that it is gone: the caller unpublishes or removes it. Sites that its author chose
 * stay named for the next publication.
 */
export async function forgetSites(tx: PostsTx, { id, sites_chosen: keepsNames }: PostRow): Promise<void> {
  await tx
    .deleteFrom('post_sites')
    .where('post_id', '=', id)
    .$if(keepsNames, (rows) => rows.where('named', '=', false))
    .execute()
  if (keepsNames)
    await tx
      .updateTable('post_sites')
      .set({ sent: false, published_at: null, live_url: null, canonical_url: null })
      .where('post_id', '=', id)
      .execute()
}

/** Keeps which address of a post's original sites were sent, in their order; undefined: none. */
export async function writeTold(
  tx: PostsTx,
  { id, account_id: accountId }: PostRow,
  siteIds: readonly string[],
  canonicalUrls: ReadonlyArray<string | undefined>,
): Promise<void> {
  await sql`
    update post_sites s set canonical_url = t.canonical_url
    from unnest(${plainArray(siteIds)}::uuid[], ${canonicalUrls.map((url) => url ?? null)}::text[]) as t (site_id, canonical_url)
    where s.post_id = ${id} and s.site_id = t.site_id
  `.execute(tx)
  noteVisible(tx, accountId, id)
}

/** Keeps where sites show a post, as they said. */
export async function writeLiveUrls(
  tx: PostsTx,
  { id, account_id: accountId }: Pick<PostRow, 'account_id' | 'id'>,
  said: ReadonlyMap<string, string>,
): Promise<void> {
  await sql`
    update post_sites s set live_url = t.live_url
    from unnest(${plainArray([...said.keys()])}::uuid[], ${[...said.values()]}::text[]) as t (site_id, live_url)
    where s.post_id = ${id} and s.site_id = t.site_id
  `.execute(tx)
  noteVisible(tx, accountId, id)
}

/** Forgets where sites show posts: they have another slug, or no original any more. */
export async function forgetLiveUrls(tx: PostsTx, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('post_sites')
    .set({ live_url: null })
    .where('post_id', 'in', ids)
    .where('live_url', 'is not', null)
    .execute()
}

/** Leaves those of these posts, which the transaction has locked, without an original whose site is gone; returns them. */
export async function forgetOriginal(
  tx: PostsTx,
  accountId: string,
  ids: readonly string[],
  siteId: string,
): Promise<Array<Pick<PostRow, 'account_id' | 'id'>>> {
  const forgotten = await tx
    .updateTable('posts')
    .set({ primary_site_id: null })
    .where('id', 'in', ids)
    .where('primary_site_id', '=', siteId)
    .returning(['id', 'account_id', 'status'])
    .execute()
  for (const { id, status } of forgotten) if (status === 'published') noteVisible(tx, accountId, id)
  const left = forgotten.map(({ id }) => id)
  if (left.length > 0) await forgetLiveUrls(tx, left)
  return forgotten
}

/** By how much the versions of posts are raised at least, for those that changed more often than once in a second. */
const VERSIONS = 1_000
/** Before the first post was written with a version. */
const FIRST_VERSION_AT = Date.UTC(2026, 0, 1)

/**
 * Raises the version of every post above any that a site may have, for a database that does not know of everything that was sent: a
 * restored one, or one that has lost commits. Sites ignore versions older than theirs, so the next changes would not reach them. The
 * new version is at least the seconds since 2026: no site has seen it, unless a post was changed more than once a second on average,
 * and a later raise exceeds an earlier one. Returns how many posts there are.
 */
export async function raiseVersions(tx: PostsTx, now: Date): Promise<number> {
  const secondsSoFar = Math.ceil((now.getTime() - FIRST_VERSION_AT) / 1_000)
  const raised = sql<number>`greatest(posts.version + ${VERSIONS}::int, ${secondsSoFar}::int)`
  await sql`
    update working_copies set based_on = ${raised} from posts where posts.id = post_id and posts.version = based_on
  `.execute(tx)
  const { numUpdatedRows } = await tx.updateTable('posts').set({ version: raised }).executeTakeFirst()
  const accounts = await tx.selectFrom('posts').select('account_id').distinct().execute()
  for (const { account_id: accountId } of accounts) noteAllVisible(tx, accountId)
  return Number(numUpdatedRows)
}

/**
 * Deletes all posts of an account that is being removed, without a word to the sites that have them. Locks them in no order. Its sites
 * are removed with it: nobody may see anything any more.
 */
export async function deletePosts(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('posts').where('account_id', '=', accountId).execute()
  await tx.deleteFrom('post_changes').where('account_id', '=', accountId).execute()
  await tx.deleteFrom('catalogs').where('account_id', '=', accountId).execute()
}

const PAIRS_PER_STEP = 1_000

/**
 * Deletes, one batch at a time, which posts were published by name to sites whose history is gone. Returns whether there may be
 * more. While a site's history is kept, posts and figures can be asked for by site. The recursive query reads one entry of the index
 * for each site, instead of all that it has.
 */
export async function forgetNamesOfGoneSites(db: Db): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with recursive named (site_id) as (
      (select site_id from post_sites where named order by site_id limit 1)
      union all
      select (select s.site_id from post_sites s where s.named and s.site_id > named.site_id order by s.site_id limit 1)
      from named where named.site_id is not null
    ),
    doomed as (
      select s.post_id, s.site_id from named join post_sites s on s.site_id = named.site_id and s.named
      where ${isForgotten(sql`named.site_id`)}
      limit ${PAIRS_PER_STEP} for update of s skip locked
    )
    delete from post_sites where (post_id, site_id) in (select post_id, site_id from doomed)
  `.execute(db)
  return numAffectedRows === BigInt(PAIRS_PER_STEP)
}
