/** "Check again": has the pages of posts looked at now that were found not to be live, or the page of one post. */
import { sql } from 'kysely'
import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import { IS_NOT_LIVE, LOOK_JOB } from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import { fail } from '../platform/errors.ts'
import { type Endpoint, endpoint, Id, IdParams } from '../platform/http/endpoint.ts'
import { enqueueJobs } from '../platform/jobs/queue.ts'
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
    const postIds = await postsToCheck(tx, siteId, postId)
    if (postId !== undefined && postIds.length === 0)
      throw fail('not_found', 'The site has accepted no such post.', { field: 'post_id' })
    const endpoint = await tx
      .selectFrom('endpoints')
      .select('verifies')
      .where('site_id', '=', siteId)
      .executeTakeFirst()
    if (endpoint?.verifies !== true)
      throw fail('conflict', 'The pages of this site are not looked at. Set verify to true first.', { field: 'verify' })
    await enqueueJobs(
      ctx,
      tx,
      LOOK_JOB,
      postIds.map((id) => ({ accountId, key: `${siteId}/${id}` })),
      0,
    )
    await ctx.signals.send(tx, 'jobs')
    return postIds.length
  })
  return { siteId, posts }
}

/** The post asked for, if the site has accepted it and it was not withdrawn since; else all that are not live. */
async function postsToCheck(tx: Tx, siteId: string, postId: string | undefined): Promise<string[]> {
  const isThere = sql<boolean>`d.post_id = ${postId} and d.status in ('delivered', 'delivered_retry') and not exists (
    select from deliveries n join events w on w.id = n.event_id
    where n.post_id = d.post_id and n.site_id = d.site_id and n.sequence >= d.sequence and w.kind = 'post.deleted'
  )`
  const { rows } = await sql<{ id: string }>`
    select distinct d.post_id as id from deliveries d join endpoints e on e.site_id = d.site_id
    where d.site_id = ${siteId} and ${postId === undefined ? IS_NOT_LIVE : isThere}
  `.execute(tx)
  return rows.map(({ id }) => id)
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
      'Has the pages of all posts looked at now that the site accepted and does not show: what `delivery_stats.not_live` counts. With `post_id` it is the page of one post, also of one that was found to be live. What came of it is in `live` of the deliveries moments later. The looks that follow begin anew.',
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
