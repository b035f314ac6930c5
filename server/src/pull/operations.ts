import { confirmDelivered, recordSiteFailure } from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import { fail } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { lockVisiblePost, postsTx, type Reader, recordPull } from '../posts/index.ts'

/** The error for a post that does not exist or that the site may not see. */
export function missing(): Error {
  return fail('not_found', 'There is no such post for this site.')
}

/** A site's report: that it has a post, or why it could not take it. */
export type Report = {
  postId: string
  siteId: string
  status: 'delivered' | 'failed'
  errorMessage: string | null | undefined
  metadata: object | undefined
}

/**
 * Stores a site's report (decision D8). Throws `forbidden` when it names another site, and `not_found` for a post that the
 * site may not see.
 */
export async function confirm(ctx: Context, site: Reader, report: Report): Promise<Date> {
  if (report.siteId.toLowerCase() !== site.siteId)
    throw fail('forbidden', 'This API key belongs to another site. Set site_id to the id of its own site.')
  if (!isId(report.postId)) throw missing()
  const at = ctx.clock.now()
  await postsTx(ctx.db, async (tx) => {
    if (!(await lockVisiblePost(tx, site, report.postId))) throw missing()
    const confirmation = {
      accountId: site.accountId,
      siteId: site.siteId,
      postId: report.postId.toLowerCase(),
      metadata: report.metadata,
      at,
    }
    const failure = report.status === 'failed' ? (report.errorMessage ?? 'The site reported a failure') : undefined
    const noted =
      failure === undefined
        ? await confirmDelivered(ctx, tx, confirmation)
        : await recordSiteFailure(ctx, tx, confirmation, failure)
    if (!noted) await recordPull(ctx, tx, confirmation, failure)
  })
  return at
}
