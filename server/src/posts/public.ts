/** The public form of a post: what sites get of it, by webhook and by pulling (specification, section 6). */
import { z } from 'zod'
import { Id, Timestamp } from '../platform/http/endpoint.ts'
import { addedCanonical, type Original } from './canonical.ts'
import { LIST_FIELDS, pickFields, SITE_FIELDS, shownFields } from './fields.ts'
import { PostPicture } from './pictures.ts'
import type { PostRow } from './tables.ts'

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

/** The body of a post, or of a version of it, as its author gets it. */
export function presentBody(row: Pick<PostRow, 'body_html' | 'body_markdown' | 'body_json'>) {
  return { html: row.body_html, markdown: row.body_markdown, json: row.body_json }
}

/** A published post as sites are told of it. */
export const PublishedPost = z
  .object({
    id: Id,
    version: z.int().openapi({ description: 'Increases with every change.', minimum: 1 }),
    previous_slugs: z.array(z.string()).optional().openapi({
      description:
        'Earlier slugs that the post has had since it was first sent to a site, oldest first. Redirect them to the current one.',
    }),
    ...shownFields(SITE_FIELDS),
    body: BodyForms,
    media: z.array(PostPicture).optional().openapi({
      description:
        "The post's pictures that the service keeps: those in its text, and `meta.og_image`. Absent if there are none.",
    }),
    status: z.literal('published'),
    published_at: Timestamp,
  })
  .openapi('PublishedPost')
export type PublishedPost = z.output<typeof PublishedPost>

/** The columns of a post's public form. */
export const PUBLIC_COLUMNS = [
  'id',
  'version',
  ...SITE_FIELDS,
  'published_at',
  'body_html',
  'body_markdown',
  'body_site_markdown',
  'body_json',
  'media',
] as const
type PublicRow = Pick<PostRow, (typeof PUBLIC_COLUMNS)[number]>

/**
 * The post as webhooks and the Pull API show it (specification, section 6). It is published, or was until this change. `canonicalUrl`: that
 * of its original, if its author gave none.
 */
export function publicPost(
  post: PublicRow,
  previousSlugs: readonly string[],
  canonicalUrl: string | undefined,
): PublishedPost {
  if (post.published_at === null) throw new TypeError('a post that was never published has no public form')
  return {
    id: post.id,
    version: post.version,
    ...(previousSlugs.length > 0 ? { previous_slugs: [...previousSlugs] } : {}),
    ...pickFields(post, SITE_FIELDS),
    ...(canonicalUrl === undefined ? {} : { meta: { ...post.meta, canonical_url: canonicalUrl } }),
    body: { html: post.body_html, markdown: post.body_site_markdown ?? post.body_markdown, json: post.body_json },
    ...(post.media === null ? {} : { media: post.media }),
    status: 'published',
    published_at: post.published_at,
  }
}

/** The post as the Pull API shows it (decision L1). */
export const PulledPost = PublishedPost.extend({ updated_at: Timestamp }).openapi('PulledPost')

/** The row of a post that a site may see, with its document as JSON text, its former slugs and its original. */
export type VisiblePost = Omit<PublicRow, 'body_json'> & {
  body_json: string
  updated_at: Date
  previousSlugs: string[]
  original: Original | null
}

/** A post that need not be published, as the Pull API would show it if it were: with the time for which that is planned, if any. */
export function previewedPost(post: PostRow): z.output<typeof PulledPost> {
  const published_at = post.published_at ?? post.scheduled_at ?? post.updated_at
  return { ...publicPost({ ...post, published_at }, [], undefined), updated_at: post.updated_at }
}

/** A post in the lists that sites pull. */
export const PulledSummary = z
  .object({ id: Id, ...shownFields(LIST_FIELDS), published_at: Timestamp })
  .openapi('PostSummary')

/** The placeholder of the document while the rest is made into JSON. No storable text contains it. */
const PLACE = '\0'
const DOCUMENT = { type: 'doc', toJSON: () => PLACE }

/**
 * The post as the Pull API shows it to a site, as JSON text. The document is inserted as text: parsing it only to print it again would
 * take longer than everything else here.
 */
export function pulledJson(
  { body_json: document, previousSlugs, original, updated_at, ...post }: VisiblePost,
  siteId: string,
): string {
  const shown: z.output<typeof PulledPost> = {
    ...publicPost({ ...post, body_json: DOCUMENT }, previousSlugs, addedCanonical(post, original, siteId)),
    updated_at,
  }
  return JSON.stringify(shown).replace(JSON.stringify(PLACE), () => document)
}

/** The columns of a post in the lists that the Pull API shows. */
export const ENTRY_COLUMNS = ['id', ...LIST_FIELDS, 'published_at'] as const
export type PulledEntry = Pick<PostRow, (typeof ENTRY_COLUMNS)[number]>

/** The post as a list of the Pull API shows it. */
export function pulledEntry(post: PulledEntry): PulledEntry {
  return { id: post.id, ...pickFields(post, LIST_FIELDS), published_at: post.published_at }
}
