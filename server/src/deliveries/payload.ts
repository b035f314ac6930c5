/**
 * Webhook bodies (specification, section 6): their schemas and how they are built. What is sent is typed by the schemas
 * in the API's document, so a field that is missing in either does not compile.
 */
import { z } from 'zod'
import { DELIVERY_STATUSES, EVENT_KINDS, type EventKind } from '../engine/index.ts'
import { Id, Timestamp } from '../platform/http/endpoint.ts'

/** The name of an event on the wire. */
export const EventName = z.enum(EVENT_KINDS)

/** The state of a delivery on the wire. */
export const DeliveryStatus = z.enum(DELIVERY_STATUSES).openapi('DeliveryStatus', {
  description: '`delivered_retry`: delivered, but not by the first attempt.',
})

/** A node of a document, and the document itself. Checked where bodies are converted, not by this schema. */
export const RichText = z.record(z.string(), z.unknown()).openapi('RichText', {
  description:
    'A node of a rich-text document in the format of Tiptap 3 and ProseMirror. The document itself is a node of type `doc`.',
  type: 'object',
  properties: {
    type: { type: 'string' },
    attrs: { type: 'object', additionalProperties: true },
    content: { type: 'array', items: { $ref: '#/components/schemas/RichText' } },
    marks: {
      type: 'array',
      items: {
        type: 'object',
        properties: { type: { type: 'string' }, attrs: { type: 'object', additionalProperties: true } },
        required: ['type'],
        additionalProperties: false,
      },
    },
    text: { type: 'string' },
  },
  required: ['type'],
  additionalProperties: false,
})

/** The three forms of a post's body. */
export const BodyForms = z
  .object({
    html: z.string().openapi({ description: 'Sanitised HTML: the one field that a page may insert as it is.' }),
    markdown: z.string().openapi({
      description:
        "CommonMark with GitHub's tables, task lists, footnotes and strikethrough. The author gets it as it was given; what sites get has in it no HTML that was not sanitised, and no address that the HTML may not have.",
    }),
    json: RichText,
  })
  .openapi('BodyForms', { description: 'The same text in three forms. `json` is the canonical one.' })

/** A post's metadata for search engines and social networks. */
export const Meta = z
  .object({
    title: z.string().optional(),
    description: z.string().optional(),
    og_image: z.string().optional().openapi({ format: 'uri' }),
    canonical_url: z.string().optional().openapi({ format: 'uri' }),
  })
  .openapi('PostMeta', {
    description: 'Metadata for search engines and social networks. Fields that are not set are absent.',
  })

/** A published post as sites are told of it. */
export const PublishedPost = z
  .object({
    id: Id,
    version: z.int().openapi({ description: 'Increases with every change.', minimum: 1 }),
    slug: z.string(),
    previous_slugs: z.array(z.string()).optional().openapi({
      description:
        'Earlier slugs that the post has had since it was first sent to a site, oldest first. Redirect them to the current one.',
    }),
    title: z.string().openapi({ description: 'Plain text: escape it before it goes into HTML.' }),
    excerpt: z.string().openapi({ description: 'Plain text, as the title.' }),
    body: BodyForms,
    meta: Meta,
    tags: z.array(z.string()).openapi({ description: 'Plain text, as the title.' }),
    status: z.literal('published'),
    published_at: Timestamp,
  })
  .openapi('PublishedPost')
export type PublishedPost = z.output<typeof PublishedPost>

const SiteRef = z.object({ id: Id, name: z.string() }).openapi('SiteRef')

/** The body of each event. */
export const eventBodies = {
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

type Bodies = { [Kind in keyof typeof eventBodies]: z.output<(typeof eventBodies)[Kind]> }

/** A post as an event carries it: all of it, or of a removed one what is needed to find it. */
export type EventPost = Bodies[EventKind]['post']

/** What a body is made of. `post` is an `EventPost` as JSON text in UTF-8, the same bytes for every site. */
export type PayloadParts = {
  kind: EventKind
  post: Uint8Array
  previousVersion: number | null
  occurredAt: Date
  site: { id: string; name: string }
  /** When this attempt was made. */
  at: Date
}

/** The JSON body of one attempt: the bytes that are signed and sent. */
export function webhookBody({ kind, post, previousVersion, occurredAt, site, at }: PayloadParts): Buffer {
  switch (kind) {
    case 'post.published':
      return bodyAround(kind, post, { site, delivered_at: at })
    case 'post.updated':
      if (previousVersion === null) throw new TypeError('an update without the version before it')
      return bodyAround(kind, post, { previous_version: previousVersion, site })
    case 'post.deleted':
      return bodyAround(kind, post, { site: { id: site.id }, deleted_at: occurredAt })
  }
}

/** The JSON body of a test delivery. */
export function testBody(post: PublishedPost, site: { id: string; name: string }): Buffer {
  return bodyAround('site.test', Buffer.from(JSON.stringify(post)), { test: true, site })
}

/**
 * The post's JSON goes in unparsed: it may have megabytes, and parsing would gain nothing. The body gets memory of its own: a slice
 * of Node's shared pool would retain all 64 KiB of it for as long as a site takes to answer.
 */
function bodyAround<Kind extends keyof Bodies>(
  kind: Kind,
  post: Uint8Array,
  rest: Omit<Bodies[Kind], 'event' | 'post'>,
): Buffer {
  const before = `{"event":"${kind}","post":`
  const after = `,${JSON.stringify(rest).slice(1)}`
  const postEnd = before.length + post.length
  const body = Buffer.allocUnsafeSlow(postEnd + Buffer.byteLength(after))
  body.write(before, 'latin1')
  body.set(post, before.length)
  body.write(after, postEnd)
  return body
}
