import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import type { DeliveryRecord, Sums } from '../deliveries/index.ts'
import type { HistoryEntry } from '../engine/index.ts'
import { DeliveryStatus, EventName } from '../engine/index.ts'
import { type Endpoint, endpoint, Id, IdParams, Timestamp, TimestampText } from '../platform/http/endpoint.ts'
import { edge } from '../platform/http/period-edges.ts'
import { exampleSite } from '../sites/index.ts'
import { exampleDeliveries, exampleFailures, exampleOverview, exampleRetry, exampleTimeline } from './examples.ts'
import { type Failure, failures, overview, postDeliveries, type Range, retry, timeline } from './operations.ts'

const GRANULARITIES = ['hour', 'day', 'week', 'month'] as const

const RangeQuery = z.object({
  from: edge('ISO 8601 date, or a time with an offset. Default: 30 days ago.'),
  to: edge('ISO 8601 date (to its end), or a time with an offset. Default: now.'),
  site_id: z.string().optional().openapi({ description: 'Only this site. Default: all sites of the account.' }),
})

const FailuresQuery = RangeQuery.omit({ to: true }).extend({
  from: edge('ISO 8601 date, or a time with an offset. Default: 30 days ago.'),
})

const Rate = z.number().nullable().openapi({
  description: 'Percentage of finished deliveries that succeeded, with one decimal; null if none has finished.',
})
const Milliseconds = z
  .number()
  .nullable()
  .openapi({ description: 'Mean response time of successful attempts; null if there are none.' })

const OverviewBody = z
  .object({
    period: z.object({ from: Timestamp, to: Timestamp }),
    totals: z.object({
      deliveries: z.int().openapi({ description: 'The number of finished deliveries.' }),
      successful: z.int(),
      failed: z.int(),
      retried: z.int().openapi({ description: 'Deliveries that needed more than one attempt.' }),
      success_rate: Rate,
      avg_delivery_ms: Milliseconds,
      posts_published: z.int().openapi({
        description:
          'Posts that were published for the first time, also those that were unpublished since; with `site_id`, only those that the site may see now. Deleted posts are not counted.',
      }),
    }),
    sites: z.array(
      z.object({ id: Id, name: z.string(), deliveries: z.int(), success_rate: Rate }).openapi('SiteTotals'),
    ),
  })
  .openapi('Overview')

const TimelineUnit = z
  .object({
    date: z.string().openapi({
      description: 'The start of the interval: a date, or a time if the granularity is `hour`.',
      example: '2026-11-01',
    }),
    delivered: z.int(),
    failed: z.int(),
    retried: z.int(),
    avg_ms: Milliseconds,
  })
  .openapi('TimelineUnit')

const TimelineBody = z
  .object({
    granularity: z.enum(GRANULARITIES),
    site_id: Id.nullable().openapi({ description: 'The requested site; null for all sites.' }),
    data: z.array(TimelineUnit),
  })
  .openapi('DeliveriesOverTime')

const Attempt = z
  .object({
    attempt: z.int().min(1),
    at: TimestampText,
    code: z
      .int()
      .nullable()
      .openapi({ description: 'The HTTP status that the site returned; null if it did not answer.' }),
    error: z.string().nullable().openapi({ description: 'An error code such as `timeout`; null for a success.' }),
  })
  .openapi('DeliveryAttempt')

const Delivery = z
  .object({
    id: Id.openapi({ description: 'Sent with every attempt as the header `X-Service-Delivery`.' }),
    event: EventName,
    site_id: Id,
    site_name: z.string(),
    status: DeliveryStatus,
    attempts: z.int(),
    created_at: Timestamp,
    delivered_at: Timestamp.nullable(),
    next_attempt_at: Timestamp.nullable(),
    response_code: z.int().nullable().openapi({
      description: 'The HTTP status that the site returned to the last attempt; null if it did not answer.',
    }),
    response_time_ms: z.int().nullable(),
    last_error: z.string().nullable(),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .openapi({ description: 'The `metadata` that the site sent when it confirmed.' }),
    history: z.array(Attempt).optional().openapi({ description: 'Every attempt; present once one has failed.' }),
  })
  .openapi('Delivery')

const PostDeliveriesBody = z
  .object({ post_id: Id, post_title: z.string(), deliveries: z.array(Delivery) })
  .openapi('PostDeliveries')

