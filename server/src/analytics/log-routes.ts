import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import type { DeliveryDetails, LoggedDelivery } from '../deliveries/index.ts'
import { type HistoryEntry, Live, presentLive } from '../engine/index.ts'
import { type Endpoint, endpoint, Id, IdParams, NO_STORE, Timestamp, TimestampText } from '../platform/http/endpoint.ts'
import { PageQuery } from '../platform/http/pagination.ts'
import { edge } from '../platform/http/period-edges.ts'
import { exampleSite } from '../sites/index.ts'
import { exampleDetails, exampleLogged, exampleRetry } from './examples.ts'
import { logPage, oneDelivery, sendAgain, sendFailuresAgain, type Titled } from './log.ts'

const Status = z.enum(
  ['pending', 'delivered', 'delivered_retry', 'failed'],
  'The status must be "pending", "delivered", "delivered_retry" or "failed".',
)

const LogQuery = PageQuery.pick({ limit: true }).extend({
  status: Status.optional().openapi({ description: 'Only deliveries with this status.' }),
  site_id: z.string().optional().openapi({ description: 'Only deliveries to this site, which may be a deleted one.' }),
  post_id: z.string().optional().openapi({ description: 'Only deliveries of this post, which may be a deleted one.' }),
  from: edge('Only deliveries created since then: an ISO 8601 date, or a time with an offset.'),
  to: edge('Only deliveries created until then: an ISO 8601 date (to its end), or a time with an offset.'),
  can_retry: z
    .literal('true', 'can_retry must be "true" or left out.')
    .optional()
    .openapi({ description: 'Only failed deliveries that can be retried.' }),
  not_live: z
    .literal('true', 'not_live must be "true" or left out.')
    .optional()
    .openapi({ description: 'Only deliveries that sites with `verify` accepted and whose post they do not show.' }),
  cursor: z.string().optional().openapi({ description: 'The `next_cursor` of the previous page.' }),
})

const LoggedDeliveryBody = z
  .object({
    id: Id.openapi({ description: 'Sent with every attempt as the header `X-Service-Delivery`.' }),
    event: z.enum(['post.published', 'post.updated', 'post.deleted']),
    post_id: Id,
    post_title: z.string().openapi({ description: "The post's current title, or the last one of a deleted post." }),
    post_deleted: z.boolean(),
    site_id: Id,
    site_name: z.string(),
    site_deleted: z.boolean(),
    status: Status,
    attempts: z.int(),
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
    next_attempt_at: Timestamp.nullable(),
    response_code: z.int().nullable(),
    live: Live,
    response_time_ms: z.int().nullable(),
    last_error: z.string().nullable(),
    late_by_seconds: z.int().min(0).nullable().openapi({
      description:
        "How many seconds after the post's scheduled time the first attempt began, or would begin now while none was made; null if no schedule caused the delivery.",
    }),
    can_retry: z.boolean().openapi({
      description:
        'Whether a failed delivery can be retried. False if a newer version has been delivered, the post was taken off the site, or the site or the post is deleted; a failed `post.deleted` can be retried although the post is deleted.',
    }),
  })
  .openapi('LoggedDelivery')

const DeliveryPage = z
  .object({
    data: z.array(LoggedDeliveryBody),
    next_cursor: Id.nullable().openapi({ description: 'The `cursor` of the next page; null on the last one.' }),
  })
  .openapi('DeliveryPage')

const AttemptBody = z
  .object({
    attempt: z.int().min(1),
    at: TimestampText,
    code: z.int().nullable(),
    error: z.string().nullable(),
    took_ms: z.int().nullable(),
    response: z.string().nullable().openapi({
      description: "For a failed attempt, the beginning of the site's response body: at most 500 characters.",
    }),
  })
  .openapi('LoggedAttempt')

const DeliveryDetailsBody = LoggedDeliveryBody.extend({
  webhook_url: z.string(),
  metadata: z
    .record(z.string(), z.unknown())
    .optional()
    .openapi({ description: 'The `metadata` that the site sent when it confirmed.' }),
  history: z
    .array(AttemptBody)
    .openapi({ description: 'Every attempt, oldest first; empty if the first attempt succeeded.' }),
  request: z
    .object({ method: z.string(), url: z.string(), headers: z.record(z.string(), z.string()), body: z.string() })
    .nullable()
    .openapi({
      description:
        'The request that an attempt made now would send, freshly signed. Requests are not stored; those of earlier attempts had other timestamps and signatures. Null if the site is deleted.',
    }),
}).openapi('DeliveryDetails')

const RetryMany = z
  .strictObject({
    ids: z
      .array(z.string('A delivery id must be a string.'), 'ids must be an array of delivery ids.')
      .min(1, 'Give the id of at least one delivery, or leave ids out.')
      .max(100, 'Give the ids of at most 100 deliveries at once.')
      .optional()
      .openapi({ description: 'Only these deliveries. Default: all failed ones.' }),
    site_id: z
      .string('site_id must be a string.')
      .optional()
      .openapi({ description: 'Only deliveries to this site. Default: all sites.' }),
  })
  .openapi('RetryDeliveries')

