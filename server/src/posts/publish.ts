/** Announces posts to sites. Every function works on a post row that the transaction has locked. */
import {
  type Confirmation,
  forgetSkipped,
  lockLanes,
  recordEvent,
  recordPulled,
  skipSites,
  withdraw,
} from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import { invalid } from '../platform/errors.ts'
import { announce, canonicalsOf, isToldOtherwise, noteTold, publishing, updating } from './announce.ts'
import { type Audience, audienceOf, audienceOncePublished, type KnownSites } from './audience.ts'
import { notePosts } from './changes.ts'
import { publicPost } from './public.ts'
import { findPost, type PublishContext, type SyncState, syncStateOf } from './queries.ts'
import type { PostsTx } from './revision.ts'
import type { PostRow } from './tables.ts'
import { forgetSites, updatePost, writeAudience, writePublication } from './writes.ts'

/**
 * Publishes a post: makes it visible, and sends it to the named sites, or to all of its audience that are not paused. A site that has
 * the post already gets `post.updated`, any other `post.published` (decisions P6, P7). Returns the row and the sites.
 * Throws `invalid` on `site_ids.N` for a site that is unknown or paused, and on `unpublish_at` if that has passed; nothing is changed then.
 */
export async function publishLocked(
  ctx: Context,
  tx: PostsTx,
  post: PostRow,
  publishContext: PublishContext,
  siteIds: readonly string[] | undefined,
  now: Date,
): Promise<{ post: PostRow; siteIds: string[] }> {
  if (post.status !== 'published' && post.unpublish_at !== null && post.unpublish_at <= now)
    throw invalid('unpublish_at', 'The time to unpublish the post has passed. Set a later one, or null for none.')
  const requested = siteIds && requestedSites(publishContext, siteIds)
  const audience = audienceOncePublished(post, publishContext.named, requested)
  const targets = requested ?? sitesToSend(publishContext, audience)
  const sent = new Set(publishContext.sentTo)
  const isDue = post.status === 'scheduled' && post.scheduled_at !== null && post.scheduled_at <= now
  const visible = {
    ...post,
    status: 'published',
    scheduled_at: null,
    schedule_zone: null,
    published_at: post.published_at ?? now,
    updated_at: post.status === 'published' ? post.updated_at : now,
    visible_to_all: audience === null,
    due_at: isDue ? post.scheduled_at : post.due_at,
  } as const
  if (audience !== null || publishContext.named.length > 0) await writeAudience(tx, visible, audience)
  const sync = withOriginalIn(publishContext, audience)
  const others = sync.sentTo.filter((id) => !targets.includes(id)).filter(isToldOtherwise(visible, sync))
  if (others.length > 0) await lockLanes(tx, [...targets, ...others])
  const announced = [...publishing(targets, (id) => sent.has(id)), ...(await updating(ctx, tx, visible, others, now))]
  const dueAt = isDue ? post.scheduled_at : null
  const published = { ...visible, ...(await announce(ctx, tx, visible, sync, now, announced, dueAt)) }
  await writePublication(tx, post, published, targets, canonicalsOf(visible, sync))
  await noteTold(tx, visible, sync, others)
  if (requested === undefined) await noteSkipped(tx, published, publishContext, audience)
  notePosts(ctx, tx, [published])
  return { post: published, siteIds: targets }
}

/** What is known of a post whose audience is another one now: the original may have come in, or gone. */
function withOriginalIn<Known extends SyncState>(known: Known, audience: Audience): Known {
  const { original } = known
  if (original === null) return known
  return { ...known, original: { ...original, isFor: audience === null || audience.includes(original.siteId) } }
}

/** The sites of an audience that a publication is sent to: those that are connected and not paused. */
function sitesToSend({ paused }: KnownSites, audience: Audience): string[] {
  return Object.keys(paused).filter((id) => !paused[id] && (audience === null || audience.includes(id)))
}

/** Notes that paused sites of an audience were not sent a publication. */
function noteSkipped(
  tx: PostsTx,
  { account_id: accountId, id: postId }: PostRow,
  { paused, sentTo }: PublishContext,
  audience: Audience,
): Promise<void> {
  const siteIds = (audience ?? Object.keys(paused)).filter((id) => paused[id] === true && !sentTo.includes(id))
  return skipSites(tx, { accountId, postId, siteIds })
}

function requestedSites({ paused }: KnownSites, siteIds: readonly string[]): string[] {
  const sites = new Map(Object.entries(paused))
  const chosen = siteIds.map((given, index) => {
    const siteId = given.toLowerCase()
    const isPaused = sites.get(siteId)
    if (isPaused === undefined) throw invalid(`site_ids.${index}`, 'There is no such site.')
    if (isPaused) throw invalid(`site_ids.${index}`, 'This site is inactive. Set it to active first.')
    return siteId
  })
  return [...new Set(chosen)]
}

