/** What sites report of posts themselves (decision D8). */
import { sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import { deliveryChanges, outcomeChanges } from './changes.ts'
import { lockLanes } from './lanes.ts'
import { addToRollUps } from './roll-ups.ts'

/** A site's report of a post, and of a version of it if it says which. `metadata` is kept with the delivery as it is. */
export type Confirmation = {
  accountId: string
  siteId: string
  postId: string
  version: number | undefined
  metadata: object | undefined
  /** Where the site shows the post, if it says so. */
  liveUrl: string | undefined
  at: Date
}

/**
 * Ends the pending delivery of a post to a site as delivered; older ones end as superseded. Returns false when the newest
 * delivery has failed, is a `post.deleted`, or there is none: then the caller records a new one. A second confirmation changes
 * only metadata. Of a confirmed version, the newest delivery is the last that is not newer than it; those after it go on.
 */
export async function confirmDelivered(
  ctx: Pick<Context, 'changes' | 'signals'>,
  tx: Tx,
  { accountId, siteId, postId, version, metadata, liveUrl, at }: Confirmation,
): Promise<boolean> {
  await lockLanes(tx, [siteId])
  const newest = await newestDelivery(tx, siteId, postId, version)
  if (newest === undefined || newest.status === 'failed') return false
  await keepSaid(tx, newest.id, { metadata, liveUrl })
  if (newest.status !== 'pending') return true
  const status = newest.attempts > 1 ? 'delivered_retry' : 'delivered'
  await tx
    .updateTable('deliveries')
    .set({ status, next_attempt_at: null, finished_at: at, last_error: null })
    .where('id', '=', newest.id)
    .execute()
  const { id, sequence, attempts } = newest
  await conclude(ctx, tx, { id, sequence, accountId, siteId, postId, at, retried: attempts > 1 })
  return true
}

/** Completes a confirmation: older pending deliveries of the post end as superseded, sums and changes are noted. The lane must be locked. */
async function conclude(
  ctx: Pick<Context, 'changes' | 'signals'>,
  tx: Tx,
  confirmed: Omit<Confirmation, 'liveUrl' | 'metadata' | 'version'> & {
    id: string
    sequence: number
    retried: boolean
  },
): Promise<void> {
  const { accountId, siteId, postId, sequence, at } = confirmed
  const superseded = await tx
    .updateTable('deliveries')
    .set({ status: 'failed', last_error: 'superseded', next_attempt_at: null, finished_at: at })
    .where('site_id', '=', siteId)
    .where('post_id', '=', postId)
    .where('status', '=', 'pending')
    .where('sequence', '<=', sequence)
    .returning('id')
    .execute()
  // The lane's holder may have read deliveries that have just ended, and would still send them.
  await ctx.signals.send(tx, 'superseded', `${siteId}/${postId}`)
  await countConfirmed(tx, confirmed)
  ctx.changes.note(tx, outcomeChanges([confirmed, ...superseded].map(({ id }) => ({ id, accountId, siteId }))))
}

/**
 * Records a delivery that a site got by pulling, after `confirmDelivered` returned false; its event must exist. Older ones that
 * are pending again end as superseded. With `failure`, after `recordSiteFailure` returned false, the site could not take what it
 * had pulled: the delivery is recorded as failed and can be sent again.
 */
export async function recordPulled(
  ctx: Pick<Context, 'changes' | 'signals'>,
  tx: Tx,
  delivery: { id: string; eventId: string; sequence: number; failure: string | undefined } & Confirmation,
): Promise<void> {
  await tx
    .insertInto('deliveries')
    .values({
      id: delivery.id,
      account_id: delivery.accountId,
      site_id: delivery.siteId,
      post_id: delivery.postId,
      event_id: delivery.eventId,
      sequence: delivery.sequence,
      status: delivery.failure === undefined ? 'delivered' : 'failed',
      last_error: delivery.failure === undefined ? null : inOwnWords(delivery.failure),
      next_attempt_at: null,
      created_at: delivery.at,
      finished_at: delivery.at,
      metadata: delivery.metadata === undefined ? null : JSON.stringify(delivery.metadata),
      live_url: delivery.liveUrl ?? null,
    })
    .execute()
  await tx
    .deleteFrom('skipped_posts')
    .where('site_id', '=', delivery.siteId)
    .where('post_id', '=', delivery.postId)
    .execute()
  if (delivery.failure === undefined) return conclude(ctx, tx, { ...delivery, retried: false })
  await countFailed(tx, delivery)
  ctx.changes.note(tx, outcomeChanges([delivery]))
}

/** Keeps a site's error message with the newest delivery; retries go on. Returns false when there is none, or it is a `post.deleted`. */
export async function recordSiteFailure(
  ctx: Pick<Context, 'changes'>,
  tx: Tx,
  confirmation: Confirmation,
  message: string,
): Promise<boolean> {
  await lockLanes(tx, [confirmation.siteId])
  const newest = await newestDelivery(tx, confirmation.siteId, confirmation.postId, confirmation.version)
  if (newest === undefined) return false
  await tx
    .updateTable('deliveries')
    .set({ last_error: inOwnWords(message) })
    .where('id', '=', newest.id)
    .execute()
  await keepSaid(tx, newest.id, confirmation)
  ctx.changes.note(tx, deliveryChanges([{ ...confirmation, id: newest.id }]))
  return true
}

/** A site's message, changed if it is the word that marks overtaken deliveries: those cannot be sent again. */
function inOwnWords(message: string): string {
  return message === 'superseded' ? 'superseded.' : message
}

/** The newest delivery of the post to the site; undefined if it is a `post.deleted`, of which the site's report says nothing. */
async function newestDelivery(tx: Tx, siteId: string, postId: string, version?: number) {
  let deliveries = tx
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .select(['deliveries.id', 'deliveries.sequence', 'status', 'attempts', 'kind'])
    .where('deliveries.post_id', '=', postId)
    .where('site_id', '=', siteId)
  if (version !== undefined) deliveries = deliveries.where('events.version', '<=', version)
  const newest = await deliveries.orderBy('deliveries.sequence', 'desc').limit(1).executeTakeFirst()
  return newest?.kind === 'post.deleted' ? undefined : newest
}

/** Keeps with a delivery what its site said of it; what it did not say stays. */
async function keepSaid(
  tx: Tx,
  deliveryId: string,
  { metadata, liveUrl }: Pick<Confirmation, 'metadata' | 'liveUrl'>,
): Promise<void> {
  if (metadata === undefined && liveUrl === undefined) return
  await tx
    .updateTable('deliveries')
    .set({
      id: deliveryId,
      ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
      ...(liveUrl === undefined ? {} : { live_url: liveUrl }),
    })
    .where('id', '=', deliveryId)
    .execute()
}

async function countConfirmed(
  tx: Tx,
  one: { accountId: string; siteId: string; at: Date; retried: boolean },
): Promise<void> {
  const { accountId, siteId, at, retried } = one
  await addToRollUps(tx, [{ accountId, siteId, finishedAt: at, isOk: true, isRetried: retried, tookMs: 'confirmed' }])
  await sql`
    update lanes set delivered = delivered + 1, failing = false, failures_in_a_row = 0,
      last_delivered_at = greatest(last_delivered_at, ${at})
    where site_id = ${siteId}
  `.execute(tx)
}

async function countFailed(tx: Tx, { accountId, siteId, at }: Confirmation): Promise<void> {
  await addToRollUps(tx, [{ accountId, siteId, finishedAt: at, isOk: false, isRetried: false, tookMs: 'confirmed' }])
  await sql`
    update lanes set failed = failed + 1, unseen_failures = unseen_failures + 1, failing = true, failures_in_a_row = failures_in_a_row + 1
    where site_id = ${siteId}
  `.execute(tx)
}
