/** Writing posts: creating, changing and removing one. */
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../platform/context.ts'
import { uniqueViolation } from '../platform/db/database.ts'
import { fail, invalid } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { holdSite } from '../sites/index.ts'
import { audienceOf, wantedAudience } from './audience.ts'
import type { ConvertedBody, Loss } from './body/convert.ts'
import { convertForms } from './body/converter.ts'
import { changedContent, changedForms, differing, mergedMeta, type PostInput } from './changed.ts'
import { notePosts } from './changes.ts'
import { isContent } from './fields.ts'
import { keepRevision } from './history/store.ts'
import { newPost, pictureColumn } from './new-post.ts'
import { announceOriginal, followOriginal } from './originals.ts'
import { nextPublicationState, type PublicationState } from './policy.ts'
import { announceAudience, announceRemoval, announceUpdate, publishLocked } from './publish.ts'
import { freeSlug, isPresent, lockPost, lockStored, publishContextOf } from './queries.ts'
import { foundPost, type PostWithDeliveries, postNotFound, withDeliveries } from './read.ts'
import { type PostsTx, postsTx } from './revision.ts'
import { isSlugOf, MAX_SLUG, slugify } from './slug.ts'
import { BY_PERSON, type PostRow, type RevisedBy, type StoredPost } from './tables.ts'
import { keepCopyCurrent } from './working-copy/store.ts'
import { deletePost, forgetLiveUrls, insertPost, reclaimSlug, retireSlug, updatePost, writeAudience } from './writes.ts'

/** The same after a write, with what was lost of the body that it brought. */
export type WrittenPost = PostWithDeliveries & { losses: readonly Loss[] }

/** Publishes a post that the transaction has locked, to the sites that it is for. */
export async function publishToAudience(ctx: Context, tx: PostsTx, post: PostRow, now: Date): Promise<PostRow> {
  return (await publishLocked(ctx, tx, post, await publishContextOf(tx, post.id), undefined, now)).post
}

/** Names the sites of a new post. Throws `invalid` on `site_ids.N`. */
async function nameSites(tx: PostsTx, post: PostRow, siteIds: readonly string[]): Promise<void> {
  const chosen = wantedAudience(post, await publishContextOf(tx, post.id), siteIds)
  if (chosen !== undefined) await writeAudience(tx, post, chosen)
}

/** Throws `invalid` unless the site that is to have the original is one of the account. */
async function assertOriginal(tx: PostsTx, accountId: string, siteId: string): Promise<void> {
  if (!(isId(siteId) && (await holdSite(tx, accountId, siteId))))
    throw invalid('primary_site_id', 'There is no such site.')
}

/** Names the site with the original of a published post, and tells the sites nothing: whoever calls this sends it to them. Throws `invalid`. */
export async function nameOriginal(tx: PostsTx, post: PostRow, siteId: string): Promise<PostRow> {
  await assertOriginal(tx, post.account_id, siteId)
  const named = await updatePost(tx, post, { primary_site_id: siteId })
  await followOriginal(tx, named)
  return named
}

/** Creates a post; with status `published` it is sent to its sites in the same transaction. */
export async function createPost(
  ctx: Context,
  accountId: string,
  input: PostInput & { title: string; slug?: string | undefined },
  by = BY_PERSON,
): Promise<WrittenPost> {
  const body = await convertForms(ctx, accountId, input.body ?? {})
  const now = ctx.clock.now()
  const state = nextPublicationState(undefined, input, now)
  const wantedSlug = input.slug === undefined ? undefined : normalSlug(input.slug)
  const insert = () =>
    postsTx(ctx.db, async (tx) => {
      const slug = wantedSlug ?? (await freeSlug(tx, accountId, slugify(input.title) || 'post'))
      if (input.primary_site_id != null) await assertOriginal(tx, accountId, input.primary_site_id)
      const fields = { ...input, slug, meta: mergedMeta({}, input.meta) }
      const row = newPost({ id: ctx.ids.next(), accountId, now }, fields, body)
      const created = await insertPost(tx, {
        ...row,
        ...(await pictureColumn(tx, row)),
        ...state,
        ...by,
        // `publishLocked` publishes the stored row afterwards.
        status: state.status === 'published' ? 'draft' : state.status,
        sites_chosen: input.site_ids != null,
      })
      if (input.site_ids != null) await nameSites(tx, created, input.site_ids)
      await reclaimSlug(tx, accountId, slug)
      notePosts(ctx, tx, [created])
      if (state.status === 'scheduled' || state.unpublish_at !== null) await ctx.signals.send(tx, 'schedule')
      return withDeliveries(tx, state.status === 'published' ? await publishToAudience(ctx, tx, created, now) : created)
    })
  const created = await refusingTakenSlug(insert, wantedSlug === undefined ? SLUG_TRIES : 1)
  return { ...created, losses: body.losses }
}

