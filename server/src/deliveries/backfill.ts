/** "Backfill": sends a site the posts that it may show and was never delivered. */
import { sql } from 'kysely'
import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import type { Context } from '../platform/context.ts'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db } from '../platform/db/database.ts'
import { fail } from '../platform/errors.ts'
import { type Endpoint, endpoint, Id, IdParams } from '../platform/http/endpoint.ts'
import { instant } from '../platform/http/instant.ts'
import { text } from '../platform/http/text.ts'
import { type Chosen, enqueueSending, visibleAndSent } from '../posts/index.ts'
import { exampleSite, isSite, siteStatusOf } from '../sites/index.ts'

const BackfillBody = z
  .strictObject({
    since: instant('since').optional().openapi({ description: 'Only posts published since then.' }),
    tag: text('The tag', { min: 1, max: 64 })
      .optional()
      .openapi({ description: 'Only posts with this tag.', example: 'bread' }),
    dry_run: z
      .boolean('dry_run must be true or false.')
      .optional()
      .openapi({ description: 'Only count; send nothing.' }),
  })
  .openapi('Backfill')

const BackfillResult = z
  .object({
    site_id: Id,
    dry_run: z.boolean(),
    posts: z.int().openapi({ description: 'How many posts were never delivered: these are sent, oldest first.' }),
    pending: z.int().openapi({ description: 'How many were on their way already: these are not sent again.' }),
  })
  .openapi('BackfillResult')

/** What a site lacks of its posts: those to send, oldest first, and how many are on their way. */
type Lacking = { ids: string[]; pending: number }

async function lacking(db: Db, site: { accountId: string; siteId: string }, chosen: Chosen): Promise<Lacking> {
  const visible = await visibleAndSent(db, site, chosen)
  const sent = visible.filter(({ wasSent }) => wasSent).map(({ id }) => id)
  const statuses = await newestStatuses(db, site.siteId, sent)
  // What was sent and of which nothing is known any more was delivered: its history has been removed.
  const ids = visible.filter(({ id, wasSent }) => !wasSent || statuses.get(id) === 'failed').map(({ id }) => id)
  return { ids, pending: [...statuses.values()].filter((status) => status === 'pending').length }
}

/** The status of the newest delivery of each of these posts to a site. */
async function newestStatuses(db: Db, siteId: string, postIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; status: string }>`
    select p.id, d.status from unnest(${plainArray(postIds)}::uuid[]) as p (id) cross join lateral (
      select status from deliveries where post_id = p.id and site_id = ${siteId} order by sequence desc limit 1
    ) d
  `.execute(db)
  return new Map(rows.map(({ id, status }) => [id, status]))
}

/** Has what a site lacks sent to it, in the background; with `dryRun` it only counts. Throws `not_found`, or `conflict` if the site is paused. */
async function backfill(
  ctx: Context,
  accountId: string,
  givenId: string,
  { dryRun, ...chosen }: Chosen & { dryRun: boolean },
): Promise<{ siteId: string } & Lacking> {
  const { siteId, status } = await siteStatusOf(ctx, accountId, givenId)
  const site = { accountId, siteId }
  if (!dryRun && status === 'inactive')
    throw fail('conflict', 'This site is paused. Set it to active first.', { field: 'status' })
  const found = await lacking(ctx.db.root, site, chosen)
  if (!dryRun && found.ids.length > 0) await ctx.db.tx((tx) => enqueueSending(ctx, tx, site, found.ids))
  return { siteId, ...found }
}

/** The endpoint that sends earlier posts. */
export const backfillRoutes: readonly Endpoint[] = [
  endpoint({
    tag: 'Sites',
    method: 'post',
    path: '/api/sites/{id}/backfill',
    auth: accountAuth('deliveries:retry', isSite),
    name: 'backfillSite',
    summary: 'Send earlier posts to a site',
    description:
      'Sends every published post that the site may show and that was never delivered to it: those from before the site was connected, and those whose delivery failed. They are queued in the background, oldest first.',
    params: IdParams,
    body: BackfillBody,
    bodyExamples: { 'Count first': { dry_run: true }, 'Posts of this year': { since: '2026-01-01T00:00:00Z' } },
    replies: {
      202: {
        description: 'How many posts are sent, or would be.',
        schema: BackfillResult,
        examples: { 'Twelve posts': { site_id: exampleSite.id, dry_run: false, posts: 12, pending: 0 } },
      },
    },
    errors: ['conflict'],
    async handler({ ctx, principal, params, body: { since, tag, dry_run: dryRun = false } }) {
      const { siteId, ids, pending } = await backfill(ctx, principal.accountId, params.id, { since, tag, dryRun })
      return { status: 202, body: { site_id: siteId, dry_run: dryRun, posts: ids.length, pending } }
    },
  }),
]
