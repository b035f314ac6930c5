import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import type { DeliveryRecord, Sums } from '../deliveries/index.ts'
import { type Endpoint, endpoint, Id, IdParams, Timestamp } from '../platform/http/endpoint.ts'
import { type Failure, failures, overview, postDeliveries, type Range, retry, timeline } from './operations.ts'

const GRANULARITIES = ['hour', 'day', 'week', 'month'] as const
const edge = (text: string) => z.string().optional().openapi({ description: text, example: '2026-11-01' })

const RangeQuery = z.object({
  from: edge('ISO 8601 date, or a time with its offset. Default: 30 days before `to`.'),
  to: edge('ISO 8601 date (to its end), or a time with its offset. Default: now.'),
  site_id: z.string().optional(),
})

const Rate = z
  .number()
  .nullable()
  .openapi({ description: 'Percent of finished deliveries, one decimal; null when none has finished.' })
const Milliseconds = z
  .number()
  .nullable()
  .openapi({ description: 'Mean response time of successful attempts; null when there are none.' })
const Status = z.enum(['pending', 'delivered', 'delivered_retry', 'failed'])

const OverviewBody = z
  .object({
    period: z.object({ from: Timestamp, to: Timestamp }),
    totals: z.object({
      deliveries: z.int().openapi({ description: 'Finished deliveries.' }),
      successful: z.int(),
      failed: z.int(),
      retried: z.int().openapi({ description: 'Those that needed more than one attempt.' }),
      success_rate: Rate,
      avg_delivery_ms: Milliseconds,
      posts_published: z.int(),
    }),
    sites: z.array(z.object({ id: Id, name: z.string(), deliveries: z.int(), success_rate: Rate })),
  })
  .openapi('Overview')

const TimelineBody = z
  .object({
    granularity: z.enum(GRANULARITIES),
    site_id: Id.nullable(),
    data: z.array(
      z.object({
        date: z
          .string()
          .openapi({ description: 'The beginning of the unit: a date, for hours a time.', example: '2026-11-01' }),
        delivered: z.int(),
        failed: z.int(),
        retried: z.int(),
        avg_ms: Milliseconds,
      }),
    ),
  })
  .openapi('DeliveriesOverTime')

const Attempt = z.object({ attempt: z.int(), at: Timestamp, code: z.int().nullable(), error: z.string().nullable() })

const PostDeliveriesBody = z
  .object({
    post_id: Id,
    post_title: z.string(),
    deliveries: z.array(
      z.object({
        id: Id.openapi({ description: 'The X-Service-Delivery of its requests.' }),
        event: z.enum(['post.published', 'post.updated', 'post.deleted']),
        site_id: Id,
        site_name: z.string(),
        status: Status,
        attempts: z.int(),
        created_at: Timestamp,
        delivered_at: Timestamp.nullable(),
        next_attempt_at: Timestamp.nullable(),
        response_code: z.int().nullable(),
        response_time_ms: z.int().nullable(),
        last_error: z.string().nullable(),
        metadata: z.unknown().optional().openapi({ description: 'What the site said when it confirmed.' }),
        history: z.array(Attempt).optional().openapi({ description: 'Every attempt, once there was a failed one.' }),
      }),
    ),
  })
  .openapi('PostDeliveries')

const FailuresBody = z
  .object({
    failures: z.array(
      z.object({
        post_id: Id,
        post_title: z.string(),
        site_id: Id,
        failed_at: Timestamp,
        attempts: z.int(),
        last_error: z.string().nullable(),
        last_response_code: z.int().nullable(),
        can_retry: z
          .boolean()
          .openapi({ description: 'False when a newer version has arrived, or the post or the site is deleted.' }),
      }),
    ),
  })
  .openapi('Failures')

const RetryBody = z.strictObject({ site_id: z.string('site_id is a string.').optional() }).openapi('Retry')
const RetryReply = z.object({ job_id: Id, status: z.literal('queued'), message: z.string() }).openapi('RetryQueued')

function rate({ delivered, failed }: Sums): number | null {
  const finished = delivered + failed
  return finished === 0 ? null : Math.round((delivered / finished) * 1000) / 10
}

function meanMs({ timed, deliveredMs }: Sums): number | null {
  return timed === 0 ? null : Math.round((deliveredMs / timed) * 10) / 10
}