/** A slug made from a title is free when chosen, but "Hello" may reach `hello-2` at the same time as "Hello 2". */
export const SLUG_TRIES = 4

/**
 * Changes a post (decisions P1, P5, P8). `check` refuses with `precondition_failed` unless the version is the one the
 * caller has seen. A change of content raises the version, and is sent to the sites that have the post.
 */
export async function changePost(
  ctx: Context,
  accountId: string,
  id: string,
  input: PostInput,
  check: PostCheck,
  by = BY_PERSON,
): Promise<WrittenPost> {
  const seen = await foundPost(ctx, accountId, id)
  // Converting takes a while, so it happens before the post is locked.
  const forms = changedForms(seen, input.body)
  const body = forms && (await convertForms(ctx, accountId, forms))
  const now = ctx.clock.now()
  const write = () =>
    postsTx(ctx.db, async (tx) => {
      const current = await lockPost(tx, accountId, id)
      if (current === undefined) throw postNotFound()
      check(current)
      const isOther = current.version !== seen.version
      if (isOther && !isDeepStrictEqual(changedForms(current, input.body), forms)) return undefined
      return withDeliveries(tx, await applyChange(ctx, tx, current, input, differing(body, current), now, by))
    })
  const written = await refusingTakenSlug(write, input.slug === null ? SLUG_TRIES : 1)
  // Somebody else has changed the post meanwhile, so that other forms of the body are new: from the beginning.
  if (written === undefined) return changePost(ctx, accountId, id, input, check, by)
  return { ...written, losses: body?.losses ?? [] }
}

/** Changes a post that the transaction has locked, as `changePost` does. The version that it had becomes a revision. */
export async function applyChange(
  ctx: Context,
  tx: PostsTx,
  current: PostRow,
  input: PostInput,
  body: ConvertedBody | undefined,
  now: Date,
  by: RevisedBy,
): Promise<PostRow> {
  const state = nextPublicationState(current, input, now)
  const slug = await wantedSlug(tx, current, input)
  const content = changedContent(current, { ...input, slug }, body)
  if (content.primary_site_id != null) await assertOriginal(tx, current.account_id, content.primary_site_id)
  const isEdited = Object.keys(content).some(isContent)
  const isMoved = content.primary_site_id !== undefined
  const isReplanned = !isDeepStrictEqual(state, publicationStateOf(current))
  // Whoever plans the post has answered a proposal to publish it; one about its working copy waits for that.
  const isAnswered = current.proposal !== null && !current.has_changes && isReplanned && state.status === 'scheduled'
  const audienceChange = await changedAudience(tx, current, input.site_ids)
  if (!isEdited && !isMoved && !isReplanned && audienceChange === undefined) return current

  const wasPublished = current.status === 'published'
  const isPublished = state.status === 'published'
  notePosts(ctx, tx, [current])
  if (wasPublished && !isPublished) await announceRemoval(ctx, tx, current, now)
  const change = {
    ...content,
    ...(isEdited ? await pictureColumn(tx, { ...current, ...content }) : {}),
    ...(isPublished ? { unpublish_at: state.unpublish_at } : state),
    ...(isAnswered ? { proposal: null } : {}),
    ...(audienceChange === undefined ? {} : { sites_chosen: audienceChange.audience !== null }),
    ...(wasPublished && !isPublished ? { visible_to_all: false, published_at: null, due_at: null } : {}),
    // Sites compare the versions of what is published: there it stands for the content alone.
    ...(isEdited || !isPublished ? { version: current.version + 1, updated_at: now, revised_at: now, ...by } : {}),
  }
  if (change.version !== undefined) await keepRevision(tx, current)
  if (change.version !== undefined && !isEdited) await keepCopyCurrent(tx, current, change.version)
  const isUnchanged = isPublished && !isEdited && !isMoved && audienceChange === undefined && sameTime(state, current)
  const post = isUnchanged ? current : await updatePost(tx, current, change)
  if (content.slug !== undefined) await moveSlug(tx, current, content.slug, now)
  if (isReplanned && (state.status === 'scheduled' || state.unpublish_at !== null))
    await ctx.signals.send(tx, 'schedule')
  if (isMoved && wasPublished && isPublished) await followOriginal(tx, post)
  if (audienceChange !== undefined && wasPublished && isPublished)
    return announceAudience(ctx, tx, current, post, { ...audienceChange, isEdited, isMoved }, now)
  if (audienceChange !== undefined) await writeAudience(tx, post, audienceChange.audience)
  if (isPublished && !wasPublished) return publishToAudience(ctx, tx, post, now)
  if (!isPublished) return post
  if (isEdited) return announceUpdate(ctx, tx, post, now)
  return isMoved ? announceOriginal(ctx, tx, post, now) : post
}