const RequeuedBody = z
  .object({
    queued: z.int().openapi({ description: 'The number of deliveries that are queued again.' }),
    more: z
      .boolean()
      .openapi({ description: 'Whether there may be more deliveries to retry; if so, repeat the request.' }),
    message: z.string().openapi({ description: 'The result in a sentence.' }),
  })
  .openapi('DeliveriesRequeued')

function presentLogged(one: Titled<LoggedDelivery>) {
  return {
    id: one.id,
    event: one.event,
    post_id: one.postId,
    post_title: one.title,
    post_deleted: one.postDeleted,
    site_id: one.siteId,
    site_name: one.siteName,
    site_deleted: one.siteDeleted,
    status: one.status,
    attempts: one.attempts,
    created_at: one.createdAt,
    finished_at: one.finishedAt,
    next_attempt_at: one.nextAttemptAt,
    response_code: one.responseCode,
    live: presentLive(one),
    response_time_ms: one.responseTimeMs,
    last_error: one.lastError,
    late_by_seconds: one.lateBySeconds,
    can_retry: one.canRetry,
  }
}

function presentDetails(one: Titled<DeliveryDetails>) {
  return {
    ...presentLogged(one),
    webhook_url: one.webhookUrl,
    ...(one.metadata === null ? {} : { metadata: one.metadata }),
    history: one.history.map(presentAttempt),
    request: one.request,
  }
}

function presentAttempt({ attempt, at, code, error, took_ms: tookMs, response }: HistoryEntry) {
  return { attempt, at, code, error, took_ms: tookMs ?? null, response: response ?? null }
}

function countOf(queued: number): string {
  if (queued === 0) return 'There is nothing to retry.'
  return queued === 1 ? 'One delivery is queued again.' : `${queued} deliveries are queued again.`
}

const shared = { tag: 'Deliveries' } as const

/** The log of single deliveries; an addition to the specification. */
export const deliveryRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/deliveries',
    auth: accountAuth('posts:read'),
    name: 'listDeliveries',
    summary: 'List deliveries',
    description: 'Newest first. The cursor keeps pages stable while deliveries are added.',
    query: LogQuery,
    replies: {
      200: {
        description: 'A page of deliveries.',
        schema: DeliveryPage,
        examples: { 'The first page': { data: [exampleLogged], next_cursor: exampleLogged.id } },
      },
    },
    errors: [],
    async handler({ ctx, principal, query }) {
      const { site_id: siteId, post_id: postId, can_retry: canRetry, not_live, cursor: before, ...asked } = query
      const repeatable = canRetry === 'true'
      const notLive = not_live === 'true'
      const page = await logPage(ctx, principal.accountId, { ...asked, siteId, postId, repeatable, notLive, before })
      return { status: 200, body: { data: page.deliveries.map(presentLogged), next_cursor: page.next } }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/deliveries/{id}',
    auth: accountAuth('posts:read'),
    name: 'getDelivery',
    summary: 'Get a delivery',
    description: 'The delivery with every attempt, and the request that an attempt made now would send.',
    params: IdParams,
    replies: {
      200: {
        description: 'The delivery.',
        schema: DeliveryDetailsBody,
        examples: { 'Delivered by the second attempt': exampleDetails },
        headers: NO_STORE.documented,
      },
    },
    errors: [],
    async handler({ ctx, principal, params }) {
      const delivery = await oneDelivery(ctx, principal.accountId, params.id)
      return { status: 200, body: presentDetails(delivery), headers: NO_STORE.sent }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/deliveries/retry',
    auth: accountAuth('deliveries:retry'),
    name: 'retryDeliveries',
    summary: 'Retry failed deliveries',
    description:
      'Retries the deliveries in `ids`, or all failed ones of a site or of the account: at most 1,000, newest first. Each gets a fresh set of attempts. Deliveries that cannot be retried are skipped.',
    body: RetryMany,
    bodyExamples: { All: {}, 'To one site': { site_id: exampleSite.id }, 'By id': { ids: [exampleLogged.id] } },
    bodyOptional: true,
    replies: {
      202: {
        description: 'The number of deliveries that are queued again.',
        schema: RequeuedBody,
        examples: { 'One delivery': { queued: 1, more: false, message: exampleRetry.message } },
      },
    },
    errors: [],
    async handler({ ctx, principal, body }) {
      const asked = { ids: body.ids, siteId: body.site_id }
      const { queued, more } = await sendFailuresAgain(ctx, principal.accountId, asked)
      return {
        status: 202,
        body: { queued, more, message: countOf(queued) },
      }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/deliveries/{id}/retry',
    auth: accountAuth('deliveries:retry'),
    name: 'retryDelivery',
    summary: 'Retry a delivery',
    description:
      'A failed delivery gets a fresh set of attempts. A pending one is attempted at once, and its schedule continues from there.',
    params: IdParams,
    replies: {
      202: {
        description: 'The delivery is queued.',
        schema: z.object({ id: Id, status: z.literal('pending') }).openapi('DeliveryRequeued'),
        examples: { Queued: { id: exampleLogged.id, status: 'pending' } },
      },
    },
    errors: ['conflict'],
    async handler({ ctx, principal, params }) {
      await sendAgain(ctx, principal.accountId, params.id)
      return { status: 202, body: { id: params.id.toLowerCase(), status: 'pending' as const } }
    },
  }),
]
