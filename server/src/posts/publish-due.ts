/**
 * Scheduled publishing. It reads stored times instead of setting timers: a post that came due while the service was down is
 * published when it is back. Each transaction publishes a set of posts, so that ten thousand posts due in the same second
 * take a few hundred transactions; of long posts it takes fewer. A set that fails, or takes too long, is split, so that one post
 * that cannot be published holds up no other. Accounts have turns, so that whoever has ten thousand posts due delays nobody who has one.
 * An account whose lanes another transaction has locked waits for the next step, and does not hold up other accounts.
 */
import { activeSites, enqueueEvents } from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import { isDatabaseGone, isLockTimeout, isStatementTimeout } from '../platform/db/database.ts'
import { errorField } from '../platform/log.ts'
import type { StepResult } from '../platform/loop.ts'
import { notePosts } from './changes.ts'
import {
  type DuePost,
  dueAccounts,
  formerSlugsOf,
  lockDuePosts,
  markPairsSent,
  nextScheduledAt,
  publishRows,
  readDuePosts,
  sentPairs,
} from './due-queries.ts'
import { firstPortion } from './portions.ts'
import { eventsOf, publishing } from './publish.ts'
import { noteVisible, type PostsTx, postsTx } from './revision.ts'
import type { PostRow } from './tables.ts'

/** Large enough to spread a transaction's cost, small enough that requests are answered between two of them. */
const POSTS_PER_SET = 40

/** How often a long step looks for accounts whose first post has come due meanwhile. */
const LOOK_MS = 1_000

/** The wait before the next step when a due post is left: somebody is changing it, which may take a while. */
const LOCKED_MS = 100

/**
 * One step: publishes everything that is due, to all sites, each post once. Accounts with due posts stand in a line. Those at its front
 * share a set; one that has more goes to the end.
 */
export async function publishDue(ctx: Context, stopping: AbortSignal): Promise<StepResult> {
  const { root } = ctx.db
  let now = ctx.clock.now()
  const heldUp = new Set<string>()
  const last = new Map<string, DuePost>()
  const line = new Set(await dueAccounts(root, now))
  let failed = 0
  while (line.size > 0 && !stopping.aborted) {
    const turn = [...line.values().take(POSTS_PER_SET)]
    const each = Math.floor(POSTS_PER_SET / turn.length)
    const places = turn.map((accountId) => ({ accountId, last: last.get(accountId) }))
    const found = await readDuePosts(root, now, places, each)
    const due = firstPortion(found)
    if (due.length > 0) failed += await publishSet(ctx, due, heldUp)
    for (const post of due) last.set(post.account_id, post)
    const foundOf = Map.groupBy(found, (post) => post.account_id)
    const served = new Set(due.map((post) => post.account_id))
    for (const accountId of turn) {
      const posts = foundOf.get(accountId) ?? []
      if (posts.length > 0 && !served.has(accountId)) continue // the set was full before: it keeps its place
      line.delete(accountId)
      const hasMore = posts.length === each || last.get(accountId) !== posts.at(-1)
      if (posts.length > 0 && hasMore && !heldUp.has(accountId)) line.add(accountId)
    }
    if (ctx.clock.now().getTime() - now.getTime() < LOOK_MS) continue
    now = ctx.clock.now()
    for (const accountId of await dueAccounts(root, now)) if (!heldUp.has(accountId)) line.add(accountId)
  }
  if (failed > 0) return { again: false }
  const next = await nextScheduledAt(root)
  if (next === undefined) return { again: false }
  return { again: false, waitMs: next > now ? next.getTime() - now.getTime() : LOCKED_MS }
}

/** Publishes posts, together if possible; returns how many could not be published. Adds accounts that have to wait to `heldUp`. */
async function publishSet(ctx: Context, due: readonly DuePost[], heldUp: Set<string>): Promise<number> {
  try {
    const ids = due.map(({ id }) => id)
    const now = ctx.clock.now()
    const published = await postsTx(ctx.db, async (tx) => publishLocked(ctx, tx, await lockDuePosts(tx, ids, now), now))
    for (const post of published) ctx.log.info('post.published', { post_id: post.id, scheduled_at: post.scheduled_at })
    return 0
  } catch (error) {
    const [one] = due
    if (one === undefined || (isDatabaseGone(error) && !isStatementTimeout(error))) throw error
    const held = isLockTimeout(error)
    const parts = [...Map.groupBy(due, (post) => (held ? post.account_id : post.id)).values()]
    if (parts.length > 1) {
      let failed = 0
      for (const part of parts) failed += await publishSet(ctx, part, heldUp)
      return failed
    }
    if (held) {
      heldUp.add(one.account_id)
      ctx.log.warn('posts.held_up', { account_id: one.account_id, posts: due.length, error: errorField(error) })
    } else
      ctx.log.error('post.not_published', { post_id: one.id, scheduled_at: one.scheduled_at, error: errorField(error) })
    return due.length
  }
}

/** Publishes locked posts to all sites of their accounts that are not paused, by decisions P6 and P7. */
async function publishLocked(
  ctx: Context,
  tx: PostsTx,
  posts: readonly PostRow[],
  now: Date,
): Promise<readonly PostRow[]> {
  if (posts.length === 0) return posts
  const ids = posts.map(({ id }) => id)
  const sites = await activeSites(tx, [...new Set(posts.map((post) => post.account_id))])
  const sent = new Set((await sentPairs(tx, ids)).map(({ postId, siteId }) => `${postId} ${siteId}`))
  const formerSlugs = await formerSlugsOf(tx, ids)
  const plans = posts.map((row) => {
    const post = { ...row, published_at: row.published_at ?? now }
    const siteIds = sites.get(post.account_id) ?? []
    const announcements = publishing(siteIds, (siteId) => sent.has(`${post.id} ${siteId}`))
    const events = eventsOf(post, formerSlugs.get(post.id) ?? [], announcements)
    return { post, siteIds, events }
  })
  await publishRows(
    tx,
    plans.map(({ post, events }) => ({
      id: post.id,
      publishedAt: post.published_at,
      sequence: post.event_sequence + events.length,
      sentVersion: events.length > 0 ? post.version : post.sent_version,
    })),
    now,
  )
  for (const post of posts) noteVisible(tx, post.account_id, post.id)
  notePosts(ctx, tx, posts)
  await markPairsSent(
    tx,
    plans.flatMap(({ post, siteIds }) =>
      siteIds.map((siteId) => ({ accountId: post.account_id, postId: post.id, siteId })),
    ),
  )
  await enqueueEvents(
    ctx,
    tx,
    plans.flatMap(({ events }) => events),
    now,
  )
  return posts
}
