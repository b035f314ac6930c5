/** What sites send and get in the Pull API, beyond the posts themselves (specification, section 4). */
import { z } from 'zod'
import { Id, Timestamp } from '../platform/http/endpoint.ts'
import { text, textError } from '../platform/http/text.ts'
import { httpUrlOrPath } from '../platform/http/url.ts'
import { PulledPost } from '../posts/index.ts'

/** What a site may report of a post. */
const ReportedStatus = z.enum(['delivered', 'failed'], 'The status must be "delivered" or "failed".')

const reportFields = {
  post_id: z.string(textError('post_id')),
  site_id: z.string(textError('site_id')).openapi({ description: "The id of the key's own site." }),
  status: ReportedStatus,
  version: z.int('version must be a whole number.').min(1, 'version must be at least 1.').optional().openapi({
    description:
      'The version of the post that the site has: deliveries of newer versions go on. Without it the report is about the newest.',
  }),
  published_url: httpUrlOrPath('published_url').optional().openapi({
    description:
      'The address at which the site shows the post, or its path on the host of the site’s `url`; the delivery shows it as `live`.',
  }),
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
}

/** A site's report of a post. */
export const ConfirmBody = z.strictObject(reportFields).openapi('Confirm')

/** What the service answers to it. */
export const Confirmed = z
  .object({ post_id: Id, site_id: Id, status: ReportedStatus, confirmed_at: Timestamp })
  .openapi('Confirmed')

/** Reports of many posts. */
export const ConfirmationsBody = z
  .strictObject({
    confirmations: z
      .array(
        z.strictObject({ ...reportFields, site_id: reportFields.site_id.optional() }).openapi('Confirmation'),
        'confirmations must be an array.',
      )
      .min(1, 'Give at least one confirmation.')
      .max(100, 'Give at most 100 confirmations at once.'),
  })
  .openapi('Confirmations')

/** What became of each of them, in their order. */
export const ConfirmationResults = z
  .object({
    confirmations: z.array(
      z
        .object({
          post_id: z.string(),
          status: ReportedStatus.optional().openapi({ description: 'The report is stored.' }),
          error: z.string().optional().openapi({ description: 'The report was refused, for this reason.' }),
          message: z.string().optional(),
        })
        .openapi('ConfirmationResult'),
    ),
  })
  .openapi('ConfirmationResults')

const PostChange = z
  .object({
    event: z.enum(['published', 'updated', 'deleted']).openapi({
      description: '`deleted`: the site may not show the post any more. `published`: it could not before.',
    }),
    post_id: Id,
    slug: z.string(),
    version: z.int(),
    at: Timestamp.openapi({ description: 'When it last changed.' }),
    post: PulledPost.optional().openapi({ description: 'With `include=body`, unless it is `deleted`.' }),
  })
  .openapi('PostChange')

/** A part of what has changed. */
export const PostChanges = z
  .object({
    changes: z.array(PostChange),
    cursor: z.string().openapi({ description: 'Where to go on next time. Keep it after the changes are stored.' }),
    more: z.boolean().openapi({ description: 'Whether there is more now.' }),
  })
  .openapi('PostChanges')

/** What a site should have, in a few bytes. */
export const Digest = z
  .object({
    posts: z.int().openapi({ description: 'How many posts the site should have.' }),
    digest: z.string().openapi({
      description:
        'SHA-256 in lower-case hex of the lines `id:version`, sorted, joined by line feeds; of the empty text if there are none.',
    }),
  })
  .openapi('PullDigest')

const versionMessage = 'version must be a whole number from 0 to 2147483647.'
const PostVersion = z.int(versionMessage).min(0, versionMessage).max(2_147_483_647, versionMessage)

/** What a site has. */
export const HaveBody = z
  .strictObject({
    have: z
      .array(z.strictObject({ id: z.string(textError('id')), version: PostVersion }), 'have must be an array.')
      .max(10_000, 'Give at most 10,000 posts.'),
    send: z.boolean().optional().openapi({
      description: 'Whether to send the missing and the outdated posts by webhook, oldest first. Default: false.',
    }),
  })
  .openapi('HeldPosts')

const ShouldHave = z.object({ id: Id, slug: z.string(), version: z.int() })

/** How it differs from what the site should have. */
export const Differences = z
  .object({
    missing: z.array(ShouldHave),
    outdated: z.array(ShouldHave).openapi({ description: 'The site has an older version.' }),
    extra: z.array(z.string()).openapi({ description: 'The ids of posts that the site should not show.' }),
  })
  .openapi('PullDifferences')

/** The `include` of lists and changes. */
export const Include = z.enum(['body'], 'include must be "body".').optional().openapi({
  description: '`body`: the posts have the same fields as when they are got one by one.',
})

/** For conditional requests. */
export const IfNoneMatch = z.object({
  'If-None-Match': z
    .string()
    .optional()
    .openapi({ description: 'The ETag you have; if the content is unchanged, the response is 304 without a body.' }),
})
/** The headers of what may be cached. */
export const CACHING = {
  ETag: {
    description: 'Changes with the content; for use in `If-None-Match`.',
    example: '"kL3uQz0VbYc4xWm2Tq8hRfN1aeo"',
  },
  'Cache-Control': {
    description: 'The response may be cached, but must be revalidated before use.',
    example: 'private, no-cache',
  },
}
/** The answer to who has it already. */
export const NOT_MODIFIED = { description: 'Unchanged since the given ETag.', schema: null, headers: CACHING }
