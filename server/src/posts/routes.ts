import { ANYWHERE, accountAuth, assertMay, sitesOf } from '../accounts/index.ts'
import { type Endpoint, endpoint, IdParams } from '../platform/http/endpoint.ts'
import { pagination } from '../platform/http/pagination.ts'
import { edgesOf } from '../platform/http/period-edges.ts'
import { exampleSite } from '../sites/index.ts'
import { convertForms } from './body/converter.ts'
import { changePosts } from './bulk.ts'
import { canonicalRoute } from './canonical-route.ts'
import { ETAG, etagOf, IfMatch } from './etag.ts'
import {
  exampleConverted,
  exampleDraft,
  exampleListed,
  exampleNewPosts,
  examplePublished,
  exampleScheduled,
  exampleSummary,
  exampleWarnings,
} from './examples.ts'
import type { ReadPortion } from './list.ts'
import { changePost, createPost, removePost } from './operations.ts'
import { publishPost } from './publish-post.ts'
import { assertWithinSites, changeCheck, editorOf, holdsPost, seesPost, withinSites } from './reach.ts'
import { getPost, listPostsPage, listSummaries } from './read.ts'
import {
  ChangePosts,
  ConvertedForms,
  CreatePost,
  Dispatched,
  Forms,
  ListQuery,
  PostPage,
  PostSummaryPage,
  PostsChanged,
  PostWithDeliveriesBody,
  PublishPost,
  presentLosses,
  presentPost,
  presentSummary,
  presentWithDeliveries,
  presentWritten,
  SummariesQuery,
  UpdatePost,
  WrittenPostBody,
} from './wire.ts'

const shared = { tag: 'Posts' } as const

