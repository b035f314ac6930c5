import { z } from 'zod'
import { type Endpoint, endpoint, Id, Timestamp } from '../platform/http/endpoint.ts'
import { replyWithContentTag } from '../platform/http/etag.ts'
import { PageQuery, pagination } from '../platform/http/pagination.ts'
import { queryText, text } from '../platform/http/text.ts'
import { presentPulled } from '../posts/index.ts'
import { siteKeyAuth } from '../sites/index.ts'
import { confirm, pullPost, pullPosts } from './operations.ts'

const PulledPosts = z
  .object({
    posts: z.array(
      z.object({
        id: Id,
        slug: z.string(),
        title: z.string(),
        excerpt: z.string(),
        published_at: Timestamp,
        tags: z.array(z.string()),
      }),
    ),
    total: z.int(),
    page: z.int(),
    limit: z.int(),
    pages: z.int(),
  })
  .openapi('PulledPosts')

const PulledPost = z
  .object({
    id: Id,
    version: z.int(),
    slug: z.string(),
    previous_slugs: z.array(z.string()).optional(),
    title: z.string(),
    excerpt: z.string(),
    body: z.object({ html: z.string(), markdown: z.string(), json: z.record(z.string(), z.unknown()) }),
    meta: z.object({
      title: z.string().optional(),
      description: z.string().optional(),
      og_image: z.string().optional(),
      canonical_url: z.string().optional(),
    }),
    tags: z.array(z.string()),
    status: z.literal('published'),
    published_at: Timestamp,
    updated_at: Timestamp,
  })
  .openapi('PulledPost')

const ConfirmBody = z
  .strictObject({
    post_id: z.string('post_id is a string.'),
    site_id: z.string('site_id is a string.'),
    status: z.enum(['delivered', 'failed'], 'The status is "delivered" or "failed".'),
    error_message: text('The error_message', { max: 1000 }).nullable().optional(),
    metadata: z
      .record(z.string(), z.unknown(), 'The metadata is an object.')
      .refine((value) => JSON.stringify(value).length <= 16_384, 'The metadata has at most 16384 characters of JSON.')
      .optional(),
  })
  .openapi('Confirm')

const Confirmed = z
  .object({ post_id: Id, site_id: Id, status: z.enum(['delivered', 'failed']), confirmed_at: Timestamp })
  .openapi('Confirmed')

const IfNoneMatch = z.object({
  'If-None-Match': z
    .string()
    .optional()
    .openapi({ description: 'The ETag you have; unchanged content is a 304 without a body.' }),
})
const NOT_MODIFIED = { description: 'Unchanged since the given ETag.', schema: null }
const ETAG = { ETag: 'Changes with the content.' }
const shared = { tag: 'Pull', auth: siteKeyAuth } as const

/** What a site reads and reports (specification, section 4: Pull API). */
export const pullRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/pull/posts',
    name: 'pullPosts',
    summary: "List the site's published posts",
    query: PageQuery.extend({ tag: queryText('The tag').optional() }),
    headers: IfNoneMatch,
    replies: { 200: { description: 'Newest first.', schema: PulledPosts, headers: ETAG }, 304: NOT_MODIFIED },
    errors: [],
    async handler({ ctx, principal, query, header }) {
      const { page, limit } = query
      const { rows, total } = await pullPosts(ctx, principal, query)
      const posts = rows.map(({ id, slug, title, excerpt, published_at, tags }) => ({
        id,
        slug,
        title,
        excerpt,
        published_at,
        tags,
      }))
      return replyWithContentTag({ posts, ...pagination(page, limit, total) }, header('if-none-match'))
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/pull/posts/{slug}',
    name: 'pullPost',
    summary: 'Get one of the posts of the site',
    params: z.object({ slug: z.string() }),
    headers: IfNoneMatch,
    replies: {
      200: { description: 'The post as webhooks carry it.', schema: PulledPost, headers: ETAG },
      304: NOT_MODIFIED,
    },
    errors: [],
    async handler({ ctx, principal, params, header }) {
      const { post, previousSlugs } = await pullPost(ctx, principal, params.slug)
      return replyWithContentTag(presentPulled(post, previousSlugs), header('if-none-match'))
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/pull/confirm',
    name: 'confirmDelivery',
    summary: 'Report what became of a post on the site',
    description:
      '"delivered" ends a pending delivery, or records one for a post that was pulled; "failed" keeps the message and leaves retries running.',
    body: ConfirmBody,
    replies: { 200: { description: 'The report is kept.', schema: Confirmed } },
    errors: ['forbidden', 'not_found'],
    async handler({ ctx, principal, body }) {
      const { post_id: postId, site_id: siteId, status, error_message: errorMessage, metadata } = body
      const at = await confirm(ctx, principal, { postId, siteId, status, errorMessage, metadata })
      return { status: 200, body: { post_id: postId, site_id: principal.siteId, status, confirmed_at: at } }
    },
  }),
]
