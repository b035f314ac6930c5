/**
 * The trash. A post in it has left its sites and every list, and its slug is free. It can be brought back as a draft until it is deleted,
 * `TRASH_DAYS` after it was put there.
 */
import type { Context } from '../../platform/context.ts'
import { isId } from '../../platform/ids.ts'
import { notePosts } from '../changes.ts'
import { withLockedPost } from '../locked.ts'
import { applyChange, type PostCheck, refusingTakenSlug, SLUG_TRIES } from '../operations.ts'
import { freeSlug, lockTrashed } from '../queries.ts'
import { type PostWithDeliveries, postNotFound, withDeliveries } from '../read.ts'
import { type PostsTx, postsTx } from '../revision.ts'
import type { PostRow, RevisedBy, StoredPost } from '../tables.ts'
import { reclaimSlug, updatePost } from '../writes.ts'

/** Puts a post into the trash. Sites that have it are told that it is gone. Throws `not_found` for one that is there already. */
export async function trashPost(
  ctx: Context,
  accountId: string,
  id: string,
  check: PostCheck,
  by: RevisedBy,
): Promise<PostWithDeliveries<StoredPost>> {
  return withLockedPost(ctx, accountId, id, async (tx, post) => {
    check(post)
    return withDeliveries(tx, await trashLocked(ctx, tx, post, ctx.clock.now(), by))
  })
}

/** Puts a post that the transaction has locked into the trash. */
export async function trashLocked(
  ctx: Context,
  tx: PostsTx,
  post: PostRow,
  now: Date,
  by: RevisedBy,
): Promise<StoredPost> {
  const draft = await applyChange(ctx, tx, post, { status: 'draft', unpublish_at: null }, undefined, now, by)
  notePosts(ctx, tx, [draft])
  return updatePost(tx, draft, { status: 'trash', trashed_at: now, updated_at: now })
}

/**
 * Takes a post out of the trash: it is a draft. If another post has its slug now, it is given a numbered one. Throws `not_found` for a post
 * that is not there.
 */
export async function untrashPost(ctx: Context, accountId: string, id: string): Promise<PostWithDeliveries> {
  if (!isId(id)) throw postNotFound()
  const untrash = () =>
    postsTx(ctx.db, async (tx) => {
      const post = await lockTrashed(tx, accountId, id)
      if (post === undefined) throw postNotFound()
      return withDeliveries(tx, await untrashLocked(ctx, tx, post, ctx.clock.now()))
    })
  return refusingTakenSlug(untrash, SLUG_TRIES)
}

/** Takes a post that the transaction has locked out of the trash. */
export async function untrashLocked(ctx: Context, tx: PostsTx, post: StoredPost, now: Date): Promise<PostRow> {
  const slug = await freeSlug(tx, post.account_id, post.slug)
  const draft = await updatePost(tx, post, { status: 'draft', trashed_at: null, updated_at: now, slug })
  await reclaimSlug(tx, post.account_id, slug)
  notePosts(ctx, tx, [draft])
  return draft
}
