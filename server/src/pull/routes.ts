import { z } from 'zod'
import { type Endpoint, endpoint } from '../platform/http/endpoint.ts'
import { isKnown, replyUnlessKnown } from '../platform/http/etag.ts'
import { PageQuery } from '../platform/http/pagination.ts'
import { queryText } from '../platform/http/text.ts'
import { examplePost, PulledPost, PulledSummary } from '../posts/index.ts'
import { exampleSite } from '../sites/index.ts'
import { lookUpPost, pullPage, pullPost } from './answers.ts'
import { siteKeyAuth } from './gate.ts'
import { baseOf, confirm, postNotFound, pullPreview, reportOf } from './operations.ts'
import { syncRoutes } from './sync-routes.ts'
import { pullWholePage } from './whole-posts.ts'
import { CACHING, ConfirmBody, Confirmed, IfNoneMatch, Include, NOT_MODIFIED } from './wire.ts'

const PulledPosts = z
  .object({
    posts: z.array(z.union([PulledSummary, PulledPost])),
    total: z.int(),
    page: z.int(),
    limit: z.int(),
    pages: z.int(),
  })
  .openapi('PulledPosts')

const { id, slug, title, excerpt, published_at, tags } = examplePost
const exampleSummary = { id, slug, title, excerpt, published_at, tags }
const exampleReport = { post_id: id, site_id: exampleSite.id, status: 'delivered' }

const shared = { tag: 'Pull', auth: siteKeyAuth } as const

/** The Pull API, in which sites read posts and report (specification, section 4). */
export const pullRoutes: Endpoint[] = [
  ...syncRoutes,
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/pull/posts',
    name: 'pullPosts',
    summary: "List the site's published posts",
    description:
      'One page at a time, the latest published first. To stay level with the service, follow `GET /api/pull/changes` instead.',
    query: PageQuery.extend({
      tag: queryText('The tag').optional().openapi({ description: 'Only posts with this tag.' }),
      include: Include,
    }),
    headers: IfNoneMatch,
    replies: {
      200: {
        description: 'A page of posts, without their bodies unless they are asked for.',
        schema: PulledPosts,
        examples: { 'One post': { posts: [exampleSummary], total: 1, page: 1, limit: 20, pages: 1 } },
        headers: CACHING,
      },
      304: NOT_MODIFIED,
    },
    errors: [],
    async handler({ ctx, principal, query, header }) {
      if (query.include === 'body') {
        const { tag, stream } = await pullWholePage(ctx, principal, query)
        const headers = { ETag: tag, 'Cache-Control': 'private, no-cache' }
        if (isKnown(tag, header('if-none-match'))) return { status: 304, headers }
        return { status: 200, stream: stream(), headers }
      }
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
      if (post === undefined) throw postNotFound()
      return replyUnlessKnown(post, header('if-none-match'))
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/pull/preview/{token}',
    name: 'pullPreview',
    summary: 'Get a post by its preview link',
    description:
      "For a preview in the site's own design: the post as it would be pulled if it were published now, with its changes that are not published. The page must not be kept by caches or search engines.",
    params: z.object({
      token: z.string().openapi({
        description: 'The end of the preview link.',
        example: 'uQ4vX0Zr7sJm2bK9cT1dW5eY8fA3gH6iL0nOpRqStUv',
      }),
    }),
    replies: {
      200: {
        description: 'The post.',
        schema: PulledPost,
        examples: { 'A post': { ...examplePost, updated_at: examplePost.published_at } },
      },
    },
    errors: ['gone'],
    async handler({ ctx, principal, params }) {
      return { status: 200, body: await pullPreview(ctx, principal, params.token) }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/pull/lookup',
    name: 'lookUpPost',
    summary: 'Look up which post an address means',
    description:
      'The post that has the slug, else the one that had it before: redirect visitors to its present `slug`. Where there is none, the answer is 200 too, without `post`, so that a page that does not exist can be cached like any other. The slug `preview-TOKEN` means the post of that preview link, and is its `slug` in the answer: a page that shows posts shows previews, too. Ask anew each time for those.',
    query: z.object({
      slug: queryText('The slug').openapi({ description: 'The slug in the address.', example: examplePost.slug }),
    }),
    headers: IfNoneMatch,
    replies: {
      200: {
        description: 'The post, or nothing.',
        schema: z.object({ post: PulledPost.optional() }).openapi('FoundPost'),
        examples: {
          'A post': { post: { ...examplePost, updated_at: examplePost.published_at } },
          'No post': {},
        },
        headers: CACHING,
      },
      304: NOT_MODIFIED,
    },
    errors: [],
    async handler({ ctx, principal, query, header }) {
      return replyUnlessKnown(await lookUpPost(ctx, principal, query.slug), header('if-none-match'))
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
      const at = await confirm(ctx, principal, reportOf(body, await baseOf(ctx, principal, [body])))
      return {
        status: 200,
        body: { post_id: body.post_id.toLowerCase(), site_id: principal.siteId, status: body.status, confirmed_at: at },
      }
    },
  }),
]