const sameTime = (a: PublicationState, b: PostRow) => a.unpublish_at?.getTime() === b.unpublish_at?.getTime()

const publicationStateOf = ({ status, scheduled_at, schedule_zone, unpublish_at }: PostRow): PublicationState => ({
  status,
  scheduled_at,
  schedule_zone,
  unpublish_at,
})

/** The audience that a write gives a post, with what is known of its sites; undefined if it changes nothing. */
async function changedAudience(tx: PostsTx, current: PostRow, given: readonly string[] | null | undefined) {
  if (given === undefined || (given === null && audienceOf(current, []) === null)) return undefined
  const publishContext = await publishContextOf(tx, current.id)
  const audience = wantedAudience(current, publishContext, given)
  return audience === undefined ? undefined : { audience, publishContext }
}

/** The slug that a change asks for; undefined leaves it as it is. A slug that already fits the title stays. */
export async function wantedSlug(
  tx: PostsTx,
  current: PostRow,
  { slug, title = current.title }: Pick<PostInput, 'slug' | 'title'>,
): Promise<string | undefined> {
  if (slug !== null) return slug === undefined ? undefined : normalSlug(slug)
  const base = slugify(title) || 'post'
  return isSlugOf(base, current.slug) ? undefined : freeSlug(tx, current.account_id, base)
}

/**
 * Keeps the old slug as a former one, if the post is published or was ever sent: there may be links to it. Runs after the post's row
 * has the new slug: that update waits for a post that is giving the slug up, and only then is it one of that post's former slugs.
 */
async function moveSlug(tx: PostsTx, current: PostRow, slug: string, now: Date): Promise<void> {
  await reclaimSlug(tx, current.account_id, slug)
  const wasSeen = current.status === 'published' || current.sent_version !== null
  if (wasSeen) await retireSlug(tx, current, now)
  if (wasSeen && current.primary_site_id !== null) await forgetLiveUrls(tx, [current.id])
}

/** Throws unless the locked post is at the version that the caller has seen, and may be changed by the caller. */
export type PostCheck = (post: Pick<StoredPost, 'version' | 'status'>) => void

/** Removes a post for good, also from the trash, and tells the sites that have it. */
export async function removePost(ctx: Context, accountId: string, id: string, check: PostCheck): Promise<void> {
  if (!isId(id)) throw postNotFound()
  await postsTx(ctx.db, async (tx) => {
    const post = await lockStored(tx, accountId, id)
    if (post === undefined) throw postNotFound()
    check(post)
    await removeLocked(ctx, tx, post, ctx.clock.now())
  })
}

/** Removes a post that the transaction has locked. */
export async function removeLocked(ctx: Context, tx: PostsTx, post: StoredPost, now: Date): Promise<void> {
  if (isPresent(post)) await announceRemoval(ctx, tx, post, now)
  await deletePost(tx, post)
  notePosts(ctx, tx, [post])
}

function normalSlug(given: string): string {
  const slug = slugify(given, Number.POSITIVE_INFINITY)
  if (slug === '') throw invalid('slug', 'A slug must have at least one letter or digit.')
  if (slug.length > MAX_SLUG)
    throw invalid(
      'slug',
      `A slug can have at most ${MAX_SLUG} letters, digits and hyphens; this one would have ${slug.length}.`,
    )
  return slug
}

/** Runs a write up to `tries` times if its slug turns out to be taken; then throws `conflict`. */
export async function refusingTakenSlug<T>(write: () => Promise<T>, tries = 1): Promise<T> {
  for (let left = tries - 1; ; left -= 1) {
    try {
      return await write()
    } catch (error) {
      if (uniqueViolation(error) !== 'posts_slug') throw error
      if (left > 0) continue
      throw fail('conflict', 'Another post already has this slug. Choose another one.', { field: 'slug' })
    }
  }
}
