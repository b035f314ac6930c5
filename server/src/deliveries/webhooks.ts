/** The webhooks as the API's document shows them. Their examples are built and signed as deliveries are. */
import { z } from 'zod'
import { signedHeaders, signingKey, testBody, webhookBody } from '../destinations/index.ts'
import type { EventKind } from '../engine/index.ts'
import { Id, Timestamp } from '../platform/http/endpoint.ts'
import type { Webhook } from '../platform/http/webhook.ts'
import { examplePost, PublishedPost } from '../posts/index.ts'
import { exampleSecret, exampleSite } from '../sites/index.ts'
import { exampleDeliveryId } from './examples.ts'

const SiteRef = z.object({ id: Id, name: z.string() }).openapi('SiteRef')

/** The body of each event. */
const eventBodies = {
  'post.published': z
    .object({
      event: z.literal('post.published'),
      post: PublishedPost,
      site: SiteRef,
      delivered_at: Timestamp.openapi({ description: 'When this attempt was made.' }),
    })
    .openapi('PostPublishedEvent'),
  'post.updated': z
    .object({
      event: z.literal('post.updated'),
      post: PublishedPost,
      previous_version: z.int().openapi({ description: 'The version that was sent before this one.', minimum: 1 }),
      site: SiteRef,
    })
    .openapi('PostUpdatedEvent'),
  'post.deleted': z
    .object({
      event: z.literal('post.deleted'),
      post: z.object({ id: Id, slug: z.string() }),
      site: z.object({ id: Id }),
      deleted_at: Timestamp.openapi({ description: 'When the post was deleted or taken off the sites.' }),
    })
    .openapi('PostDeletedEvent'),
  'site.test': z
    .object({ event: z.literal('site.test'), test: z.literal(true), post: PublishedPost, site: SiteRef })
    .openapi('SiteTestEvent'),
}

type SignedHeader = Exclude<keyof ReturnType<typeof signedHeaders>, 'content-type'>

const HEADERS: Record<SignedHeader, { name: string; description: string }> = {
  'x-service-event': { name: 'X-Service-Event', description: 'The event type, as in the body.' },
  'x-service-delivery': {
    name: 'X-Service-Delivery',
    description:
      'The id of the delivery, the same in every attempt. A receiver that has seen it already has the event.',
  },
  'x-service-timestamp': {
    name: 'X-Service-Timestamp',
    description: 'When this attempt was made, in Unix seconds. Not covered by X-Service-Signature.',
  },
  'x-service-signature': {
    name: 'X-Service-Signature',
    description:
      '`sha256=` and the HMAC-SHA256 of the raw body in hexadecimal. The key is the whole `webhook_secret`, including its prefix.',
  },
  'x-service-version': { name: 'X-Service-Version', description: 'The version of the webhook format, a date.' },
  'webhook-id': { name: 'webhook-id', description: 'Standard Webhooks: the id of the delivery.' },
  'webhook-timestamp': {
    name: 'webhook-timestamp',
    description: 'Standard Webhooks: when this attempt was made, in Unix seconds.',
  },
  'webhook-signature': {
    name: 'webhook-signature',
    description:
      'Standard Webhooks: `v1,` and the HMAC-SHA256 of `webhook-id.webhook-timestamp.body` in base64. The key is the part of the `webhook_secret` after its prefix, decoded from base64.',
  },
}

const ANSWERS = {
  200: 'Received. Answer 200 once the event is stored; do slow work afterwards.',
  default:
    'Any other answer is a failure, and so is a redirect or no answer within 15 seconds. Failed attempts are repeated 30 seconds, 5 minutes and 30 minutes after the previous one. An operator may have set other times.',
}

const AT = examplePost.published_at
const { id, slug } = examplePost

function bodyOf(kind: EventKind, post: object): Buffer {
  const previousVersion = kind === 'post.updated' ? 1 : null
  const payload = Buffer.from(JSON.stringify(post))
  return webhookBody({ kind, payload, previousVersion, occurredAt: AT }, { site: exampleSite, at: AT })
}

function webhook(
  event: keyof typeof eventBodies,
  body: Buffer,
  about: Pick<Webhook, 'operationId' | 'summary' | 'description'>,
  answers: Record<string, string> = ANSWERS,
): Webhook {
  const signed = signedHeaders({ key: signingKey(exampleSecret), event, deliveryId: exampleDeliveryId, body, at: AT })
  const headers = Object.entries(HEADERS).map(([key, { name, description }]) => [
    name,
    z.string().openapi({ description, example: signed[key as SignedHeader] }), // the keys of HEADERS are just these
  ])
  return {
    ...about,
    name: event,
    tag: 'Webhooks',
    headers: z.object(Object.fromEntries(headers)),
    body: eventBodies[event],
    example: JSON.parse(body.toString()),
    answers,
  }
}

/** What sites are sent (specification, section 6). */
export const webhooks: readonly Webhook[] = [
  webhook('post.published', bodyOf('post.published', examplePost), {
    operationId: 'onPostPublished',
    summary: 'post.published',
    description: 'A post is published that the site has not been sent before. Store it under its `id`.',
  }),
  webhook('post.updated', bodyOf('post.updated', { ...examplePost, version: 2 }), {
    operationId: 'onPostUpdated',
    summary: 'post.updated',
    description:
      'A published post has changed or is published again. The event carries the whole post: replace your copy, and redirect its `previous_slugs`, if any. Once a version has been received, no older one is sent.',
  }),
  webhook('post.deleted', bodyOf('post.deleted', { id, slug }), {
    operationId: 'onPostDeleted',
    summary: 'post.deleted',
    description: "A post is deleted or no longer published. Remove your copy. `slug` is the post's last slug.",
  }),
  webhook(
    'site.test',
    testBody(examplePost, exampleSite),
    {
      operationId: 'onSiteTest',
      summary: 'site.test',
      description: 'Sent by `POST /api/sites/{id}/test-delivery` to test the connection. Do not store the sample post.',
    },
    { 200: 'Received.', default: 'Any other answer is shown as a failure. It is not retried.' },
  ),
]
