/** Posts on the wire: what requests may say, and how posts are presented (specification, section 4). */
import { z } from 'zod'
import { DeliveryStatus, Live, lateBySeconds, presentLive } from '../engine/index.ts'
import { Id, readOnlyField, Timestamp } from '../platform/http/endpoint.ts'
import { instant } from '../platform/http/instant.ts'
import { PageQuery, Pagination } from '../platform/http/pagination.ts'
import { edge } from '../platform/http/period-edges.ts'
import { queryText, text } from '../platform/http/text.ts'
import type { WithAudience } from './audience.ts'
import type { Loss } from './body/convert.ts'
import { LOSS_CODES } from './body/losses.ts'
import type { BulkAction } from './bulk.ts'
import { FIELD_NAMES, FIELDS, givenFields, pickFields, SLUG_RULE, shownFields } from './fields.ts'
import type { WrittenPost } from './operations.ts'
import { POST_STATUSES, TRASH_DAYS } from './policy.ts'
import { BodyForms, presentBody, RichText } from './public.ts'
import type { PostSummary, PostWithDeliveries } from './read.ts'
import type { StoredPost } from './tables.ts'

/** A post's status on the wire. */
const PostStatus = z
  .enum([...POST_STATUSES, 'trash'], 'The status must be "draft", "scheduled", "published" or "trash".')
  .openapi('PostStatus', {
    description:
      '`scheduled`: the post is published automatically at `scheduled_at`. `trash`: it is in no list but the one of this status.',
  })

/** The status that a request gives a post. */
const WantedStatus = PostStatus.transform((status, { addIssue }) => {
  if (status !== 'trash') return status
  addIssue({ code: 'custom', message: 'A post is put into the trash with POST /api/posts/{id}/trash.' })
  return z.NEVER
})

