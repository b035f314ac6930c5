/** Sends a site again what it lacks: what failed, and what was published while it was paused. */
import { sql } from 'kysely'
import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import { isUnrepaired, skippedPosts } from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import { fail } from '../platform/errors.ts'
import { type Endpoint, endpoint, Id, IdParams } from '../platform/http/endpoint.ts'
import { instant } from '../platform/http/instant.ts'
import { enqueueSending } from '../posts/index.ts'
import { exampleSite, isSite, siteStatusOf } from '../sites/index.ts'
import { MOST_REQUEUED, requeueFailed } from './requeue.ts'

const RetryBody = z
  .strictObject({
    since: instant('since')
      .optional()
      .openapi({ description: 'Only what was first queued since then; posts that were skipped are left out.' }),
  })
  .openapi('RetrySite')

const RetryResult = z
  .object({
    site_id: Id,
    queued: z.int().openapi({ description: 'How many failed deliveries are queued again, of each post the newest.' }),
    skipped: z.int().openapi({ description: 'How many posts are sent that were published while the site was paused.' }),
  })
  .openapi('SiteRetried')

/** Queues a site's failures again, oldest first, and without `since` sends it what it was not sent. Throws `not_found`, or `conflict` if it is paused. */
async function sendMissing(ctx: Context, accountId: string, givenId: string, since: Date | undefined) {
  const { siteId, status } = await siteStatusOf(ctx, accountId, givenId)
  if (status === 'inactive') throw fail('conflict', 'This site is paused. Set it to active first.', { field: 'status' })
  let queued = 0
  for (let after: string | undefined; ; ) {
    const ids = await ctx.db.tx(async (tx) => {
      const found = await failures(tx, siteId, { since, after })
      queued += await requeueFailed(ctx, tx, accountId, { ids: found })
      return found
    })
    if (ids.length < MOST_REQUEUED) break
    after = ids.at(-1)
  }
  const skipped = since === undefined ? await ctx.db.tx((tx) => sendSkipped(ctx, tx, { accountId, siteId })) : 0
  return { siteId, queued, skipped }
}

/** Failures that can be sent again, oldest first, a batch at a time. */
async function failures(
  tx: Tx,
  siteId: string,
  { since, after }: { since: Date | undefined; after: string | undefined },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select d.id from deliveries d
    where ${isUnrepaired(sql`${siteId}::uuid`)}
      and (${since ?? null}::timestamptz is null or d.created_at >= ${since ?? null}::timestamptz)
      and (${after ?? null}::uuid is null or d.id > ${after ?? null}::uuid)
    order by d.id limit ${MOST_REQUEUED}
  `.execute(tx)
  return rows.map(({ id }) => id)
}

async function sendSkipped(ctx: Context, tx: Tx, site: { accountId: string; siteId: string }): Promise<number> {
  const ids = await skippedPosts(tx, site.siteId)
  await enqueueSending(ctx, tx, site, ids, 'skipped')
  return ids.length
}

/** The endpoint that sends a site again what it lacks. */
export const resendRoutes: readonly Endpoint[] = [
  endpoint({
    tag: 'Sites',
    method: 'post',
    path: '/api/sites/{id}/retry',
    auth: accountAuth('deliveries:retry', isSite),
    name: 'retrySite',
    summary: 'Send a site again what it lacks',
    description:
      'Queues every failed delivery to the site again that nothing newer has followed, the oldest first, each with a fresh set of attempts, and sends the posts that were published while the site was paused: what `delivery_stats.missing` counts. Failed removals are sent again too.',
    params: IdParams,
    body: RetryBody,
    bodyOptional: true,
    bodyExamples: { Everything: {}, 'Of this month': { since: '2026-11-01T00:00:00Z' } },
    replies: {
      202: {
        description: 'How much is sent.',
        schema: RetryResult,
        examples: { 'Three deliveries': { site_id: exampleSite.id, queued: 3, skipped: 0 } },
      },
    },
    errors: ['conflict'],
    async handler({ ctx, principal, params, body: { since } }) {
      const { siteId, queued, skipped } = await sendMissing(ctx, principal.accountId, params.id, since)
      return { status: 202, body: { site_id: siteId, queued, skipped } }
    },
  }),
]
