/** The events of streams: each kind on the wire, and how it is made. */
import { z } from 'zod'
import { type DeliveryState, DeliveryStatus, EventName } from '../deliveries/index.ts'
import { type JobRow, JobState, presentJobState } from '../generation/index.ts'
import { Id, Timestamp } from '../platform/http/endpoint.ts'
import { type PostState, PostStatus } from '../posts/index.ts'
import { presentSite, type Site, SiteBody } from '../sites/index.ts'

const PostStateBody = z
  .object({
    id: Id,
    version: z.int(),
    slug: z.string(),
    title: z.string(),
    status: PostStatus,
    scheduled_at: Timestamp.nullable(),
    published_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .openapi('PostState')

const DeliveryStateBody = z
  .object({
    id: Id.openapi({ description: 'Sent with every attempt as the header `X-Service-Delivery`.' }),
    post_id: Id,
    site_id: Id,
    event: EventName,
    status: DeliveryStatus,
    attempts: z.int(),
    created_at: Timestamp,
    delivered_at: Timestamp.nullable(),
    next_attempt_at: Timestamp.nullable(),
    response_code: z.int().nullable(),
    response_time_ms: z.int().nullable(),
    last_error: z.string().nullable(),
  })
  .openapi('DeliveryState')

const Gone = z.object({ id: Id })
const Nothing = z.object({})
const eventOf = <Name extends string, Data extends z.ZodType>(event: Name, data: Data) =>
  z.object({ event: z.literal(event), data })

/** One event: its `event`, and its `data`, parsed. */
export const LiveEvent = z
  .discriminatedUnion('event', [
    eventOf('ready', Nothing),
    eventOf('resync', Nothing),
    eventOf('post.changed', PostStateBody),
    eventOf('post.deleted', Gone),
    eventOf('delivery.changed', DeliveryStateBody),
    eventOf('job.changed', JobState),
    eventOf('job.deleted', Gone),
    eventOf('site.changed', SiteBody),
    eventOf('site.deleted', Gone),
  ])
  .openapi('LiveEvent')
export type LiveEvent = z.output<typeof LiveEvent>

/** The event that shows a post. */
export function postChanged(post: PostState): LiveEvent {
  return { event: 'post.changed', data: post }
}

/** The event that shows a job that writes a draft. */
export function jobChanged(job: JobRow): LiveEvent {
  return { event: 'job.changed', data: presentJobState(job) }
}

/** The event that shows a site. */
export function siteChanged(site: Site): LiveEvent {
  return { event: 'site.changed', data: presentSite(site) }
}

/** The event that shows a delivery. */
export function deliveryChanged(delivery: DeliveryState): LiveEvent {
  return {
    event: 'delivery.changed',
    data: {
      id: delivery.id,
      post_id: delivery.postId,
      site_id: delivery.siteId,
      event: delivery.event,
      status: delivery.status,
      attempts: delivery.attempts,
      created_at: delivery.createdAt,
      delivered_at: delivery.deliveredAt,
      next_attempt_at: delivery.nextAttemptAt,
      response_code: delivery.responseCode,
      response_time_ms: delivery.responseTimeMs,
      last_error: delivery.lastError,
    },
  }
}
