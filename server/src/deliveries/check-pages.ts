/** "Check again": has the pages of posts looked at now that nobody has seen there, or the page of one post. */
import { sql } from 'kysely'
import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import { lookAt, postsNotSeen } from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import { fail } from '../platform/errors.ts'
import { type Endpoint, endpoint, Id, IdParams } from '../platform/http/endpoint.ts'
import { exampleSite, isSite, siteStatusOf } from '../sites/index.ts'

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
  const { siteId } = await siteStatusOf(ctx, accountId, givenId)
  const posts = await ctx.db.tx(async (tx) => {
    const postIds = await (postId === undefined ? postsNotSeen(tx, siteId) : acceptedPost(tx, siteId, postId))
    if (postId !== undefined && postIds.length === 0)
      throw fail('not_found', 'The site has accepted no such post.', { field: 'post_id' })
    const endpoint = await tx
      .selectFrom('endpoints')
      .select('verifies')
      .where('site_id', '=', siteId)
      .executeTakeFirst()
    if (endpoint?.verifies !== true)
      throw fail('conflict', 'The pages of this site are not looked at. Set verify to true first.', { field: 'verify' })
    await lookAt(ctx, tx, { accountId, siteId }, postIds)
    return postIds.length
  })
  return { siteId, posts }
}

/** The post, if the site has accepted it and it was not withdrawn since; else nothing. */
async function acceptedPost(tx: Tx, siteId: string, postId: string): Promise<string[]> {
  const { rows } = await sql<{ kind: string }>`
    select v.kind from deliveries d join events v on v.id = d.event_id
    where d.post_id = ${postId} and d.site_id = ${siteId}
      and (d.status in ('delivered', 'delivered_retry') or v.kind = 'post.deleted')
    order by d.sequence desc limit 1
  `.execute(tx)
  return rows.some(({ kind }) => kind !== 'post.deleted') ? [postId] : []
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
