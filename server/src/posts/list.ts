/** An account's posts, page by page: filtered by status, site and tag, or found by words. */
import { type RawBuilder, sql } from 'kysely'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db } from '../platform/db/database.ts'
import { isForOneOf, type WithAudience, withAudiences } from './audience.ts'
import { findByWords } from './find.ts'
import type { StoredStatus } from './policy.ts'
import { inPortions } from './portions.ts'
import { BODY_COLUMNS, COLUMNS, type StoredPost } from './tables.ts'
import { countVisible, hasTag, sizesOf, visibleTo } from './visible.ts'

/** The filters of a list of posts. Without a status, it is of all that are not in the trash. */
export type PostFilter = {
  status?: StoredStatus | undefined
  siteId?: string | undefined
  /** Only posts that are for one of these, whether they are published or not. */
  siteIds?: readonly string[] | undefined
  tag?: string | undefined
  search?: string | undefined
  /** When they were or are to be published. */
  period?: { from?: Date; to?: Date } | undefined
}

/** A list's order: newest, last changed, or next to be published first. A search overrides it: best match first. */
export type PostOrder = 'newest' | 'updated_at' | 'scheduled_at'

const ORDERS: Record<PostOrder, RawBuilder<unknown>> = {
  newest: sql`created_at desc, id desc`,
  updated_at: sql`updated_at desc, id desc`,
  scheduled_at: sql`scheduled_at, id`,
}

type Page = { limit: number; offset: number; order?: PostOrder }

type BodyColumn = (typeof BODY_COLUMNS)[number]

/** A post without its body, which is most of it. */
export type PostWithoutBody = Omit<StoredPost, BodyColumn>

const WITHOUT_BODY = COLUMNS.filter(
  (column): column is Exclude<(typeof COLUMNS)[number], BodyColumn> => !BODY_COLUMNS.some((body) => body === column),
)

/** Reads a portion of a page. What has been removed since is missing. */
export type ReadPortion = () => Promise<Array<WithAudience<StoredPost>>>

/** A page of the account's posts (newest first; with a search, best match first), in portions, and how many there are in all. */
export async function listPosts(
  db: Db,
  accountId: string,
  filter: PostFilter,
  page: Page,
): Promise<{ reads: ReadPortion[]; total: number }> {
  const { ids, total } = await idsOfPage(db, accountId, filter, page)
  const reads = inPortions(await sizesOf(db, ids)).map((portion) => async () => {
    const part = portion.map(({ id }) => id)
    return withAudiences(db, inOrder(part, await postsOf(db, accountId, part).select(COLUMNS).execute()))
  })
  return { reads, total }
}

/** The same without the posts' bodies. */
export async function listPostsBriefly(
  db: Db,
  accountId: string,
  filter: PostFilter,
  page: Page,
): Promise<{ rows: Array<WithAudience<PostWithoutBody>>; total: number }> {
  const { ids, total } = await idsOfPage(db, accountId, filter, page)
  const rows = await postsOf(db, accountId, ids).select(WITHOUT_BODY).execute()
  return { rows: await withAudiences(db, inOrder(ids, rows)), total }
}

function postsOf(db: Db, accountId: string, ids: readonly string[]) {
  return db
    .selectFrom('posts')
    .where('account_id', '=', accountId)
    .where(sql<boolean>`id = any(${plainArray(ids)}::uuid[])`)
}

function inOrder<Row extends { id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Finds the ids first: an index has them, so the posts before the page are skipped without being read. */
async function idsOfPage(
  db: Db,
  accountId: string,
  filter: PostFilter,
  { limit, offset, order = 'newest' }: Page,
): Promise<{ ids: string[]; total: number }> {
  const among = narrowed(accountId, filter)
  if (filter.search !== undefined) {
    const posts = await countPosts(db, accountId, {})
    return findByWords(db, { accountId, words: filter.search, among, posts }, { limit, offset })
  }
  const { rows } = await sql<{ id: string }>`
    select id from posts where ${among} order by ${ORDERS[order]} limit ${limit} offset ${offset}
  `.execute(db)
  return { ids: rows.map(({ id }) => id), total: await countPosts(db, accountId, filter) }
}

function narrowed(accountId: string, { status, siteId, siteIds, tag, period = {} }: PostFilter): RawBuilder<boolean> {
  const conditions = [sql`account_id = ${accountId}`]
  conditions.push(status === undefined ? sql`status <> 'trash'` : sql`status = ${status}`)
  if (tag !== undefined) conditions.push(hasTag(accountId, tag))
  if (siteId !== undefined) conditions.push(visibleTo(sql`${siteId}`))
  if (siteIds !== undefined) conditions.push(isForOneOf(siteIds))
  const { from = null, to = null } = period
  if (from !== null || to !== null)
    conditions.push(sql`(
      status = 'scheduled' and scheduled_at between ${from ?? EVER.from}::timestamptz and ${to ?? EVER.to}::timestamptz
      or status = 'published' and published_at between ${from ?? EVER.from}::timestamptz and ${to ?? EVER.to}::timestamptz
    )`)
  return sql`(${sql.join(conditions, sql` and `)})`
}

const EVER = { from: '-infinity', to: 'infinity' }

/** How many posts match a filter, counted in an index. Those of a site are in two: for all sites, and by name for this one. */
async function countPosts(db: Db, accountId: string, filter: PostFilter): Promise<number> {
  const { status = 'published', siteId, siteIds, tag, period = {} } = filter
  if (siteId !== undefined && siteIds === undefined && tag === undefined && Object.keys(period).length === 0)
    return status === 'published' ? countVisible(db, { accountId, siteId }) : 0
  const { rows } = await sql<{ count: number }>`
    select count(*) from posts where ${narrowed(accountId, filter)}
  `.execute(db)
  return rows[0]?.count ?? 0
}