/** Sends a changed published post to every site that has it. */
export async function announceUpdate(ctx: Context, tx: PostsTx, post: PostRow, now: Date): Promise<PostRow> {
  const sync = await syncStateOf(tx, post.id)
  const updates = await updating(ctx, tx, post, sync.sentTo, now)
  const counted = await announce(ctx, tx, post, sync, now, updates)
  await noteTold(tx, post, sync, sync.sentTo)
  return counted === undefined ? post : updatePost(tx, post, counted)
}

/**
 * Withdraws the post from every site that has it: nothing of it that is pending is sent any more, and sites that may have been sent it
 * are told that it is gone. Forgets which sites had it, so that a later publication starts afresh. `was` is the post as the sites know it.
 */
export async function announceRemoval(ctx: Context, tx: PostsTx, was: PostRow, now: Date): Promise<void> {
  const sync = await syncStateOf(tx, was.id)
  const { account_id: accountId, id: postId } = was
  const siteIds = await withdraw(ctx, tx, { accountId, postId, siteIds: sync.sentTo }, now)
  const counted = await announce(ctx, tx, was, sync, now, [{ kind: 'post.deleted', siteIds }])
  if (counted !== undefined) await updatePost(tx, was, counted)
  await forgetSites(tx, was)
  await forgetSkipped(tx, was.id)
}

/**
 * Changes the audience of a published post, which was `was` before this write: those that leave and have it are told that it is gone, and
 * those that come are sent it. If its content has changed as well, those that stay and have it get that; else those of them get it for which
 * the address of the original has changed.
 */
export async function announceAudience(
  ctx: Context,
  tx: PostsTx,
  was: PostRow,
  post: PostRow,
  change: { audience: Audience; publishContext: PublishContext; isEdited: boolean; isMoved: boolean },
  now: Date,
): Promise<PostRow> {
  const { audience, isEdited, isMoved } = change
  // What was read before is of the original before.
  const known = isMoved ? { ...change.publishContext, ...(await syncStateOf(tx, post.id)) } : change.publishContext
  const publishContext = withOriginalIn(known, audience)
  const { sentTo, named, paused } = publishContext
  const before = new Set(audienceOf(was, named) ?? Object.keys(paused))
  const after = new Set(audience ?? Object.keys(paused))
  const leaving = sentTo.filter((id) => !after.has(id))
  const staying = sentTo.filter((id) => after.has(id))
  const changed = isEdited ? staying : staying.filter(isToldOtherwise(post, publishContext))
  const coming = sitesToSend(publishContext, audience).filter((id) => !before.has(id))
  await lockLanes(tx, [...sentTo, ...coming])
  const { account_id: accountId, id: postId } = post
  const told = await withdraw(ctx, tx, { accountId, postId, siteIds: leaving }, now)
  await writeAudience(tx, post, audience)
  const counted = await announce(ctx, tx, post, publishContext, now, [
    { kind: 'post.deleted', siteIds: told, slug: was.slug },
    ...(await updating(ctx, tx, post, changed, now)),
    { kind: 'post.published', siteIds: coming },
  ])
  const published = await updatePost(tx, post, { visible_to_all: audience === null, ...counted })
  await writePublication(tx, published, published, coming, canonicalsOf(post, publishContext))
  await noteTold(tx, post, publishContext, changed)
  await forgetSkipped(tx, postId, [...after])
  await noteSkipped(tx, published, publishContext, audience)
  return published
}

/**
 * Records that a site pulled the post, which the transaction has locked: an event with one delivery, delivered or, with `failure`,
 * failed. From now on the site counts as having the post, so changes are sent to it. An older version of the post is not recorded: there is
 * no event that tells of it any more.
 */
export async function recordPull(
  ctx: Pick<Context, 'changes' | 'ids' | 'signals'>,
  tx: PostsTx,
  confirmation: Confirmation,
  failure: string | undefined,
): Promise<void> {
  const post = await findPost(tx, confirmation.accountId, confirmation.postId)
  if (post === undefined) throw new Error('the post is not there, although it is locked')
  if (confirmation.version !== undefined && confirmation.version < post.version) return
  const sync = await syncStateOf(tx, post.id)
  const canonicalOf = canonicalsOf(post, sync)
  const sequence = post.event_sequence + 1
  const eventId = await recordEvent(ctx, tx, {
    accountId: post.account_id,
    postId: post.id,
    sequence,
    kind: 'post.published',
    version: post.version,
    previousVersion: null,
    payload: publicPost(post, sync.formerSlugs, canonicalOf(confirmation.siteId)),
    at: confirmation.at,
  })
  await recordPulled(ctx, tx, { ...confirmation, id: ctx.ids.next(), eventId, sequence, failure })
  const told = { ...post, event_sequence: sequence, sent_version: post.version }
  await writePublication(tx, post, told, [confirmation.siteId], canonicalOf)
}
