/** One change of many posts. */
import { lockLanesOfAccount } from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import { invalid } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { MOST_TAGS } from './fields.ts'
import { applyChange, nameOriginal, publishToAudience, removeLocked } from './operations.ts'
import { inPortions } from './portions.ts'
import { isPresent, lockPosts, readStored } from './queries.ts'
import { type PostsTx, postsTx } from './revision.ts'
import type { PostRow, RevisedBy } from './tables.ts'
import { trashLocked, untrashLocked } from './trash/operations.ts'

/** A change that can be made to many posts at once. */
export type BulkAction =
  | { action: 'publish'; siteIds?: readonly string[] | null | undefined; primarySiteId?: string | undefined }
  | { action: 'unpublish' }
  | { action: 'trash' }
  | { action: 'untrash' }
  | { action: 'delete' }
  | { action: 'tag'; tag: string }
  | { action: 'untag'; tag: string }

/**
 * Makes the same change to many posts: to all of them or to none. Returns the ids of the posts that exist. Throws `invalid` on
 * `ids.N` for a post that cannot be changed so.
 */
export async function changePosts(
  ctx: Context,
  accountId: string,
  given: readonly string[],
  bulk: BulkAction,
  by: RevisedBy,
): Promise<string[]> {
  const ids = [...new Set(given.filter(isId).map((id) => id.toLowerCase()))]
  if (ids.length === 0) return []
  const now = ctx.clock.now()
  return postsTx(ctx.db, async (tx) => {
    const locked = await lockPosts(tx, accountId, ids, PLACES[bulk.action])
    await lockLanesOfAccount(tx, accountId)
    for (const portion of inPortions(locked))
      for (const post of await readStored(tx, portion)) {
        if (bulk.action === 'delete') await removeLocked(ctx, tx, post, now)
        else if (bulk.action === 'untrash') await untrashLocked(ctx, tx, post, now)
        else if (isPresent(post)) await changeOne(ctx, tx, post, bulk, given, { now, by })
      }
    return locked.map(({ id }) => id)
  })
}

/** Where the posts are of an action that is not for those outside the trash. */
const PLACES: { [action: string]: 'trash' | 'anywhere' } = { untrash: 'trash', delete: 'anywhere' }

type ChangeOfPresent = Exclude<BulkAction, { action: 'delete' | 'untrash' }>

async function changeOne(
  ctx: Context,
  tx: PostsTx,
  post: PostRow,
  bulk: ChangeOfPresent,
  given: readonly string[],
  { now, by }: { now: Date; by: RevisedBy },
): Promise<void> {
  if (bulk.action === 'publish') await publishOne(ctx, tx, post, bulk, { now, by })
  else if (bulk.action === 'unpublish') await applyChange(ctx, tx, post, { status: 'draft' }, undefined, now, by)
  else if (bulk.action === 'trash') await trashLocked(ctx, tx, post, now, by)
  else await applyChange(ctx, tx, post, { tags: retagged(post, bulk, given) }, undefined, now, by)
}

/**
 * Publishes a post to its sites; if others are given, it is for those from now on, and sites that have it are not sent it again. A site
 * that is given for the originals gets that of a post that has none.
 */
async function publishOne(
  ctx: Context,
  tx: PostsTx,
  post: PostRow,
  { siteIds, primarySiteId }: BulkAction & { action: 'publish' },
  { now, by }: { now: Date; by: RevisedBy },
): Promise<void> {
  const original = post.primary_site_id === null ? primarySiteId : undefined
  const named = original === undefined ? {} : { primary_site_id: original }
  if (siteIds !== undefined || post.status !== 'published')
    await applyChange(ctx, tx, post, { status: 'published', site_ids: siteIds, ...named }, undefined, now, by)
  else await publishToAudience(ctx, tx, original === undefined ? post : await nameOriginal(tx, post, original), now)
}

function retagged(
  { id, tags }: PostRow,
  { action, tag }: BulkAction & { tag: string },
  given: readonly string[],
): string[] {
  const others = tags.filter((one) => one !== tag)
  if (action === 'untag') return others
  if (others.length === tags.length && tags.length >= MOST_TAGS)
    throw invalid(
      `ids.${given.findIndex((one) => one.toLowerCase() === id)}`,
      `This post already has ${MOST_TAGS} tags, the most that are allowed.`,
    )
  return others.length === tags.length ? [...tags, tag] : tags
}
