import { confirmDelivered, recordSiteFailure } from '../deliveries/index.ts'
import type { Context } from '../platform/context.ts'
import { fail } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { lockVisiblePost, type PostRow, recordPull, visiblePost, visiblePosts } from '../posts/index.ts'
import type { SitePrincipal } from '../sites/index.ts'

function missing(): Error {
  return fail('not_found', 'There is no such post for this site.')
}

/** A page of the posts that the site may see, newest first, and how many there are. */
export async function pullPosts(
  ctx: Context,
  site: SitePrincipal,
  query: { tag?: string | undefined; page: number; limit: number },
): Promise<{ rows: Array<Omit<PostRow, 'body_html' | 'body_markdown' | 'body_json'>>; total: number }> {
  const { tag, page, limit } = query
  return visiblePosts(ctx.db.root, site, { tag, limit, offset: (page - 1) * limit })
}

/** One post that the site may see, by its slug, with the slugs it had before. Throws `not_found`. */
export async function pullPost(
  ctx: Context,
  site: SitePrincipal,
  slug: string,
): Promise<{ post: PostRow; previousSlugs: string[] }> {
  const found = await visiblePost(ctx.db.root, site, slug)
  if (found === undefined) throw missing()
  return found
}

/** What a site reports: that it has a post, or why it could not take it. */
export type Report = {
  postId: string
  siteId: string
  status: 'delivered' | 'failed'
  errorMessage: string | null | undefined
  metadata: object | undefined
}

/**
 * Keeps a site's report (decision D8). Throws `forbidden` when it speaks for another site, `not_found` for a post that
 * the site may not see.
 */
export async function confirm(ctx: Context, site: SitePrincipal, report: Report): Promise<Date> {
  if (report.siteId.toLowerCase() !== site.siteId) throw fail('forbidden', 'This API key belongs to another site.')
  if (!isId(report.postId)) throw missing()
  const at = ctx.clock.now()
  await ctx.db.tx(async (tx) => {
    const post = await lockVisiblePost(tx, site, report.postId)
    if (post === undefined) throw missing()
    const confirmation = {
      accountId: site.accountId,
      siteId: site.siteId,
      postId: post.id,
      metadata: report.metadata,
      at,
    }
    if (report.status === 'failed') {
      await recordSiteFailure(tx, confirmation, report.errorMessage ?? 'the site reported a failure')
    } else if (!(await confirmDelivered(tx, confirmation))) {
      await recordPull(ctx, tx, post, confirmation)
    }
  })
  return at
}
