/**
 * What has changed of the posts that sites may see, so that a site can ask for it after a time (`GET /api/pull/changes`). Each post has
 * one row, with the revision of its last change. Revisions of an account rise in the order of commits, since each is taken under the lock
 * of the account's row in `catalogs`: whoever has seen a revision has seen everything before it.
 */
import { type RawBuilder, sql } from 'kysely'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { prepared } from '../platform/db/statements.ts'
import { TEXT_BYTES } from './portions.ts'
import { type Reader, visibleTo } from './visible.ts'

/** For how long a removed post is kept as a tombstone. */
const TOMBSTONE_DAYS = 90
const TOMBSTONES_PER_STEP = 1_000

/**
 * Records that what sites may see of these posts has changed: as it is now, at the revision that the transaction has just given their
 * accounts. A post that no site ever could see leaves no trace.
 */
export async function recordPostChanges(tx: Tx, postIds: readonly string[]): Promise<void> {
  await prepared(sql`
    with visible as (${visibleRows(sql`p.id = any(${plainArray(postIds)}::uuid[])`)}),
    removed as (
      update post_changes r set revision = c.revision, removed_at = coalesce(r.removed_at, statement_timestamp())
      from catalogs c
      where r.post_id = any(${plainArray(postIds)}::uuid[]) and c.account_id = r.account_id
        and not exists (select from visible where visible.id = r.post_id)
    )
    insert into post_changes as r (post_id, account_id, revision, published_revision, slug, version, shown_to)
    select id, account_id, revision, revision, slug, version, shown_to from visible
    on conflict (post_id) do update set
      revision = excluded.revision, slug = excluded.slug, version = excluded.version, removed_at = null,
      published_revision = case when r.removed_at is null then r.published_revision else excluded.revision end,
      shown_to = case when r.shown_to is not null and excluded.shown_to is not null then
        array(select distinct unnest(r.shown_to || excluded.shown_to))
      end
  `).execute(tx)
}

/** Records the posts that sites may see and that are not recorded, as in a backup of a preview. */
export async function recordUnlistedPosts(tx: Tx): Promise<void> {
  await sql`
    insert into post_changes (post_id, account_id, revision, published_revision, slug, version, shown_to)
    select id, account_id, revision, revision, slug, version, shown_to
    from (${visibleRows(sql`true`)}) visible
    on conflict (post_id) do nothing
  `.execute(tx)
}

/** The published posts that meet a condition on `posts p`, with who may see them and the revision of their account. */
function visibleRows(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select p.id, p.account_id, c.revision, p.slug, p.version,
      case when not p.visible_to_all then
        array(select s.site_id from post_sites s where s.post_id = p.id and s.named order by s.site_id)
      end as shown_to
    from posts p join catalogs c on c.account_id = p.account_id
    where ${condition} and p.status = 'published'`
}

/** A place among the changes of an account: everything up to this post at this revision has been seen. */
export type ChangePosition = { revision: number; postId: string }

/** A change of a post: whether the site may see it now, and since which revision. */
export type PostChange = {
  id: string
  revision: number
  publishedRevision: number
  slug: string
  version: number
  isVisible: boolean
  /** Of its text; zero for a tombstone. */
  bytes: number
}

/**
 * The changes after a position for a site, oldest first, at most `limit`; undefined if they are not known any more. Each post appears once,
 * as it is now. Tombstones are of posts that the site could see, removed after `removedSince`.
 */
export async function changesAfter(
  db: Db,
  { accountId, siteId }: Reader,
  { revision, postId }: ChangePosition,
  removedSince: number,
  limit: number,
): Promise<PostChange[] | undefined> {
  const seen = Math.max(revision, removedSince)
  const { rows } = await sql<PostChange & { isKnown: boolean | null }>`
    select r.*, c.changes_since <= ${seen}::bigint and ${seen}::bigint <= c.revision as "isKnown"
    from (select ${accountId}::uuid as account_id) a left join catalogs c on c.account_id = a.account_id
    left join lateral (
      select r.post_id as id, r.revision, r.published_revision as "publishedRevision", r.slug, r.version,
        v.id is not null as "isVisible", coalesce(v.bytes, 0) as bytes
      from post_changes r left join lateral (
        select id, ${TEXT_BYTES} as bytes from posts where id = r.post_id and status = 'published' and ${visibleTo(sql`${siteId}::uuid`)}
      ) v on true
      where r.account_id = a.account_id and (r.revision, r.post_id) > (${revision}::bigint, ${postId}::uuid) and (
        v.id is not null or (r.revision > ${removedSince}::bigint and (r.shown_to is null or ${siteId}::uuid = any(r.shown_to)))
      )
      order by r.revision, r.post_id limit ${limit}
    ) r on true
    order by r.revision, r.id
  `.execute(db)
  if (seen > 0 && rows[0]?.isKnown !== true) return undefined
  return rows.flatMap(({ isKnown: _, ...change }) => (change.id === null ? [] : [change]))
}

/**
 * Removes old tombstones, a batch at a time: changes are known only since the newest of those that are gone. Returns whether there may be
 * more.
 */
export async function forgetTombstones(db: Db, now: Date): Promise<boolean> {
  const { rows } = await sql<{ removed: number }>`
    with doomed as (
      select post_id from post_changes where removed_at < ${now}::timestamptz - ${TOMBSTONE_DAYS} * interval '1 day'
      order by removed_at limit ${TOMBSTONES_PER_STEP} for update skip locked
    ),
    gone as (delete from post_changes where post_id in (select post_id from doomed) returning account_id, revision),
    forgotten as (
      update catalogs c set changes_since = greatest(c.changes_since, g.revision)
      from (select account_id, max(revision) as revision from gone group by account_id) g where g.account_id = c.account_id
    )
    select count(*) as removed from gone
  `.execute(db)
  return rows[0]?.removed === TOMBSTONES_PER_STEP
}
