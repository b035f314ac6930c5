import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import { BodyForms, DeliveryStatus, exampleSite, Meta, RichText } from '../deliveries/index.ts'
import { type Endpoint, endpoint, Id, IdParams, readOnlyField, Timestamp } from '../platform/http/endpoint.ts'
import { ifMatchCheck, versionTag } from '../platform/http/etag.ts'
import { instant } from '../platform/http/instant.ts'
import { PageQuery, Pagination, pagination } from '../platform/http/pagination.ts'
import { queryText, text } from '../platform/http/text.ts'
import { httpUrl } from '../platform/http/url.ts'
import {
  exampleConverted,
  exampleDraft,
  exampleListed,
  exampleNewPosts,
  examplePublished,
  exampleScheduled,
  exampleSummary,
} from './examples.ts'
import {
  type BulkAction,
  changePost,
  changePosts,
  convertForms,
  createPost,
  getPost,
  listPostsPage,
  listSummaries,
  MOST_TAGS,
  type PostInput,
  type PostSummary,
  type PostWithDeliveries,
  publishPost,
  removePost,
} from './operations.ts'
import { POST_STATUSES, type PostRow } from './tables.ts'

/** A post's status on the wire. */
export const PostStatus = z
  .enum(POST_STATUSES, 'The status must be "draft", "scheduled" or "published".')
  .openapi('PostStatus', { description: '`scheduled`: the post is published automatically at `scheduled_at`.' })

