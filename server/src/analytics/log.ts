/** The log of single deliveries with the titles of their posts, and sending failed ones again (decision 0021). */
import {
  type DeliveryDetails,
  deliveryDetails,
  deliveryLog,
  failuresToRepeat,
  hurry,
  type LogFilter,
  type LoggedDelivery,
  MOST_REQUEUED,
  requeueFailed,
} from '../deliveries/index.ts'
import { lateBySeconds } from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import { fail, invalid } from '../platform/errors.ts'
import { edgesOf } from '../platform/http/period-edges.ts'
import { isId } from '../platform/ids.ts'
import { postTitles } from '../posts/index.ts'
import { knownSite } from './operations.ts'
import { titlesOf } from './titles.ts'

/** A delivery with its post's current title, or the event's title if the post is gone. */
export type Titled<Delivery> = Delivery & {
  title: string
  postDeleted: boolean
  canRetry: boolean
  lateBySeconds: number | null
}

/** A request for a page of the log, with the period's edges as the client gives them. */
export type LogAsked = Omit<LogFilter, 'from' | 'to'> & {
  from?: string | undefined
  to?: string | undefined
  limit: number
}

/** A page of the log, newest first. `next` is the start of the following page. Throws `invalid` for a bad request. */
export async function logPage(
  ctx: Context,
  accountId: string,
  { limit, from, to, ...asked }: LogAsked,
): Promise<{ deliveries: Array<Titled<LoggedDelivery>>; next: string | null }> {
  await knownSite(ctx, accountId, asked.siteId)
  const filter = { ...asked, ...edgesOf({ from, to }) }
  if (filter.before !== undefined && !isId(filter.before))
    throw invalid('cursor', 'The cursor must be the next_cursor of an earlier page.')
  if (filter.postId !== undefined && !isId(filter.postId)) return { deliveries: [], next: null }
  const found = await foundInLog(ctx, accountId, { ...filter, limit: limit + 1 })
  const deliveries = found.slice(0, limit)
  return { deliveries, next: found.length > limit ? (deliveries.at(-1)?.id ?? null) : null }
}

/** What can be sent again is chosen from so many failures at once. */
const FAILURES_AT_ONCE = 500

/** Which failures can be sent again depends on newer events and on the post, so this reads on until it has enough. */
async function foundInLog(
  ctx: Context,
  accountId: string,
  { limit, ...filter }: LogFilter & { limit: number },
): Promise<Array<Titled<LoggedDelivery>>> {
  if (filter.repeatable !== true)
    return titled(ctx, accountId, await deliveryLog(ctx.db.root, accountId, { ...filter, limit }))
  const found: Array<Titled<LoggedDelivery>> = []
  for (let { before } = filter; ; ) {
    const failures = await deliveryLog(ctx.db.root, accountId, { ...filter, before, limit: FAILURES_AT_ONCE })
    const read = await titled(ctx, accountId, failures)
    found.push(...read.filter(({ canRetry }) => canRetry))
    if (failures.length < FAILURES_AT_ONCE || found.length >= limit) return found.slice(0, limit)
    before = failures.at(-1)?.id
  }
}

/** Whether sites still need the event. Of a deleted post they need only the removal: without it a site shows the post for ever. */
function concernsSites({ event }: Pick<LoggedDelivery, 'event'>, postDeleted: boolean): boolean {
  return !postDeleted || event === 'post.deleted'
}

async function titled<Delivery extends LoggedDelivery>(
  ctx: Context,
  accountId: string,
  deliveries: readonly Delivery[],
): Promise<Array<Titled<Delivery>>> {
  const titleOf = await titlesOf(ctx, accountId, deliveries)
  const now = ctx.clock.now()
  return deliveries.map((one) => {
    const isFailure = one.status === 'failed' && one.lastError !== 'superseded'
    const { title, postDeleted } = titleOf(one.postId)
    const canRetry = isFailure && !one.overtaken && !one.siteDeleted && concernsSites(one, postDeleted)
    return { ...one, title, postDeleted, canRetry, lateBySeconds: lateBySeconds(one.dueAt, one.firstTriedAt ?? now) }
  })
}

/** One delivery. Throws `not_found`. */
export async function oneDelivery(ctx: Context, accountId: string, id: string): Promise<Titled<DeliveryDetails>> {
  const found = isId(id) ? await deliveryDetails(ctx, accountId, id) : undefined
  const [delivery] = found === undefined ? [] : await titled(ctx, accountId, [found])
  if (delivery === undefined) throw fail('not_found', 'There is no such delivery.')
  return delivery
}

/**
 * Sends one delivery again: a failed one with a fresh set of attempts; for a pending one it makes the next attempt now. Throws
 * `not_found`, or `conflict` when the delivery must not or need not be sent.
 */
export async function sendAgain(ctx: Context, accountId: string, id: string): Promise<void> {
  const delivery = await oneDelivery(ctx, accountId, id)
  const sent = await ctx.db.tx(async (tx) =>
    delivery.status === 'pending'
      ? hurry(ctx, tx, accountId, delivery)
      : delivery.canRetry && (await requeueFailed(ctx, tx, accountId, { ids: [delivery.id] })) > 0,
  )
  if (!sent) throw fail('conflict', whyNot(delivery), { field: 'status' })
}

function whyNot({ status, siteDeleted, postDeleted }: Titled<LoggedDelivery>): string {
  if (status === 'pending') return 'The delivery is already under way.'
  if (status !== 'failed')
    return 'The delivery has already succeeded. To send the post once more, publish it to the site again.'
  if (siteDeleted) return 'The site is no longer connected.'
  if (postDeleted) return 'The post has been deleted.'
  return 'A newer version of the post has taken its place, or the post was taken off the site, so this delivery cannot be retried.'
}

/** How many failures were queued again, and whether there may be more. */
export type Requeued = { queued: number; more: boolean }

/**
 * Sends failed deliveries again: those of these ids, or all of the account or of a site, newest first. It skips those that
 * must not be sent. Throws `invalid` for an unknown site.
 */
export async function sendFailuresAgain(
  ctx: Context,
  accountId: string,
  { ids, siteId }: { ids: readonly string[] | undefined; siteId: string | undefined },
): Promise<Requeued> {
  await knownSite(ctx, accountId, siteId)
  const asked = ids === undefined ? {} : { ids: ids.filter(isId) }
  const repeatable: string[] = []
  let before: string | undefined
  let more = true
  // Usually one round is enough, because most failures can be repeated; those that were overtaken or whose post is deleted cannot.
  while (more && repeatable.length < MOST_REQUEUED) {
    const found = await failuresToRepeat(ctx.db.root, accountId, { ...asked, siteId, before, limit: MOST_REQUEUED })
    const current = found.filter(({ overtaken }) => !overtaken)
    const titles = await postTitles(ctx.db.root, accountId, [...new Set(current.map(({ postId }) => postId))])
    repeatable.push(...current.filter((one) => concernsSites(one, !titles.has(one.postId))).map(({ id }) => id))
    before = found.at(-1)?.id
    more = found.length === MOST_REQUEUED
  }
  const chosen = repeatable.slice(0, MOST_REQUEUED)
  const queued = await ctx.db.tx((tx) => requeueFailed(ctx, tx, accountId, { ids: chosen }))
  return { queued, more: more || repeatable.length > chosen.length }
}
