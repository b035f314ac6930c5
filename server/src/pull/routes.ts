import { z } from 'zod'
import { type Endpoint, endpoint, Id, Timestamp } from '../platform/http/endpoint.ts'
import { replyUnlessKnown } from '../platform/http/etag.ts'
import { PageQuery } from '../platform/http/pagination.ts'
import { queryText, text, textError } from '../platform/http/text.ts'
import { examplePost, PulledPost, PulledSummary } from '../posts/index.ts'
import { exampleSite } from '../sites/index.ts'
import { pullPage, pullPost } from './answers.ts'
import { siteKeyAuth } from './gate.ts'
import { confirm, missing } from './operations.ts'

const PulledPosts = z
  .object({ posts: z.array(PulledSummary), total: z.int(), page: z.int(), limit: z.int(), pages: z.int() })
  .openapi('PulledPosts')

const ReportedStatus = z.enum(['delivered', 'failed'], 'The status must be "delivered" or "failed".')

const ConfirmBody = z
  .strictObject({
    post_id: z.string(textError('post_id')),
    site_id: z.string(textError('site_id')).openapi({ description: "The id of the key's own site." }),
    status: ReportedStatus,
    error_message: text('error_message', { max: 1000 })
      .nullable()
      .optional()
      .openapi({ description: 'Why the site could not take the post.' }),
    metadata: z
      .record(z.string(), z.unknown(), 'The metadata must be an object.')
      .refine(
        (value) => JSON.stringify(value).length <= 16_384,
        'The metadata must have at most 16384 characters as JSON.',
      )
      .optional()
      .openapi({ description: 'Stored with the delivery. At most 16,384 characters as JSON.' }),
  })
  .openapi('Confirm')

const Confirmed = z
  .object({ post_id: Id, site_id: Id, status: ReportedStatus, confirmed_at: Timestamp })
  .openapi('Confirmed')

const IfNoneMatch = z.object({
  'If-None-Match': z
    .string()
    .optional()
    .openapi({ description: 'The ETag you have; if the content is unchanged, the response is 304 without a body.' }),
})
const CACHING = {
  ETag: {
    description: 'Changes with the content; for use in `If-None-Match`.',
    example: '"kL3uQz0VbYc4xWm2Tq8hRfN1aeo"',
  },
  'Cache-Control': {
    description: 'The response may be cached, but must be revalidated before use.',
    example: 'private, no-cache',
  },
}
const NOT_MODIFIED = { description: 'Unchanged since the given ETag.', schema: null, headers: CACHING }
const { id, slug, title, excerpt, published_at, tags } = examplePost
const exampleSummary = { id, slug, title, excerpt, published_at, tags }
const exampleReport = { post_id: id, site_id: exampleSite.id, status: 'delivered' }

const shared = { tag: 'Pull', auth: siteKeyAuth } as const

/** The Pull API, in which sites read posts and report (specification, section 4). */
export const pullRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/pull/posts',
    name: 'pullPosts',
    summary: "List the site's published posts",
    description: 'One page at a time, the latest published first.',
    query: PageQuery.extend({
      tag: queryText('The tag').optional().openapi({ description: 'Only posts with this tag.' }),
    }),
    headers: IfNoneMatch,
    replies: {
      200: {
        description: 'A page of posts without their bodies.',
        schema: PulledPosts,
        examples: { 'One post': { posts: [exampleSummary], total: 1, page: 1, limit: 20, pages: 1 } },
        headers: CACHING,
      },
      304: NOT_MODIFIED,
    },
    errors: [],
    async handler({ ctx, principal, query, header }) {
      return replyUnlessKnown(await pullPage(ctx, principal, query), header('if-none-match'))
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/pull/posts/{slug}',
    name: 'pullPost',
    summary: "Get one of the site's posts",
    description: 'Finds a post by its current slug. It has the same fields as in webhooks.',
    params: z.object({
      slug: z.string().openapi({ description: "The post's current slug.", example: examplePost.slug }),
    }),
    headers: IfNoneMatch,
    replies: {
      200: {
        description: 'The post.',
        schema: PulledPost,
        examples: { 'A post': { ...examplePost, updated_at: examplePost.published_at } },
        headers: CACHING,
      },
      304: NOT_MODIFIED,
    },
    errors: [],
    async handler({ ctx, principal, params, header }) {
      const post = await pullPost(ctx, principal, params.slug)
      if (post === undefined) throw missing()
      return replyUnlessKnown(post, header('if-none-match'))
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/pull/confirm',
    name: 'confirmDelivery',
    summary: 'Confirm a delivery or report its failure',
    description:
      '"delivered" completes a pending delivery, or records one for a post that was pulled. "failed" stores the message and lets retries continue, or records a failed delivery for a post that was pulled.',
    body: ConfirmBody,
    bodyExamples: {
      'The site has it': { ...exampleReport, metadata: { path: '/blog/bread-without-kneading', build: 1874 } },
      'The site could not take it': {
        ...exampleReport,
        status: 'failed',
        error_message: 'The build failed: no space left on the device.',
      },
    },
    replies: {
      200: {
        description: 'The report is stored.',
        schema: Confirmed,
        examples: { 'The site has it': { ...exampleReport, confirmed_at: '2026-11-02T08:03:00.000Z' } },
      },
    },
    errors: ['forbidden', 'not_found'],
    async handler({ ctx, principal, body }) {
      const { post_id: postId, site_id: siteId, status, error_message: errorMessage, metadata } = body
      const at = await confirm(ctx, principal, { postId, siteId, status, errorMessage, metadata })
      return {
        status: 200,
        body: { post_id: postId.toLowerCase(), site_id: principal.siteId, status, confirmed_at: at },
      }
    },
  }),
]
