/** Reading posts: one, and pages of them. */
import {
  keepsHistoryOf,
  type LatestDelivery,
  latestDeliveries,
  type StandingDelivery,
  standingsOf,
} from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { fail, invalid } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { siteExists } from '../sites/index.ts'
import { type WithAudience, withAudience } from './audience.ts'
import {
  listPosts,
  listPostsBriefly,
  type PostFilter,
  type PostOrder,
  type PostWithoutBody,
  type ReadPortion,
} from './list.ts'
import { findPost } from './queries.ts'
import type { PostRow, StoredPost } from './tables.ts'

/** A post with its audience and the newest delivery per site. */
export type PostWithDeliveries<Row extends StoredPost = PostRow> = {
  post: WithAudience<Row>
  deliveries: LatestDelivery[]
}

/** The failure of whoever asks for a post that does not exist. */
export function postNotFound(): Error {
  return fail('not_found', 'There is no such post.')
}

/** The row of a post. Throws `not_found`. */
export async function foundPost({ db }: Pick<Context, 'db'>, accountId: string, id: string): Promise<PostRow> {
  const post = isId(id) ? await findPost(db.root, accountId, id) : undefined
  if (post === undefined) throw postNotFound()
  return post
}

/** One post. Throws `not_found`. */
export async function getPost(ctx: Context, accountId: string, id: string): Promise<PostWithDeliveries> {
  return withDeliveries(ctx.db.root, await foundPost(ctx, accountId, id))
}

/**
 * A page of the account's posts, as reads of a portion each: usually one. A blank search is ignored. Throws `invalid` on `site_id` for an
 * unknown site.
 */
export async function listPostsPage(
  ctx: Context,
  accountId: string,
  filter: PostFilter,
  { page, limit }: PageRequest,
): Promise<{ reads: ReadPortion[]; total: number }> {
  if (await isOfDeletedSite(ctx, accountId, filter)) return { reads: [], total: 0 }
  return listPosts(ctx.db.root, accountId, normalised(filter), { limit, offset: (page - 1) * limit })
}

/**
 * A page of the account's posts without their bodies, each with its newest delivery to every site it was sent to. Throws as
 * `listPostsPage` does.
 */
export async function listSummaries(
  ctx: Context,
  accountId: string,
  filter: PostFilter,
  { page, limit, order }: PageRequest & { order: PostOrder },
): Promise<{ posts: PostSummary[]; total: number }> {
  if (await isOfDeletedSite(ctx, accountId, filter)) return { posts: [], total: 0 }
  const offset = (page - 1) * limit
  const { rows, total } = await listPostsBriefly(ctx.db.root, accountId, normalised(filter), { limit, offset, order })
  const standings = await standingsOf(
    ctx.db.root,
    accountId,
    rows.map(({ id }) => id),
  )
  return { posts: rows.map((post) => ({ post, deliveries: standings.get(post.id) ?? [] })), total }
}

type PageRequest = { page: number; limit: number }

/** A post without its body, with its audience and its newest delivery per site. */
export type PostSummary = { post: WithAudience<PostWithoutBody>; deliveries: StandingDelivery[] }

/** Whether posts of a site are asked for that was deleted: it has none, though its history is kept. Throws `invalid` for an unknown one. */
async function isOfDeletedSite(ctx: Context, accountId: string, { siteId }: PostFilter): Promise<boolean> {
  if (siteId === undefined) return false
  if (!(isId(siteId) && (await keepsHistoryOf(ctx.db.root, accountId, siteId))))
    throw invalid('site_id', 'There is no such site.')
  return !(await siteExists(ctx.db.root, accountId, siteId))
}

function normalised(filter: PostFilter): PostFilter {
  return { ...filter, search: filter.search?.trim() === '' ? undefined : filter.search }
}

/** Adds to a post its audience and its newest delivery per site. */
export async function withDeliveries<Row extends StoredPost>(db: Db | Tx, post: Row): Promise<PostWithDeliveries<Row>> {
  return { post: await withAudience(db, post), deliveries: await latestDeliveries(db, post.account_id, post.id) }
}