const FailedDelivery = z
  .object({
    post_id: Id,
    post_title: z.string(),
    site_id: Id,
    failed_at: Timestamp,
    attempts: z.int(),
    last_error: z.string().nullable(),
    last_response_code: z.int().nullable(),
    can_retry: z.boolean().openapi({
      description:
        'False if a newer version has been delivered, the post was taken off the site, or the post or the site is deleted.',
    }),
  })
  .openapi('FailedDelivery')

const FailuresBody = z.object({ failures: z.array(FailedDelivery) }).openapi('Failures')

const RetryBody = z
  .strictObject({
    site_id: z
      .string('site_id must be a string.')
      .optional()
      .openapi({ description: 'Only deliveries to this site. Default: all sites.' }),
  })
  .openapi('Retry')
const RetryReply = z
  .object({
    job_id: Id,
    status: z.literal('queued'),
    message: z.string().openapi({ description: 'Says how many deliveries are queued; it may be none.' }),
  })
  .openapi('RetryQueued')

function rate({ delivered, failed }: Sums): number | null {
  const finished = delivered + failed
  return finished === 0 ? null : Math.round((delivered / finished) * 1000) / 10
}

function meanMs({ timed, deliveredMs }: Sums): number | null {
  return timed === 0 ? null : Math.round((deliveredMs / timed) * 10) / 10
}

const presentAttempt = ({ attempt, at, code, error }: HistoryEntry) => ({ attempt, at, code, error })

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
    ...(one.history.length === 0 ? {} : { history: one.history.map(presentAttempt) }),
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
const shared = { tag: 'Analytics' } as const

/** How deliveries went (specification, section 4). */
export const analyticsRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/analytics/overview',
    auth: accountAuth('analytics:read'),
    name: 'getOverview',
    summary: 'Get the totals of a period, overall and per site',
    description:
      'Deliveries are counted in the UTC hour in which they finished. Every hour that the period touches is counted in full.',
    query: RangeQuery,
    replies: {
      200: { description: 'The totals.', schema: OverviewBody, examples: { 'A month of one site': exampleOverview } },
    },
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
    auth: accountAuth('analytics:read'),
    name: 'getDeliveriesOverTime',
    summary: 'Get deliveries over time',
    description: 'One entry for every interval of the range, zeros included, in UTC. Weeks begin on Monday.',
    query: RangeQuery.extend({
      granularity: z
        .enum(GRANULARITIES, `granularity must be one of ${GRANULARITIES.join(', ')}.`)
        .default('day')
        .openapi({ description: 'The length of an interval.' }),
    }),
    replies: {
      200: {
        description: 'One entry per interval.',
        schema: TimelineBody,
        examples: { 'Three days': exampleTimeline },
      },
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
    auth: accountAuth('posts:read'),
    name: 'getPostDeliveries',
    summary: "List a post's deliveries with their history",
    description: 'Deliveries to all sites, newest first, at most 500.',
    params: IdParams,
    replies: {
      200: {
        description: 'The deliveries.',
        schema: PostDeliveriesBody,
        examples: { 'Delivered by the second attempt': exampleDeliveries },
      },
    },
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
    auth: accountAuth('analytics:read'),
    name: 'listFailures',
    summary: 'List failed deliveries',
    description: 'Deliveries that ended as failed since `from`, newest first, at most 500.',
    query: FailuresQuery,
    replies: {
      200: {
        description: 'The failures.',
        schema: FailuresBody,
        examples: { 'The connection was refused': exampleFailures },
      },
    },
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
    auth: accountAuth('deliveries:retry'),
    name: 'retryPost',
    summary: "Retry a post's failed deliveries",
    description:
      'Each gets a fresh set of attempts. Deliveries replaced by a newer version or to deleted sites are skipped.',
    params: IdParams,
    body: RetryBody,
    bodyOptional: true,
    bodyExamples: { 'For all sites': {}, 'For one site': { site_id: exampleSite.id } },
    replies: {
      202: {
        description: 'How many deliveries are queued.',
        schema: RetryReply,
        examples: { 'One delivery': exampleRetry },
      },
    },
    errors: [],
    async handler({ ctx, principal, params, body }) {
      const count = await retry(ctx, principal.accountId, params.id, body.site_id)
      const message =
        count === 0
          ? 'There is nothing to retry.'
          : count === 1
            ? 'One delivery is queued again.'
            : `${count} deliveries are queued again.`
      return { status: 202, body: { job_id: ctx.ids.next(), status: 'queued' as const, message } }
    },
  }),
]