/** A post on the wire. */
export const PostBody = z
  .object({
    id: Id,
    version: z.int().min(1).openapi({ description: 'Starts at 1 and increases with every change.' }),
    ...shownFields(FIELD_NAMES),
    body: BodyForms,
    status: PostStatus,
    trashed_at: Timestamp.optional().openapi({
      description: `When the post was put into the trash, ${TRASH_DAYS} days before it is deleted; absent if it is not there.`,
    }),
    has_changes: z
      .boolean()
      .openapi({ description: 'Whether the post has a working copy: changes that are not published.' }),
    site_ids: z.array(Id).nullable().openapi({
      description:
        'The sites that the post is for, as far as they are connected; null: every site, also those connected later. Sites do not get it.',
    }),
    scheduled_at: Timestamp.nullable(),
    schedule_zone: z.string().optional().openapi({
      description: 'The time zone by which the schedule was planned; absent if none was given. Sites do not get it.',
      example: 'Asia/Tokyo',
    }),
    unpublish_at: Timestamp.nullable().openapi({
      description: 'When the post becomes a draft again. Sites do not get it.',
    }),
    published_at: Timestamp.nullable().openapi({ description: 'When the post was first published.' }),
    late_by_seconds: z.int().min(0).nullable().openapi({
      description:
        'How many seconds after its scheduled time the post was published; null if no schedule published it.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .openapi('Post')

const PostDelivery = z
  .object({ site_id: Id, status: DeliveryStatus, delivered_at: Timestamp.nullable() })
  .openapi('PostDelivery', { description: "The post's newest delivery to a site." })

/** A post with its newest delivery to each site. */
export const PostWithDeliveriesBody = PostBody.extend({ deliveries: z.array(PostDelivery) }).openapi(
  'PostWithDeliveries',
)

const Warning = z
  .object({
    code: z.enum(LOSS_CODES).openapi({
      description:
        '`element_removed`, `attribute_removed`, `link_removed`, `media_removed`: it is in no form of the body any more, except for what the message says. `form_cannot_hold`: the HTML still has it, the other forms do not.',
    }),
    field: z
      .string()
      .openapi({ description: 'The form that had it, or the one that cannot hold it.', example: 'body.html' }),
    message: z.string(),
    count: z.int().min(1).openapi({ description: 'How often.' }),
  })
  .openapi('ConversionWarning', { description: 'Something that readers would have seen or used, and that was lost.' })

/** What was lost of a body, in answers. */
export const Warnings = z
  .array(Warning)
  .optional()
  .openapi({ description: 'What the conversion of the given body could not keep; absent if that is nothing.' })

/** A post as the answer to a write that may have brought a body. */
export const WrittenPostBody = PostWithDeliveriesBody.extend({ warnings: Warnings }).openapi('WrittenPost')

/** A page of posts. */
export const PostPage = z.object({ data: z.array(PostBody), pagination: Pagination }).openapi('PostPage')

const readOnlyPostFields = {
  id: readOnlyField(),
  version: readOnlyField(),
  published_at: readOnlyField(),
  late_by_seconds: readOnlyField(),
  created_at: readOnlyField(),
  has_changes: readOnlyField(),
  trashed_at: readOnlyField(),
  updated_at: readOnlyField(),
  deliveries: readOnlyField(),
}

/** Whether Node knows a time zone of this name. It takes offsets such as "+01:00" for zones too, and they are none. */
function isZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]{1,63}$/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The ids of sites that a request brings. */
const SiteIds = z
  .array(z.string('A site id must be a string.'), 'site_ids must be an array of site ids.')
  .max(10_000, 'Give the ids of at most 10,000 sites, or null for all.')

/** The forms of a text that a request brings. */
export const Forms = z.strictObject({
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

/** All forms of a text. */
export const ConvertedForms = BodyForms.extend({ word_count: z.int().min(0), warnings: Warnings }).openapi(
  'ConvertedBody',
)

const postFields = {
  ...givenFields,
  body: Forms.optional().openapi({
    description:
      'Any of the three forms; the others are derived. If several are given, the richest one is the source (json before html before markdown), and the others are kept as given.',
  }),
  status: WantedStatus.optional(),
  site_ids: SiteIds.nullable().optional().openapi({
    description:
      'The sites that the post is for: whenever it is published without naming sites, by its status, by its schedule or by a publish request. Null, the default: every site, also those connected later. An empty list: no site. On a published post, sites that come in are sent `post.published` and sites that go out `post.deleted`; the version stays.',
  }),
  scheduled_at: instant('scheduled_at').nullable().optional().openapi({
    description: 'A time in the future. Required with the status `scheduled`, and allowed only with it.',
  }),
  unpublish_at: instant('unpublish_at').nullable().optional().openapi({
    description:
      'A time in the future, after `scheduled_at`, at which the post becomes a draft, as if its status were set to `draft` then. Unpublishing it earlier removes it.',
    example: '2026-12-24T18:00:00+01:00',
  }),
  schedule_zone: z
    .string('schedule_zone must be a string.')
    .refine(isZone, 'schedule_zone must be the name of a time zone, such as Europe/Berlin.')
    .nullable()
    .optional()
    .openapi({
      description:
        'The time zone by which the schedule was planned, an IANA name, for showing it again; `scheduled_at` alone says when. Allowed only with the status `scheduled`.',
      example: 'Asia/Tokyo',
    }),
}

/** A new post. */
export const CreatePost = z.strictObject({ ...postFields, ...readOnlyPostFields }).openapi('CreatePost')
/** Any subset of what can be changed about a post. */
export const UpdatePost = z
  .strictObject({
    ...postFields,
    title: givenFields.title.optional(),
    slug: FIELDS.slug.given
      .nullable()
      .optional()
      .openapi({ description: `Null derives it from the title, as for a new post. ${SLUG_RULE}` }),
    ...readOnlyPostFields,
  })
  .openapi('UpdatePost')

/** Where to publish a post. */
export const PublishPost = z
  .strictObject({
    site_ids: SiteIds.min(1, 'Give the id of at least one site, or leave site_ids out to publish to all.')
      .optional()
      .openapi({
        description:
          "Sites of the account that are not inactive. A published post keeps the ones that it has; any other post is for these sites from now on. Default: all of the post's own `site_ids` that are not inactive.",
      }),
  })
  .openapi('PublishPost')

/** Where a post is on its way to. */
export const Dispatched = z
  .object({
    post_id: Id,
    dispatched_to: z.array(z.object({ site_id: Id, status: z.literal('pending') })),
    estimated_delivery: Timestamp.openapi({ description: 'When all first attempts are likely to have been made.' }),
  })
  .openapi('Dispatched')

/** Which posts to list. */
export const ListQuery = PageQuery.extend({
  status: PostStatus.optional().openapi({
    description: 'Only posts with this status. Default: all that are not in the trash.',
  }),
  site_id: z.string().optional().openapi({ description: 'Only published posts that are visible to this site.' }),
  tag: queryText('The tag').optional().openapi({ description: 'Only posts with this tag.' }),
  search: z.string().optional().openapi({
    description:
      'Words in title and text; "quoted" words are a phrase; case and accents do not matter. Finds at most 500 posts, the newest ones.',
  }),
})

/** Which posts to list without their texts, and in which order. */
export const SummariesQuery = ListQuery.extend({
  sort: z
    .enum(['newest', 'updated_at', 'scheduled_at'], 'sort must be "newest", "updated_at" or "scheduled_at".')
    .default('newest')
    .openapi({
      description:
        '`updated_at`: the last changed first; `scheduled_at`: the next to be published first. Ignored with `search`: the best match comes first.',
    }),
  from: edge(
    'Only posts that are published or scheduled, since or for then: an ISO 8601 date, or a time with an offset.',
  ),
  to: edge(
    'Only posts that are published or scheduled, until then: an ISO 8601 date (to its end), or a time with an offset.',
  ),
})

const StandingDelivery = PostDelivery.extend({
  live: Live,
  event: z.enum(['post.published', 'post.updated', 'post.deleted']),
  attempts: z.int(),
  last_error: z.string().nullable(),
  next_attempt_at: Timestamp.nullable(),
}).openapi('StandingDelivery', { description: 'The state of a post at a site: its newest delivery there.' })

const PostSummaryBody = PostBody.omit({ body: true })
  .extend({ deliveries: z.array(StandingDelivery) })
  .openapi('ListedPost')

/** A page of posts without their texts. */
export const PostSummaryPage = z
  .object({ data: z.array(PostSummaryBody), pagination: Pagination })
  .openapi('ListedPostPage')

const BULK_ACTIONS = ['publish', 'unpublish', 'trash', 'untrash', 'delete', 'tag', 'untag'] as const

/** One action on many posts. */
export const ChangePosts = z
  .strictObject({
    action: z.enum(BULK_ACTIONS, `The action must be one of ${BULK_ACTIONS.join(', ')}.`),
    ids: z
      .array(z.string('A post id must be a string.'), 'ids must be an array of post ids.')
      .min(1, 'Give the id of at least one post.')
      .max(100, 'Give the ids of at most 100 posts at once.'),
    tag: text('A tag', { min: 1, max: 64 })
      .optional()
      .openapi({ description: 'Required with the actions "tag" and "untag", and allowed only with them.' }),
    site_ids: SiteIds.nullable().optional().openapi({
      description:
        'Allowed only with the action "publish": the sites that the posts are for from now on, null for all. Posts that are published already are not sent again to sites that have them. Default: each post goes to its own sites.',
    }),
    primary_site_id: z.string('A site id must be a string.').optional().openapi({
      description:
        'Allowed only with the action "publish": the site with the original of those of the posts that have none. The others keep theirs.',
    }),
  })
  .transform((change, context): { ids: string[]; bulk: BulkAction } => {
    const { action, ids, tag, site_ids: siteIds, primary_site_id: primarySiteId } = change
    for (const field of ['site_ids', 'primary_site_id'] as const)
      if (change[field] !== undefined && action !== 'publish') {
        context.addIssue({ code: 'custom', path: [field], message: `"${action}" takes no ${field}.` })
        return z.NEVER
      }
    const takesTag = action === 'tag' || action === 'untag'
    if (takesTag && tag !== undefined) return { ids, bulk: { action, tag } }
    if (action === 'publish' && tag === undefined) return { ids, bulk: { action, siteIds, primarySiteId } }
    if (!takesTag && tag === undefined) return { ids, bulk: { action } }
    const message = takesTag ? `"${action}" needs a tag.` : `"${action}" takes no tag.`
    context.addIssue({ code: 'custom', path: ['tag'], message })
    return z.NEVER
  })
  .openapi('ChangePosts')

/** What became of one action on many posts. */
export const PostsChanged = z
  .object({
    changed: z.array(Id),
    missing: z.int().openapi({ description: 'How many of the posts do not exist, or no longer exist.' }),
  })
  .openapi('PostsChanged')

/** Presents a post as on the wire. */
export function presentPost(post: WithAudience<StoredPost>) {
  return {
    ...presentBriefly(post),
    body: presentBody(post),
  }
}

function presentBriefly(post: PostSummary['post']) {
  return {
    id: post.id,
    version: post.version,
    ...pickFields(post, FIELD_NAMES),
    status: post.status,
    ...(post.trashed_at === null ? {} : { trashed_at: post.trashed_at }),
    has_changes: post.has_changes,
    site_ids: post.site_ids,
    scheduled_at: post.scheduled_at,
    ...(post.schedule_zone === null ? {} : { schedule_zone: post.schedule_zone }),
    unpublish_at: post.unpublish_at,
    published_at: post.published_at,
    late_by_seconds: lateBySeconds(post.due_at, post.published_at),
    created_at: post.created_at,
    updated_at: post.updated_at,
  }
}

/** Presents a post without its text as on the wire. */
export function presentSummary({ post, deliveries }: PostSummary) {
  return {
    ...presentBriefly(post),
    deliveries: deliveries.map((one) => ({
      site_id: one.siteId,
      event: one.event,
      status: one.status,
      attempts: one.attempts,
      last_error: one.lastError,
      delivered_at: one.deliveredAt,
      live: presentLive(one),
      next_attempt_at: one.nextAttemptAt,
    })),
  }
}

/** Presents a post with its deliveries as on the wire. */
export function presentWithDeliveries({ post, deliveries }: PostWithDeliveries<StoredPost>) {
  return {
    ...presentPost(post),
    deliveries: deliveries.map(({ siteId, status, deliveredAt }) => ({
      site_id: siteId,
      status,
      delivered_at: deliveredAt,
    })),
  }
}

/** Presents a post after a write, with the warnings about its body. */
export function presentWritten({ losses, ...written }: WrittenPost) {
  return { ...presentWithDeliveries(written), ...presentLosses(losses) }
}

/** Presents what a conversion could not keep: nothing at all if it kept everything. */
export function presentLosses(losses: readonly Loss[]) {
  if (losses.length === 0) return {}
  return { warnings: losses.map(({ field, ...loss }) => ({ ...loss, field: `body.${field}` })) }
}