function presentDelivery(one: DeliveryRecord) {
  return {
    id: one.id,
    event: one.event,
    site_id: one.siteId,
    site_name: one.siteName,
    status: one.status,
    attempts: one.attempts,
    created_at: one.createdAt,
    delivered_at: one.status === 'delivered' || one.status === 'delivered_retry' ? one.finishedAt : null,
    next_attempt_at: one.nextAttemptAt,
    response_code: one.responseCode,
    response_time_ms: one.responseTimeMs,
    last_error: one.lastError,
    ...(one.metadata === null ? {} : { metadata: one.metadata }),
    ...(one.history.length === 0 ? {} : { history: one.history }),
  }
}

function presentFailure(one: Failure) {
  return {
    post_id: one.postId,
    post_title: one.title,
    site_id: one.siteId,
    failed_at: one.failedAt,
    attempts: one.attempts,
    last_error: one.lastError,
    last_response_code: one.responseCode,
    can_retry: one.canRetry,
  }
}

const rangeOf = ({ from, to, site_id: siteId }: z.output<typeof RangeQuery>): Range => ({ from, to, siteId })
const shared = { tag: 'Analytics', auth: accountAuth } as const

/** How deliveries went (specification, section 4). */
export const analyticsRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/analytics/overview',
    name: 'getOverview',
    summary: 'Totals of a period, in all and per site',
    description: 'Counted by the hour in which a delivery finished, in UTC.',
    query: RangeQuery,
    replies: { 200: { description: 'The totals.', schema: OverviewBody } },
    errors: [],
    async handler({ ctx, principal, query }) {
      const { period, totals, postsPublished, sites } = await overview(ctx, principal.accountId, rangeOf(query))
      const body = {
        period,
        totals: {
          deliveries: totals.delivered + totals.failed,
          successful: totals.delivered,
          failed: totals.failed,
          retried: totals.retried,
          success_rate: rate(totals),
          avg_delivery_ms: meanMs(totals),
          posts_published: postsPublished,
        },
        sites: sites.map((site) => ({
          id: site.siteId,
          name: site.siteName,
          deliveries: site.delivered + site.failed,
          success_rate: rate(site),
        })),
      }
      return { status: 200, body }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/analytics/deliveries',
    name: 'getDeliveriesOverTime',
    summary: 'Deliveries over time',
    query: RangeQuery.extend({
      granularity: z.enum(GRANULARITIES, `granularity is one of ${GRANULARITIES.join(', ')}.`).default('day'),
    }),
    replies: {
      200: { description: 'Every unit of the range, zeros included. Weeks begin on Monday.', schema: TimelineBody },
    },
    errors: [],
    async handler({ ctx, principal, query }) {
      const { granularity } = query
      const units = await timeline(ctx, principal.accountId, rangeOf(query), granularity)
      const data = units.map((unit) => ({
        date: unit.date,
        delivered: unit.delivered,
        failed: unit.failed,
        retried: unit.retried,
        avg_ms: meanMs(unit),
      }))
      return { status: 200, body: { granularity, site_id: query.site_id ?? null, data } }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/analytics/posts/{id}/deliveries',
    name: 'getPostDeliveries',
    summary: "A post's deliveries with their history",
    params: IdParams,
    replies: { 200: { description: 'Newest first, 500 at most.', schema: PostDeliveriesBody } },
    errors: [],
    async handler({ ctx, principal, params }) {
      const { title, deliveries } = await postDeliveries(ctx, principal.accountId, params.id)
      return {
        status: 200,
        body: { post_id: params.id.toLowerCase(), post_title: title, deliveries: deliveries.map(presentDelivery) },
      }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/analytics/failures',
    name: 'listFailures',
    summary: 'Failed deliveries',
    query: RangeQuery.omit({ to: true }),
    replies: { 200: { description: 'Newest first, 500 at most.', schema: FailuresBody } },
    errors: [],
    async handler({ ctx, principal, query }) {
      const found = await failures(ctx, principal.accountId, { from: query.from, siteId: query.site_id })
      return { status: 200, body: { failures: found.map(presentFailure) } }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/analytics/posts/{id}/retry',
    name: 'retryPost',
    summary: "Send a post's failed deliveries again",
    description: 'Each gets a fresh set of four attempts. Superseded ones and those of deleted sites are left alone.',
    params: IdParams,
    body: RetryBody,
    bodyOptional: true,
    replies: { 202: { description: 'What was queued.', schema: RetryReply } },
    errors: [],
    async handler({ ctx, principal, params, body }) {
      const count = await retry(ctx, principal.accountId, params.id, body.site_id)
      const message =
        count === 0
          ? 'There is nothing to retry.'
          : count === 1
            ? 'One delivery is queued again.'
            : `${count} deliveries are queued again.`
      return { status: 202, body: { job_id: ctx.ids.next(), status: 'queued', message } }
    },
  }),
]
