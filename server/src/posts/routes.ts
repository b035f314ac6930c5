import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import {
  type Endpoint,
  endpoint,
  Id,
  IdParams,
  type Reply,
  readOnlyField,
  Timestamp,
} from '../platform/http/endpoint.ts'
import { ifMatchCheck, versionTag } from '../platform/http/etag.ts'
import { instant } from '../platform/http/instant.ts'
import { PageQuery, Pagination, pagination } from '../platform/http/pagination.ts'
import { queryText, text } from '../platform/http/text.ts'
import { httpUrl } from '../platform/http/url.ts'
import {
  changePost,
  createPost,
  getPost,
  listPostsPage,
  type PostInput,
  type PostWithDeliveries,
  publishPost,
  removePost,
} from './operations.ts'
import { POST_STATUSES, type PostRow } from './tables.ts'

const Status = z.enum(POST_STATUSES, 'The status is "draft", "scheduled" or "published".')

const RichText = z.record(z.string(), z.unknown()).openapi({
  description: 'A rich-text document as Tiptap and ProseMirror write it.',
  example: { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Hello' }] }] },
})

const Meta = z.object({
  title: z.string().optional(),
  description: z.string().optional(),
  og_image: z.string().optional(),
  canonical_url: z.string().optional(),
})

const PostBody = z
  .object({
    id: Id,
    version: z.int().openapi({ description: 'Starts at 1; rises with every change.' }),
    slug: z.string(),
    title: z.string(),
    excerpt: z.string(),
    body: z.object({ html: z.string(), markdown: z.string(), json: RichText }),
    meta: Meta,
    tags: z.array(z.string()),
    status: Status,
    scheduled_at: Timestamp.nullable(),
    published_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .openapi('Post')

const DeliveryState = z.object({
  site_id: Id,
  status: z.enum(['pending', 'delivered', 'delivered_retry', 'failed']),
  delivered_at: Timestamp.nullable(),
})

const PostWithDeliveriesBody = PostBody.extend({
  deliveries: z.array(DeliveryState).openapi({ description: 'The newest delivery per site.' }),
}).openapi('PostWithDeliveries')

const readOnlyPostFields = {
  id: readOnlyField(),
  version: readOnlyField(),
  published_at: readOnlyField(),
  created_at: readOnlyField(),
  updated_at: readOnlyField(),
  deliveries: readOnlyField(),
}

/** A value that null takes away. */
const removable = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().optional()
const removableUrl = (label: string) => removable(z.union([z.literal(''), httpUrl(label)]))

const postFields = {
  title: text('The title', { min: 1, max: 300 }),
  slug: text('The slug', { min: 1, max: 120 }).optional(),
  excerpt: text('The excerpt', { max: 1000 }).optional(),
  body: z
    .strictObject({
      html: z.string('The html is a string.').optional(),
      markdown: z.string('The markdown is a string.').optional(),
      json: RichText.optional(),
    })
    .optional()
    .openapi({
      description:
        'Any of the three forms; those not given are derived. Of several, the richest is the source (json, html, markdown), and text that is given in another form is kept as given.',
    }),
  meta: z
    .strictObject({
      title: removable(text('The meta title', { max: 200 })),
      description: removable(text('The meta description', { max: 500 })),
      og_image: removableUrl('The og_image'),
      canonical_url: removableUrl('The canonical_url'),
    })
    .optional(),
  tags: z
    .array(text('A tag', { min: 1, max: 64 }), 'The tags are an array of strings.')
    .max(50, 'A post has at most 50 tags.')
    .optional(),
  status: Status.optional(),
  scheduled_at: instant('scheduled_at').nullable().optional(),
}

const CreatePost = z.strictObject({ ...postFields, ...readOnlyPostFields }).openapi('CreatePost')
const UpdatePost = z
  .strictObject({ ...postFields, title: postFields.title.optional(), ...readOnlyPostFields })
  .openapi('UpdatePost')

const PublishPost = z
  .strictObject({
    site_ids: z
      .array(z.string('A site id is a string.'), 'site_ids is an array of site ids.')
      .min(1, 'Name at least one site, or leave site_ids out to publish to all.')
      .optional(),
  })
  .openapi('PublishPost')

const Dispatched = z
  .object({
    post_id: Id,
    dispatched_to: z.array(z.object({ site_id: Id, status: z.literal('pending') })),
    estimated_delivery: Timestamp,
  })
  .openapi('Dispatched')

const ListQuery = PageQuery.extend({
  status: Status.optional(),
  site_id: z.string().optional().openapi({ description: 'Only published posts that this site may see.' }),
  tag: queryText('The tag').optional(),
  search: z.string().optional().openapi({ description: 'Words in title and text; "quoted" words as a phrase.' }),
})

const IfMatch = z.object({
  'If-Match': z.string().optional().openapi({ description: 'The ETag you have seen; another version is a 412.' }),
})
const ETAG = { ETag: 'The version, quoted.' }

function present(post: PostRow) {
  return {
    id: post.id,
    version: post.version,
    slug: post.slug,
    title: post.title,
    excerpt: post.excerpt,
    body: { html: post.body_html, markdown: post.body_markdown, json: post.body_json },
    meta: post.meta,
    tags: post.tags,
    status: post.status,
    scheduled_at: post.scheduled_at,
    published_at: post.published_at,
    created_at: post.created_at,
    updated_at: post.updated_at,
  }
}

function replyWithPost(
  status: number,
  { post, deliveries }: PostWithDeliveries,
  headers: Record<string, string> = {},
): Reply {
  const body = {
    ...present(post),
    deliveries: deliveries.map(({ siteId, status, deliveredAt }) => ({
      site_id: siteId,
      status,
      delivered_at: deliveredAt,
    })),
  }
  return { status, body, headers: { ETag: versionTag(post.version), ...headers } }
}

function inputOf<Title extends string | undefined>(
  body: Omit<z.output<typeof UpdatePost>, 'title'> & { title: Title },
): PostInput & { title: Title } {
  const { title, slug, excerpt, body: forms, meta, tags, status, scheduled_at: scheduledAt } = body
  return { title, slug, excerpt, body: forms, meta, tags: tags && [...new Set(tags)], status, scheduledAt }
}

const shared = { tag: 'Posts', auth: accountAuth } as const

/** Posts (specification, section 4). */
export const postRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/posts',
    name: 'listPosts',
    summary: 'List posts',
    query: ListQuery,
    replies: {
      200: {
        description: 'A page of posts, newest first; with `search`, best match first.',
        schema: z.object({ data: z.array(PostBody), pagination: Pagination }),
      },
    },
    errors: [],
    async handler({ ctx, principal, query }) {
      const { page, limit, status, site_id: siteId, tag, search } = query
      const { rows, total } = await listPostsPage(
        ctx,
        principal.accountId,
        { status, siteId, tag, search },
        { page, limit },
      )
      return { status: 200, body: { data: rows.map(present), pagination: pagination(page, limit, total) } }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/posts',
    name: 'createPost',
    summary: 'Create a post',
    description:
      'With status "published" it is published to all sites at once; with "scheduled" when scheduled_at comes.',
    body: CreatePost,
    replies: { 201: { description: 'The post.', schema: PostWithDeliveriesBody, headers: ETAG } },
    errors: ['conflict'],
    async handler({ ctx, principal, body }) {
      const created = await createPost(ctx, principal.accountId, inputOf(body))
      return replyWithPost(201, created, { Location: `/api/posts/${created.post.id}` })
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/posts/{id}',
    name: 'getPost',
    summary: 'Get a post',
    params: IdParams,
    replies: { 200: { description: 'The post with its deliveries.', schema: PostWithDeliveriesBody, headers: ETAG } },
    errors: [],
    async handler({ ctx, principal, params }) {
      return replyWithPost(200, await getPost(ctx, principal.accountId, params.id))
    },
  }),
  endpoint({
    ...shared,
    method: 'patch',
    path: '/api/posts/{id}',
    name: 'updatePost',
    summary: 'Change a post',
    description:
      'Any subset of the fields; `meta` may be partial. A change to a published post is sent to the sites that have it. Status "draft" takes a published post off the sites.',
    params: IdParams,
    headers: IfMatch,
    body: UpdatePost,
    replies: { 200: { description: 'The changed post.', schema: PostWithDeliveriesBody, headers: ETAG } },
    errors: ['conflict', 'precondition_failed'],
    async handler({ ctx, principal, params, body, header }) {
      const input = inputOf({ ...body, title: body.title })
      return replyWithPost(
        200,
        await changePost(ctx, principal.accountId, params.id, input, ifMatchCheck(header('if-match'))),
      )
    },
  }),
  endpoint({
    ...shared,
    method: 'delete',
    path: '/api/posts/{id}',
    name: 'deletePost',
    summary: 'Delete a post for good',
    description: 'The sites that have the post are told with `post.deleted`.',
    params: IdParams,
    headers: IfMatch,
    replies: { 204: { description: 'The post is gone.', schema: null } },
    errors: ['precondition_failed'],
    async handler({ ctx, principal, params, header }) {
      await removePost(ctx, principal.accountId, params.id, ifMatchCheck(header('if-match')))
      return { status: 204 }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/posts/{id}/publish',
    name: 'publishPost',
    summary: 'Publish a post',
    description: 'To the named sites, or to all that are not inactive. The deliveries are on record when this answers.',
    params: IdParams,
    body: PublishPost,
    bodyOptional: true,
    replies: { 202: { description: 'One pending delivery per site.', schema: Dispatched } },
    errors: [],
    async handler({ ctx, principal, params, body }) {
      const { postId, siteIds, estimatedDelivery } = await publishPost(
        ctx,
        principal.accountId,
        params.id,
        body.site_ids,
      )
      const dispatchedTo = siteIds.map((siteId) => ({ site_id: siteId, status: 'pending' }))
      return {
        status: 202,
        body: { post_id: postId, dispatched_to: dispatchedTo, estimated_delivery: estimatedDelivery },
      }
    },
  }),
]