/** Posts (specification, section 4). */
export const postRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/posts',
    auth: accountAuth('posts:read', ANYWHERE),
    name: 'listPosts',
    summary: 'List posts',
    description: 'One page at a time, newest first; with `search`, the best match first.',
    query: ListQuery,
    replies: {
      200: {
        description: 'A page of posts.',
        schema: PostPage,
        examples: {
          'The first of three pages': {
            data: [exampleScheduled, exampleListed],
            pagination: { page: 1, limit: 2, total: 5, pages: 3 },
          },
        },
      },
    },
    errors: [],
    async handler({ ctx, principal, query }) {
      const { page, limit, status, site_id: siteId, tag, search } = query
      const { reads, total } = await listPostsPage(
        ctx,
        principal.accountId,
        { status, siteId, tag, search, siteIds: sitesOf(principal) },
        { page, limit },
      )
      const place = pagination(page, limit, total)
      const [first, ...others] = reads
      if (others.length > 0) return { status: 200, stream: partsOfPage(reads, place) }
      return { status: 200, body: { data: (await first?.())?.map(presentPost) ?? [], pagination: place } }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/posts',
    atomic: true,
    auth: accountAuth('posts:write', ANYWHERE),
    name: 'createPost',
    summary: 'Create a post',
    description:
      'Creates a draft by default. With the status `published` the post is sent to its sites at once, with `scheduled` at `scheduled_at`.',
    body: CreatePost,
    bodyExamples: exampleNewPosts,
    replies: {
      201: {
        description: 'The post.',
        schema: WrittenPostBody,
        examples: { 'A draft': exampleDraft, 'Published at once': examplePublished },
        headers: {
          ...ETAG,
          Location: { description: 'The path of the post.', example: `/api/posts/${exampleDraft.id}` },
        },
      },
    },
    errors: ['conflict'],
    async handler({ ctx, principal, body }) {
      if (body.status === 'published' || body.status === 'scheduled') assertMay(principal, 'posts:publish')
      const siteIds = body.site_ids ?? sitesOf(principal)
      assertWithinSites(principal, [...(siteIds ?? []), body.primary_site_id ?? null])
      const input = { ...body, site_ids: siteIds && [...siteIds] }
      const created = await createPost(ctx, principal.accountId, input, editorOf(principal))
      const headers = { ...etagOf(created), Location: `/api/posts/${created.post.id}` }
      return { status: 201, body: presentWritten(created), headers }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/posts/convert',
    auth: accountAuth('posts:read', ANYWHERE),
    name: 'convertBody',
    summary: 'Convert a body',
    description: 'Returns all forms that a post with this body would have. Nothing is stored.',
    body: Forms,
    bodyExamples: { Markdown: { markdown: exampleConverted.markdown } },
    replies: {
      200: {
        description: 'All forms, and the number of words.',
        schema: ConvertedForms,
        examples: { 'From Markdown': exampleConverted },
      },
    },
    errors: [],
    async handler({ ctx, principal, body }) {
      const { html, markdown, json, wordCount, losses } = await convertForms(ctx, principal.accountId, body)
      return { status: 200, body: { html, markdown, json, word_count: wordCount, ...presentLosses(losses) } }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/posts/summaries',
    auth: accountAuth('posts:read', ANYWHERE),
    name: 'listPostSummaries',
    summary: 'List posts without their texts',
    description:
      'The same posts as `GET /api/posts`, but without their texts, each with its newest delivery to every site that is still connected.',
    query: SummariesQuery,
    replies: {
      200: {
        description: 'A page of posts.',
        schema: PostSummaryPage,
        examples: {
          'A post whose delivery is being retried': {
            data: [exampleSummary],
            pagination: { page: 1, limit: 20, total: 1, pages: 1 },
          },
        },
      },
    },
    errors: [],
    async handler({ ctx, principal, query }) {
      const { page, limit, sort: order, status, site_id: siteId, tag, search, from, to } = query
      const filter = { status, siteId, tag, search, siteIds: sitesOf(principal), period: edgesOf({ from, to }) }
      const { posts, total } = await listSummaries(ctx, principal.accountId, filter, { page, limit, order })
      const shown = posts.map((one) => ({ ...one, deliveries: withinSites(principal, one.deliveries) }))
      return { status: 200, body: { data: shown.map(presentSummary), pagination: pagination(page, limit, total) } }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/posts/bulk',
    auth: accountAuth('posts:publish'),
    name: 'changePosts',
    summary: 'Publish, unpublish, delete or tag many posts',
    description:
      'Changes up to 100 posts, either all or none of them. Publishing sends them to their sites, except for inactive ones. Unpublishing turns published and scheduled posts into drafts. Posts that do not exist are skipped and counted as missing.',
    body: ChangePosts,
    bodyExamples: {
      'Publish two': { action: 'publish', ids: [examplePublished.id, exampleScheduled.id] },
      'Publish one to one site': { action: 'publish', ids: [examplePublished.id], site_ids: [exampleSite.id] },
      'Put a tag on one': { action: 'tag', ids: [examplePublished.id], tag: 'bread' },
    },
    replies: {
      200: {
        description: 'The changed posts, and how many were missing.',
        schema: PostsChanged,
        examples: { 'One had been deleted': { changed: [examplePublished.id], missing: 1 } },
      },
    },
    errors: [],
    async handler({ ctx, principal, body: { ids, bulk } }) {
      const changed = await changePosts(ctx, principal.accountId, ids, bulk, editorOf(principal))
      const missing = new Set(ids.map((id) => id.toLowerCase())).size - changed.length
      return { status: 200, body: { changed, missing } }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/posts/{id}',
    auth: accountAuth('posts:read', seesPost),
    name: 'getPost',
    summary: 'Get a post',
    description: 'The post with its newest delivery to each site.',
    params: IdParams,
    replies: {
      200: {
        description: 'The post with its deliveries.',
        schema: PostWithDeliveriesBody,
        examples: { 'A published post': examplePublished },
        headers: ETAG,
      },
    },
    errors: [],
    async handler({ ctx, principal, params }) {
      const found = await getPost(ctx, principal.accountId, params.id)
      const shown = { ...found, deliveries: withinSites(principal, found.deliveries) }
      return { status: 200, body: presentWithDeliveries(shown), headers: etagOf(found) }
    },
  }),
  endpoint({
    ...shared,
    method: 'patch',
    path: '/api/posts/{id}',
    auth: accountAuth('posts:write', holdsPost),
    name: 'updatePost',
    summary: 'Change a post',
    description:
      'Any subset of the fields; `meta` may be partial. A change to a published post is sent to the sites that have it. The status `draft` takes a published post off the sites; `site_ids` takes it off some and sends it to others.',
    params: IdParams,
    headers: IfMatch,
    body: UpdatePost,
    bodyExamples: {
      'Only the meta description': { meta: { description: 'A crusty loaf for people without time.' } },
      Reschedule: { status: 'scheduled', scheduled_at: '2026-11-09T09:00:00+01:00' },
      Unpublish: { status: 'draft' },
      'To one site only': { site_ids: [exampleSite.id] },
    },
    replies: {
      200: {
        description: 'The changed post.',
        schema: WrittenPostBody,
        examples: {
          'The changed post': { ...examplePublished, version: 2, updated_at: '2026-11-02T08:20:00.000Z' },
          'A picture was lost': { ...examplePublished, version: 2, warnings: exampleWarnings },
        },
        headers: ETAG,
      },
    },
    errors: ['conflict', 'precondition_failed'],
    async handler({ ctx, principal, params, body, header }) {
      if (body.status !== undefined && body.status !== 'draft') assertMay(principal, 'posts:publish')
      if (body.site_ids !== undefined) assertWithinSites(principal, body.site_ids)
      assertWithinSites(principal, [body.primary_site_id ?? null])
      const changed = await changePost(
        ctx,
        principal.accountId,
        params.id,
        body,
        changeCheck(principal, header('if-match')),
        editorOf(principal),
      )
      return { status: 200, body: presentWritten(changed), headers: etagOf(changed) }
    },
  }),
  endpoint({
    ...shared,
    method: 'delete',
    path: '/api/posts/{id}',
    auth: accountAuth('posts:publish', holdsPost),
    name: 'deletePost',
    summary: 'Delete a post permanently',
    description: 'The sites that have the post are sent `post.deleted`.',
    params: IdParams,
    headers: IfMatch,
    replies: { 204: { description: 'The post is deleted.', schema: null } },
    errors: ['invalid', 'precondition_failed'],
    async handler({ ctx, principal, params, header }) {
      await removePost(ctx, principal.accountId, params.id, changeCheck(principal, header('if-match')))
      return { status: 204 }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/posts/{id}/publish',
    atomic: true,
    auth: accountAuth('posts:publish', holdsPost),
    name: 'publishPost',
    summary: 'Publish a post',
    description:
      'Publishes to the sites in `site_ids`, or to all that the post is for and that are not inactive. The deliveries are stored before the response is sent.',
    params: IdParams,
    body: PublishPost,
    bodyOptional: true,
    bodyExamples: { 'To all sites': {}, 'To one site': { site_ids: [exampleSite.id] } },
    replies: {
      202: {
        description: 'One pending delivery per site.',
        schema: Dispatched,
        examples: {
          'To one site': {
            post_id: examplePublished.id,
            dispatched_to: [{ site_id: exampleSite.id, status: 'pending' }],
            estimated_delivery: '2026-11-02T08:00:01.000Z',
          },
        },
      },
    },
    errors: [],
    async handler({ ctx, principal, params, body }) {
      assertWithinSites(principal, body.site_ids ?? [])
      const { postId, siteIds, estimatedDelivery } = await publishPost(
        ctx,
        principal.accountId,
        params.id,
        body.site_ids,
      )
      const dispatchedTo = siteIds.map((siteId) => ({ site_id: siteId, status: 'pending' as const }))
      return {
        status: 202,
        body: { post_id: postId, dispatched_to: dispatchedTo, estimated_delivery: estimatedDelivery },
      }
    },
  }),
  canonicalRoute,
]

/** A page as JSON, a portion of its posts at a time. What is sent is let go: a client may read the next one minutes later. */
async function* partsOfPage(reads: readonly ReadPortion[], place: object): AsyncGenerator<string> {
  yield '{"data":['
  let between = ''
  for (const read of reads) {
    const texts = (await read()).map((post) => JSON.stringify(presentPost(post)))
    for (let text = texts.shift(); text !== undefined; text = texts.shift()) {
      yield between + text
      between = ','
    }
  }
  yield `],"pagination":${JSON.stringify(place)}}`
}
