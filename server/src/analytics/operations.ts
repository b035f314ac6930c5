import {
  type DeliveryRecord,
  deliveriesOfPost,
  type FailedDelivery,
  failedDeliveries,
  type Granularity,
  MOST_REQUEUED,
  type Period,
  requeueFailed,
  type Sums,
  sumBySite,
  sumByTime,
} from '../deliveries/index.ts'
import { keepsHistoryOf } from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import { fail, invalid } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { countPublished, postTitles } from '../posts/index.ts'
import { siteExists } from '../sites/index.ts'
import { bucketName, bucketsOf, periodOf } from './period.ts'
import { titlesOf } from './titles.ts'

/** A period and optionally a site, as the client gives them. */
export type Range = { from?: string | undefined; to?: string | undefined; siteId?: string | undefined }

/** The most rows in a post's deliveries and in a list of failures. */
const MOST_ROWS = 500

const NOTHING: Sums = { delivered: 0, failed: 0, retried: 0, timed: 0, deliveredMs: 0 }

function add(a: Sums, b: Sums): Sums {
  return {
    delivered: a.delivered + b.delivered,
    failed: a.failed + b.failed,
    retried: a.retried + b.retried,
    timed: a.timed + b.timed,
    deliveredMs: a.deliveredMs + b.deliveredMs,
  }
}

/** A site that is connected, or was and still has its history. Throws `invalid` for any other. */
export async function knownSite(
  ctx: Context,
  accountId: string,
  siteId: string | undefined,
): Promise<string | undefined> {
  if (siteId !== undefined && !(isId(siteId) && (await keepsHistoryOf(ctx.db.root, accountId, siteId))))
    throw invalid('site_id', 'There is no such site.')
  return siteId
}

/** What happened in a period, in total and per site. */
export type Overview = {
  period: Period
  totals: Sums
  postsPublished: number
  sites: Array<Sums & { siteId: string; siteName: string }>
}

/** The overview of a period. Throws `invalid` for a bad range or an unknown site. */
export async function overview(ctx: Context, accountId: string, range: Range): Promise<Overview> {
  const period = periodOf(range, ctx.clock.now())
  const siteId = await knownSite(ctx, accountId, range.siteId)
  const [sites, postsPublished] = await Promise.all([
    sumBySite(ctx.db.root, accountId, period, siteId),
    countPublished(ctx.db.root, accountId, period, siteId),
  ])
  return { period, totals: sites.reduce<Sums>(add, NOTHING), postsPublished, sites }
}

/** Sums for every unit of time in the period, zeros included. */
export async function timeline(
  ctx: Context,
  accountId: string,
  range: Range,
  granularity: Granularity,
): Promise<Array<Sums & { date: string }>> {
  const period = periodOf(range, ctx.clock.now())
  const buckets = bucketsOf(period, granularity)
  const siteId = await knownSite(ctx, accountId, range.siteId)
  const found = new Map(
    (await sumByTime(ctx.db.root, accountId, period, granularity, siteId)).map((sums) => [sums.start.getTime(), sums]),
  )
  return buckets.map((start) => ({ ...NOTHING, ...found.get(start.getTime()), date: bucketName(start, granularity) }))
}

/** The deliveries of a post, newest first. Throws `not_found`. */
export async function postDeliveries(
  ctx: Context,
  accountId: string,
  postId: string,
): Promise<{ title: string; deliveries: DeliveryRecord[] }> {
  const title = await titleOf(ctx, accountId, postId)
  return { title, deliveries: await deliveriesOfPost(ctx.db.root, accountId, postId, MOST_ROWS) }
}

async function titleOf(ctx: Context, accountId: string, postId: string): Promise<string> {
  const title = isId(postId)
    ? (await postTitles(ctx.db.root, accountId, [postId])).get(postId.toLowerCase())
    : undefined
  if (title === undefined) throw fail('not_found', 'There is no such post.')
  return title
}

/** A failed delivery with its post's current title, or its last one if the post is gone. */
export type Failure = FailedDelivery & { title: string; canRetry: boolean }

/** Failures from the period's beginning until now, newest first. */
export async function failures(ctx: Context, accountId: string, range: Range): Promise<Failure[]> {
  const { from } = periodOf({ from: range.from }, ctx.clock.now())
  const siteId = await knownSite(ctx, accountId, range.siteId)
  const failed = await failedDeliveries(ctx.db.root, accountId, { from, siteId, limit: MOST_ROWS })
  const titlesOfPosts = await titlesOf(ctx, accountId, failed)
  return failed.map((one) => {
    const { title, postDeleted } = titlesOfPosts(one.postId)
    const canRetry = !postDeleted && !one.siteDeleted && !one.overtaken && one.lastError !== 'superseded'
    return { ...one, title, canRetry }
  })
}

/** Queues a post's failed deliveries again; returns how many. Throws `not_found`, or `invalid` for an unknown site. */
export async function retry(
  ctx: Context,
  accountId: string,
  postId: string,
  siteId: string | undefined,
): Promise<number> {
  await titleOf(ctx, accountId, postId)
  if (siteId !== undefined && !(isId(siteId) && (await siteExists(ctx.db.root, accountId, siteId))))
    throw invalid('site_id', 'There is no such site.')
  let [queued, batch] = [0, 0]
  do {
    batch = await ctx.db.tx((tx) => requeueFailed(ctx, tx, accountId, { postId, siteId }))
    queued += batch
  } while (batch === MOST_REQUEUED)
  return queued
}
