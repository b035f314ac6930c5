/** "Check again": has the pages of posts looked at now that nobody has seen there, or the page of one post. */
import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import { lookAt, postsNotSeen } from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import { fail } from '../platform/errors.ts'
import { type Endpoint, endpoint, Id, IdParams } from '../platform/http/endpoint.ts'
import { exampleSite, isSite, siteStatusOf } from '../sites/index.ts'
import { lastAccepted } from './receipts.ts'

const CheckBody = z
  .strictObject({
    post_id: Id.optional().openapi({ description: 'Only the page of this post, also if it was found to be live.' }),
  })
  .openapi('CheckPages')

const CheckResult = z
  .object({
    site_id: Id,
    posts: z.int().openapi({ description: 'Of how many posts the pages are looked at.' }),
  })
  .openapi('PagesChecked')

/** Has pages of a site looked at now; returns of how many posts. Throws `not_found`, or `conflict` if its pages are not looked at. */
async function checkPages(ctx: Context, accountId: string, givenId: string, postId: string | undefined) {
  const { siteId, verifies } = await siteStatusOf(ctx, accountId, givenId)
  const posts = await ctx.db.tx(async (tx) => {
    if (postId !== undefined && (await lastAccepted(tx, siteId, postId)) === undefined)
      throw fail('not_found', 'The site has accepted no such post.', { field: 'post_id' })
    if (!verifies)
      throw fail('conflict', 'The pages of this site are not looked at. Set verify to true first.', { field: 'verify' })
    const postIds = postId === undefined ? await postsNotSeen(tx, siteId) : [postId]
    await lookAt(ctx, tx, { accountId, siteId }, postIds)
    return postIds.length
  })
  return { siteId, posts }
}

/** The endpoint that has pages looked at again. */
export const checkPagesRoutes: readonly Endpoint[] = [
  endpoint({
    tag: 'Sites',
    method: 'post',
    path: '/api/sites/{id}/check-pages',
    auth: accountAuth('deliveries:retry', isSite),
    name: 'checkPages',
    summary: 'Look at the pages of a site again',
    description:
      'Has the pages of all posts looked at now that the site accepted and does not show (what `delivery_stats.not_live` counts), and of those of which nobody could look before. With `post_id` it is the page of one post, also of one that was found to be live. What came of it is in `live` of the deliveries moments later. The looks that follow begin anew.',
    params: IdParams,
    body: CheckBody,
    bodyOptional: true,
    bodyExamples: { 'All that are not live': {}, 'One post': { post_id: exampleSite.id } },
    replies: {
      202: {
        description: 'Of how many posts the pages are looked at.',
        schema: CheckResult,
        examples: { 'Three posts': { site_id: exampleSite.id, posts: 3 } },
      },
    },
    errors: ['conflict'],
    async handler({ ctx, principal, params, body: { post_id: postId } }) {
      const { siteId, posts } = await checkPages(ctx, principal.accountId, params.id, postId)
      return { status: 202, body: { site_id: siteId, posts } }
    },
  }),
]