/** A post on the wire. */
export const PostBody = z
  .object({
    id: Id,
    version: z.int().min(1).openapi({ description: 'Starts at 1 and increases with every change.' }),
    slug: z.string().openapi({ description: 'Unique within the account.' }),
    title: z.string(),
    excerpt: z.string().openapi({ description: 'Empty if there is none.' }),
    body: BodyForms,
    meta: Meta,
    tags: z.array(z.string()),
    status: PostStatus,
    scheduled_at: Timestamp.nullable(),
    published_at: Timestamp.nullable().openapi({ description: 'When the post was first published.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .openapi('Post')

const PostDelivery = z
  .object({ site_id: Id, status: DeliveryStatus, delivered_at: Timestamp.nullable() })
  .openapi('PostDelivery', { description: "The post's newest delivery to a site." })

const PostWithDeliveriesBody = PostBody.extend({ deliveries: z.array(PostDelivery) }).openapi('PostWithDeliveries')

const PostPage = z.object({ data: z.array(PostBody), pagination: Pagination }).openapi('PostPage')

const readOnlyPostFields = {
  id: readOnlyField(),
  version: readOnlyField(),
  published_at: readOnlyField(),
  created_at: readOnlyField(),
  updated_at: readOnlyField(),
  deliveries: readOnlyField(),
}

/** An optional value that null removes. */
const removable = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().optional()
const removableUrl = (label: string) => removable(z.union([z.literal(''), httpUrl(label)]))

const Forms = z.strictObject({
  html: z
    .string('The html must be a string.')
    .optional()
    .openapi({ description: 'HTML; it is sanitised. At most 1 MiB.' }),
  markdown: z
    .string('The markdown must be a string.')
    .optional()
    .openapi({ description: "CommonMark with GitHub's extensions. At most 1 MiB." }),
  json: RichText.optional(),
})

const ConvertedForms = BodyForms.extend({ word_count: z.int().min(0) }).openapi('ConvertedBody')

const SLUG =
  'It is converted to lower-case letters, digits and single hyphens, at most 120 of them; a taken slug is refused with 409.'
const Slug = text('The slug', { min: 1, max: 300 }).openapi({ example: 'bread-without-kneading' })

const postFields = {
  title: text('The title', { min: 1, max: 300 }),
  slug: Slug.optional().openapi({ description: `Derived from the title if it is not given. ${SLUG}` }),
  excerpt: text('The excerpt', { max: 1000 }).optional(),
  body: Forms.optional().openapi({
    description:
      'Any of the three forms; the others are derived. If several are given, the richest one is the source (json before html before markdown), and the others are kept as given.',
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
    .array(text('A tag', { min: 1, max: 64 }), 'The tags must be an array of strings.')
    .max(MOST_TAGS, `A post can have at most ${MOST_TAGS} tags.`)
    .optional()
    .openapi({ description: 'Duplicates are removed.' }),
  status: PostStatus.optional(),
  scheduled_at: instant('scheduled_at').nullable().optional().openapi({
    description: 'A time in the future. Required with the status `scheduled`, and allowed only with it.',
  }),
}

const CreatePost = z.strictObject({ ...postFields, ...readOnlyPostFields }).openapi('CreatePost')
const UpdatePost = z
  .strictObject({
    ...postFields,
    title: postFields.title.optional(),
    slug: Slug.nullable()
      .optional()
      .openapi({ description: `Null derives it from the title, as for a new post. ${SLUG}` }),
    ...readOnlyPostFields,
  })
  .openapi('UpdatePost')

const PublishPost = z
  .strictObject({
    site_ids: z
      .array(z.string('A site id must be a string.'), 'site_ids must be an array of site ids.')
      .min(1, 'Name at least one site, or leave site_ids out to publish to all.')
      .optional()
      .openapi({ description: 'Sites of the account that are not inactive. Default: all of these.' }),
  })
  .openapi('PublishPost')

const Dispatched = z
  .object({
    post_id: Id,
    dispatched_to: z.array(z.object({ site_id: Id, status: z.literal('pending') })),
    estimated_delivery: Timestamp.openapi({ description: 'When all first attempts are likely to have been made.' }),
  })
  .openapi('Dispatched')

const ListQuery = PageQuery.extend({
  status: PostStatus.optional().openapi({ description: 'Only posts with this status.' }),
  site_id: z.string().optional().openapi({ description: 'Only published posts that are visible to this site.' }),
  tag: queryText('The tag').optional().openapi({ description: 'Only posts with this tag.' }),
  search: z.string().optional().openapi({
    description:
      'Words in title and text; "quoted" words are a phrase; case and accents do not matter. Finds at most 500 posts, the newest ones.',
  }),
})

const SummariesQuery = ListQuery.extend({
  sort: z
    .enum(['newest', 'updated_at', 'scheduled_at'], 'sort must be "newest", "updated_at" or "scheduled_at".')
    .default('newest')
    .openapi({
      description:
        '`updated_at`: the last changed first; `scheduled_at`: the next to be published first. Ignored with `search`: the best match comes first.',
    }),
})

const StandingDelivery = PostDelivery.extend({
  event: z.enum(['post.published', 'post.updated', 'post.deleted']),
  attempts: z.int(),
  last_error: z.string().nullable(),
  next_attempt_at: Timestamp.nullable(),
}).openapi('StandingDelivery', { description: 'The state of a post at a site: its newest delivery there.' })

const PostSummaryBody = PostBody.omit({ body: true })
  .extend({ deliveries: z.array(StandingDelivery) })
  .openapi('ListedPost')

const PostSummaryPage = z.object({ data: z.array(PostSummaryBody), pagination: Pagination }).openapi('ListedPostPage')

const BULK_ACTIONS = ['publish', 'unpublish', 'delete', 'tag', 'untag'] as const

const ChangePosts = z
  .strictObject({
    action: z.enum(BULK_ACTIONS, `The action must be one of ${BULK_ACTIONS.join(', ')}.`),
    ids: z
      .array(z.string('A post id must be a string.'), 'ids must be an array of post ids.')
      .min(1, 'Name at least one post.')
      .max(100, 'Name at most 100 posts at once.'),
    tag: text('A tag', { min: 1, max: 64 })
      .optional()
      .openapi({ description: 'Required with the actions "tag" and "untag", and allowed only with them.' }),
  })
  .transform(({ action, ids, tag }, context): { ids: string[]; bulk: BulkAction } => {
    const takesTag = action === 'tag' || action === 'untag'
    if (takesTag && tag !== undefined) return { ids, bulk: { action, tag } }
    if (!takesTag && tag === undefined) return { ids, bulk: { action } }
    const message = takesTag ? `"${action}" needs a tag.` : `"${action}" takes no tag.`
    context.addIssue({ code: 'custom', path: ['tag'], message })
    return z.NEVER
  })
  .openapi('ChangePosts')

const PostsChanged = z
  .object({
    changed: z.array(Id),
    missing: z.int().openapi({ description: 'How many of the posts do not exist, or no longer exist.' }),
  })
  .openapi('PostsChanged')

const IfMatch = z.object({
  'If-Match': z.string().optional().openapi({
    description: 'The ETag of the version you have; if the post is at another version, the response is 412.',
  }),
})
const ETAG = { ETag: { description: 'The version in quotes, for use in `If-Match`.', example: '"3"' } }

/** Presents a post as on the wire. */
export function presentPost(post: PostRow) {
  return {
    ...presentBriefly(post),
    body: { html: post.body_html, markdown: post.body_markdown, json: post.body_json },
  }
}

function presentBriefly(post: PostSummary['post']) {
  return {
    id: post.id,
    version: post.version,
    slug: post.slug,
    title: post.title,
    excerpt: post.excerpt,
    meta: post.meta,
    tags: post.tags,
    status: post.status,
    scheduled_at: post.scheduled_at,
    published_at: post.published_at,
    created_at: post.created_at,
    updated_at: post.updated_at,
  }
}

function presentSummary({ post, deliveries }: PostSummary) {
  return {
    ...presentBriefly(post),
    deliveries: deliveries.map((one) => ({
      site_id: one.siteId,
      event: one.event,
      status: one.status,
      attempts: one.attempts,
      last_error: one.lastError,
      delivered_at: one.deliveredAt,
      next_attempt_at: one.nextAttemptAt,
    })),
  }
}

function presentWithDeliveries({ post, deliveries }: PostWithDeliveries) {
  return {
    ...presentPost(post),
    deliveries: deliveries.map(({ siteId, status, deliveredAt }) => ({
      site_id: siteId,
      status,
      delivered_at: deliveredAt,
    })),
  }
}

const etagOf = ({ post }: PostWithDeliveries) => ({ ETag: versionTag(post.version) })

type Fields = z.output<typeof UpdatePost>

function inputOf<Title extends Fields['title'], Slug extends Fields['slug']>(
  body: Omit<Fields, 'title' | 'slug'> & { title: Title; slug?: Slug },
): Omit<PostInput, 'slug'> & { title: Title; slug: Slug | undefined } {
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
      const { rows, total } = await listPostsPage(
        ctx,
        principal.accountId,
        { status, siteId, tag, search },
        { page, limit },
      )
      return { status: 200, body: { data: rows.map(presentPost), pagination: pagination(page, limit, total) } }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/posts',
    atomic: true,
    name: 'createPost',
    summary: 'Create a post',
    description:
      'Creates a draft by default. With the status `published` the post is sent to all sites at once, with `scheduled` at `scheduled_at`.',
    body: CreatePost,
    bodyExamples: exampleNewPosts,
    replies: {
      201: {
        description: 'The post.',
        schema: PostWithDeliveriesBody,
        examples: { 'A draft': exampleDraft, 'Published at once': examplePublished },
        headers: {
          ...ETAG,
          Location: { description: 'The path of the post.', example: `/api/posts/${exampleDraft.id}` },
        },
      },
    },
    errors: ['conflict'],
    async handler({ ctx, principal, body }) {
      const created = await createPost(ctx, principal.accountId, inputOf(body))
      const headers = { ...etagOf(created), Location: `/api/posts/${created.post.id}` }
      return { status: 201, body: presentWithDeliveries(created), headers }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/posts/convert',
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
    async handler({ body }) {
      const { html, markdown, json, wordCount } = convertForms(body)
      return { status: 200, body: { html, markdown, json, word_count: wordCount } }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/posts/summaries',
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
      const { page, limit, sort: order, status, site_id: siteId, tag, search } = query
      const filter = { status, siteId, tag, search }
      const { posts, total } = await listSummaries(ctx, principal.accountId, filter, { page, limit, order })
      return { status: 200, body: { data: posts.map(presentSummary), pagination: pagination(page, limit, total) } }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/posts/bulk',
    name: 'changePosts',
    summary: 'Publish, unpublish, delete or tag many posts',
    description:
      'Changes up to 100 posts, either all or none of them. Publishing sends them to all sites that are not inactive. Unpublishing turns published and scheduled posts into drafts. Posts that do not exist are skipped and counted as missing.',
    body: ChangePosts,
    bodyExamples: {
      'Publish two': { action: 'publish', ids: [examplePublished.id, exampleScheduled.id] },
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
      const changed = await changePosts(ctx, principal.accountId, ids, bulk)
      const missing = new Set(ids.map((id) => id.toLowerCase())).size - changed.length
      return { status: 200, body: { changed, missing } }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/posts/{id}',
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
      return { status: 200, body: presentWithDeliveries(found), headers: etagOf(found) }
    },
  }),
  endpoint({
    ...shared,
    method: 'patch',
    path: '/api/posts/{id}',
    name: 'updatePost',
    summary: 'Change a post',
    description:
      'Any subset of the fields; `meta` may be partial. A change to a published post is sent to the sites that have it. The status `draft` takes a published post off the sites.',
    params: IdParams,
    headers: IfMatch,
    body: UpdatePost,
    bodyExamples: {
      'Only the meta description': { meta: { description: 'A crusty loaf for people without time.' } },
      Reschedule: { status: 'scheduled', scheduled_at: '2026-11-09T09:00:00+01:00' },
      Unpublish: { status: 'draft' },
    },
    replies: {
      200: {
        description: 'The changed post.',
        schema: PostWithDeliveriesBody,
        examples: { 'The changed post': { ...examplePublished, version: 2, updated_at: '2026-11-02T08:20:00.000Z' } },
        headers: ETAG,
      },
    },
    errors: ['conflict', 'precondition_failed'],
    async handler({ ctx, principal, params, body, header }) {
      const input = inputOf({ ...body, title: body.title })
      const changed = await changePost(ctx, principal.accountId, params.id, input, ifMatchCheck(header('if-match')))
      return { status: 200, body: presentWithDeliveries(changed), headers: etagOf(changed) }
    },
  }),
  endpoint({
    ...shared,
    method: 'delete',
    path: '/api/posts/{id}',
    name: 'deletePost',
    summary: 'Delete a post permanently',
    description: 'The sites that have the post are sent `post.deleted`.',
    params: IdParams,
    headers: IfMatch,
    replies: { 204: { description: 'The post is deleted.', schema: null } },
    errors: ['invalid', 'precondition_failed'],
    async handler({ ctx, principal, params, header }) {
      await removePost(ctx, principal.accountId, params.id, ifMatchCheck(header('if-match')))
      return { status: 204 }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/posts/{id}/publish',
    atomic: true,
    name: 'publishPost',
    summary: 'Publish a post',
    description:
      'Publishes to the sites in `site_ids`, or to all that are not inactive. The deliveries are stored before the response is sent.',
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
]
