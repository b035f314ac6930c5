import type { z } from 'zod'
import { PublishedPost } from '../deliveries/index.ts'
import { Timestamp } from '../platform/http/endpoint.ts'
import type { PostRow } from './tables.ts'

type PublicColumn = 'id' | 'version' | 'slug' | 'title' | 'excerpt' | 'meta' | 'tags' | 'published_at'
type PublicRow = Pick<PostRow, PublicColumn | 'body_html' | 'body_markdown' | 'body_site_markdown' | 'body_json'>

/** The post as webhooks and the Pull API show it (specification, section 6). It is published, or was until this change. */
export function publicPost(post: PublicRow, previousSlugs: readonly string[]): PublishedPost {
  if (post.published_at === null) throw new TypeError('a post that was never published has no public form')
  return {
    id: post.id,
    version: post.version,
    slug: post.slug,
    ...(previousSlugs.length > 0 ? { previous_slugs: [...previousSlugs] } : {}),
    title: post.title,
    excerpt: post.excerpt,
    body: { html: post.body_html, markdown: post.body_site_markdown ?? post.body_markdown, json: post.body_json },
    meta: post.meta,
    tags: post.tags,
    status: 'published',
    published_at: post.published_at,
  }
}

/** The post as the Pull API shows it (decision L1). */
export const PulledPost = PublishedPost.extend({ updated_at: Timestamp }).openapi('PulledPost')

/** The row of a post that a site may see, with its document as JSON text and its former slugs. */
export type VisiblePost = Omit<PublicRow, 'body_json'> & {
  body_json: string
  updated_at: Date
  previousSlugs: string[]
}

/** The placeholder of the document while the rest is made into JSON. No storable text contains it. */
const PLACE = '\0'
const DOCUMENT = { type: 'doc', toJSON: () => PLACE }

/**
 * The post as the Pull API shows it, as JSON text. The document is inserted as text: parsing it only to print it again would
 * take longer than everything else here.
 */
export function pulledJson({ body_json: document, previousSlugs, updated_at, ...post }: VisiblePost): string {
  const shown: z.output<typeof PulledPost> = {
    ...publicPost({ ...post, body_json: DOCUMENT }, previousSlugs),
    updated_at,
  }
  return JSON.stringify(shown).replace(JSON.stringify(PLACE), () => document)
}
