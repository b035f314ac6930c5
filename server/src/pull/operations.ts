import type { z } from 'zod'
import { expectPages } from '../deliveries/index.ts'
import { confirmDelivered, recordSiteFailure } from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import { Failure, fail } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import {
  lockVisiblePost,
  noteLiveUrls,
  postsTx,
  previewed,
  previewedPost,
  type Reader,
  recordPull,
  withAudience,
} from '../posts/index.ts'
import { findSite } from '../sites/index.ts'
import type { ConfirmationsBody, ConfirmBody } from './wire.ts'

/** The error for a post that does not exist or that the site may not see. */
export function postNotFound(): Error {
  return fail('not_found', 'There is no such post for this site.')
}

/** A post that is for the site, by the token of its preview link. Throws `gone` for one that has ended, and `not_found` for any other. */
export async function pullPreview(ctx: Context, site: Reader, token: string) {
  const found = await previewFor(ctx, site, token)
  if (found === 'gone') throw fail('gone', 'The preview is over: its link has expired or was taken back.')
  if (found === undefined) throw fail('not_found', 'There is no such preview for this site.')
  return found
}

/** The same; `gone` for a link that has ended, undefined for any other. */
export async function previewFor(ctx: Context, { accountId, siteId }: Reader, token: string) {
  const found = await previewed(ctx, token)
  if (found === 'gone' || found === undefined) return found
  if (found.post.account_id !== accountId) return undefined
  const { site_ids: audience } = await withAudience(ctx.db.root, found.post)
  return audience !== null && !audience.includes(siteId) ? undefined : previewedPost(found.post)
}

/** A site's report: that it has a post, or why it could not take it. */
export type Report = {
  postId: string
  siteId: string
  status: 'delivered' | 'failed'
  errorMessage: string | null | undefined
  /** The version that the report is about; undefined: the newest. */
  version: number | undefined
  /** The address at which the site shows the post. */
  publishedUrl: string | undefined
  metadata: object | undefined
}

type Given = z.output<typeof ConfirmBody>

const isPath = (url: string | undefined): url is string => url?.startsWith('/') === true

/** The site's address, if a report of the request names a path on it: behind a proxy a site does not know its own. */
export async function baseOf(
  ctx: Context,
  { accountId, siteId }: Reader,
  given: ReadonlyArray<Pick<Given, 'published_url'>>,
): Promise<string | undefined> {
  if (!given.some(({ published_url: url }) => isPath(url))) return undefined
  return (await findSite(ctx.db.root, accountId, siteId))?.url
}

/** A report as requests give it. `base`: what a path is on, as `baseOf` finds it. */
export function reportOf(given: Given, base: string | undefined): Report {
  const { post_id: postId, site_id: siteId, status, error_message: errorMessage, version, metadata } = given
  const { published_url: url } = given
  const publishedUrl = isPath(url) ? base && new URL(url, base).href : url
  return { postId, siteId, status, errorMessage, version, publishedUrl, metadata }
}

/**
 * Stores a site's report (decision D8). Throws `forbidden` when it names another site, and `not_found` for a post that the
 * site may not see.
 */
export async function confirm(ctx: Context, site: Reader, report: Report): Promise<Date> {
  if (report.siteId.toLowerCase() !== site.siteId)
    throw fail('forbidden', 'This API key belongs to another site. Set site_id to the id of its own site.')
  if (!isId(report.postId)) throw postNotFound()
  const at = ctx.clock.now()
  await postsTx(ctx.db, async (tx) => {
    if (!(await lockVisiblePost(tx, site, report.postId))) throw postNotFound()
    const confirmation = {
      accountId: site.accountId,
      siteId: site.siteId,
      postId: report.postId.toLowerCase(),
      version: report.version,
      metadata: report.metadata,
      liveUrl: report.publishedUrl,
      at,
    }
    const failure = report.status === 'failed' ? (report.errorMessage ?? 'The site reported a failure') : undefined
    const noted =
      failure === undefined
        ? await confirmDelivered(ctx, tx, confirmation)
        : await recordSiteFailure(ctx, tx, confirmation, failure)
    if (!noted) await recordPull(ctx, tx, confirmation, failure)
    if (failure === undefined) await expectPages(ctx, tx, [confirmation])
    if (report.publishedUrl !== undefined) await noteLiveUrls(ctx, tx, [{ ...confirmation, url: report.publishedUrl }])
  })
  return at
}

/** What became of a report that was one of many. */
type ConfirmationResult =
  | { post_id: string; status: Report['status'] }
  | { post_id: string; error: string; message: string }

/** Stores reports one after the other, each by itself; one that is refused does not keep the others from being stored. */
export async function confirmAll(
  ctx: Context,
  site: Reader,
  given: z.output<typeof ConfirmationsBody>['confirmations'],
): Promise<ConfirmationResult[]> {
  const base = await baseOf(ctx, site, given)
  const results: ConfirmationResult[] = []
  for (const one of given) {
    const { post_id, status, site_id = site.siteId } = one
    try {
      await confirm(ctx, site, reportOf({ ...one, site_id }, base))
      results.push({ post_id, status })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const { error: code, message } = error.toBody()
      results.push({ post_id, error: code, message })
    }
  }
  return results
}
