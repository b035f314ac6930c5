/** Changes to a post that nobody has published: saving, reading, discarding and publishing them. */
import type { Context } from '../../platform/context.ts'
import { fail, invalid } from '../../platform/errors.ts'
import { versionTag } from '../../platform/http/etag.ts'
import type { Loss } from '../body/convert.ts'
import { convertForms } from '../body/converter.ts'
import { differing, mergedMeta, type PostInput, wholeChange } from '../changed.ts'
import { notePosts } from '../changes.ts'
import { CONTENT_FIELDS, type ContentValues, pickFields, presentFields } from '../fields.ts'
import { withLockedPost } from '../locked.ts'
import { storedBody } from '../new-post.ts'
import { applyChange, refusingTakenSlug, wantedSlug } from '../operations.ts'
import { foundPost, type PostWithDeliveries, withDeliveries } from '../read.ts'
import type { PostsTx } from '../revision.ts'
import type { PostRow, RevisedBy } from '../tables.ts'
import { findCopy, removeCopy, saveCopy, type WorkingCopy } from './store.ts'

/** What a working copy may change: what is in the post. `basedOn`: the version of the post that the changes began from. */
export type CopyInput = Pick<PostInput, keyof ContentValues | 'body'> & { basedOn?: number | undefined }

/** Whether the caller has seen what has this entity tag: the working copy or, without one, the post. */
export type SeenTag = (tag: string) => boolean

/** The entity tag of a working copy. */
export const copyTag = (copy: WorkingCopy) => `"${copy.save_id}"`

/** The working copy of a post. Throws `not_found` without one. */
export async function getWorkingCopy(ctx: Context, accountId: string, id: string): Promise<WorkingCopy> {
  const post = await foundPost(ctx, accountId, id)
  const copy = await findCopy(ctx.db.root, post.id)
  if (copy === undefined) throw noChanges()
  return copy
}

/**
 * Saves changes to a post in place of those that were saved before. What is not given is as in the post; sites are sent nothing. Throws
 * `invalid` on `based_on` for a version that the post does not have yet.
 */
export async function saveWorkingCopy(
  ctx: Context,
  accountId: string,
  id: string,
  input: CopyInput,
  hasSeen: SeenTag,
): Promise<{ copy: WorkingCopy; losses: readonly Loss[] }> {
  // Converting takes a while, so it happens before the post is locked.
  const body = input.body && (await convertForms(ctx, accountId, input.body))
  const copy = await withCopyLocked(ctx, accountId, id, hasSeen, async (tx, post, before) => {
    const { basedOn = before?.based_on ?? post.version } = input
    if (basedOn > post.version) throw invalid('based_on', `The post is only at version ${post.version}.`)
    const slug = (await wantedSlug(tx, post, input)) ?? post.slug
    const given = presentFields({ ...input, slug, meta: mergedMeta(post.meta, input.meta) })
    notePosts(ctx, tx, [post])
    return saveCopy(tx, post, {
      saveId: ctx.ids.next(),
      basedOn,
      savedAt: ctx.clock.now(),
      fields: { ...pickFields(post, CONTENT_FIELDS), ...given },
      body: body ?? storedBody(post),
    })
  })
  return { copy, losses: body?.losses ?? [] }
}

/** Discards the changes. Throws `not_found` if there are none. */
export async function discardWorkingCopy(ctx: Context, accountId: string, id: string, hasSeen: SeenTag): Promise<void> {
  await withCopyLocked(ctx, accountId, id, hasSeen, async (tx, post, copy) => {
    if (copy === undefined) throw noChanges()
    notePosts(ctx, tx, [post])
    await removeCopy(tx, post)
  })
}

/**
 * Makes the changes part of the post, as one change of it: the sites of a published post are sent it. Throws `conflict` if the post is
 * another one than the changes began from.
 */
export async function publishWorkingCopy(
  ctx: Context,
  accountId: string,
  id: string,
  hasSeen: SeenTag,
  by: RevisedBy,
): Promise<PostWithDeliveries> {
  const publish = () =>
    withCopyLocked(ctx, accountId, id, hasSeen, async (tx, post, copy) => {
      if (copy === undefined) throw noChanges()
      if (copy.based_on !== post.version)
        throw fail(
          'conflict',
          `The post was changed after these changes were begun: they are based on version ${copy.based_on}, and it is at version ${post.version}. Compare the two, save the changes again with based_on ${post.version}, and publish them then.`,
          { field: 'based_on' },
        )
      const body = differing(storedBody(copy), post)
      const bare = await removeCopy(tx, post)
      notePosts(ctx, tx, [bare])
      const changed = await applyChange(ctx, tx, bare, wholeChange(copy.fields, post), body, ctx.clock.now(), by)
      return withDeliveries(tx, changed)
    })
  return refusingTakenSlug(publish)
}

/** Runs work on a post that the transaction has locked, and its working copy as the caller has seen it. */
async function withCopyLocked<Result>(
  ctx: Context,
  accountId: string,
  id: string,
  hasSeen: SeenTag,
  work: (tx: PostsTx, post: PostRow, copy: WorkingCopy | undefined) => Promise<Result>,
): Promise<Result> {
  return withLockedPost(ctx, accountId, id, async (tx, post) => {
    const copy = post.has_changes ? await findCopy(tx, post.id) : undefined
    if (!hasSeen(copy === undefined ? versionTag(post.version) : copyTag(copy)))
      throw fail(
        'precondition_failed',
        'Other changes to the post have been saved or published since you read it. Read the post and its working copy again, and repeat yours.',
      )
    return work(tx, post, copy)
  })
}

function noChanges(): Error {
  return fail('not_found', 'The post has no working copy: there are no changes that are not published.')
}
