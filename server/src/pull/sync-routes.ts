import { z } from 'zod'
import { expectBuild } from '../deliveries/index.ts'
import { type Endpoint, endpoint } from '../platform/http/endpoint.ts'
import { replyUnlessKnown } from '../platform/http/etag.ts'
import { PageQuery } from '../platform/http/pagination.ts'
import { examplePost } from '../posts/index.ts'
import { pullChanges } from './changes.ts'
import { compareHeld, pullDigest } from './digest.ts'
import { siteKeyAuth } from './gate.ts'
import { confirmAll } from './operations.ts'
import {
  CACHING,
  ConfirmationResults,
  ConfirmationsBody,
  Differences,
  Digest,
  HaveBody,
  IfNoneMatch,
  Include,
  NOT_MODIFIED,
  PostChanges,
} from './wire.ts'

const shared = { tag: 'Pull', auth: siteKeyAuth } as const
const { id, slug, version } = examplePost
const exampleCursor = 'MTc5MzYwNjQwMDAwMDAwMC5mZmZmZmZmZi1mZmZmLWZmZmYtZmZmZi1mZmZmZmZmZmZmZmYuMA'
const exampleChange = { event: 'published', post_id: id, slug, version, at: '2026-11-02T08:00:00.000Z' }

/** How a site stays level with the service without having to receive every webhook. */
export const syncRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/pull/changes',
    name: 'pullChanges',
    summary: 'List what has changed for the site',
    description:
      "Every post that changed since the cursor, once, as it is now; posts that the site may not show any more are `deleted`. Without a cursor: every post that the site may show. Ask again with the answer's cursor while `more` is true. Removals are remembered for 90 days; a cursor that is older than what is remembered is answered 410.",
    query: z.object({
      cursor: z.string().optional().openapi({ description: 'The `cursor` of an earlier answer.' }),
      limit: PageQuery.shape.limit,
      include: Include,
    }),
    headers: IfNoneMatch,
    replies: {
      200: {
        description:
          'The changes, oldest first. With `include=body` there may be fewer than asked for, if they are long.',
        schema: PostChanges,
        examples: {
          'One change': { changes: [exampleChange], cursor: exampleCursor, more: false },
          'With its body': {
            changes: [{ ...exampleChange, post: { ...examplePost, updated_at: examplePost.published_at } }],
            cursor: exampleCursor,
            more: false,
          },
        },
        headers: CACHING,
      },
      304: NOT_MODIFIED,
    },
    errors: ['gone'],
    async handler({ ctx, principal, query: { cursor, limit, include }, header }) {
      const answer = await pullChanges(ctx, principal, { cursor, limit, withBody: include === 'body' })
      await expectBuild(ctx, principal.siteId)
      return replyUnlessKnown(answer, header('if-none-match'))
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/pull/confirmations',
    name: 'confirmDeliveries',
    summary: 'Confirm many deliveries or report their failures',
    description:
      'Up to 100 reports at once, each as `POST /api/pull/confirm` takes it, but for `site_id`, which may be left out. Each is stored or refused by itself.',
    body: ConfirmationsBody,
    bodyExamples: {
      'The site has a version': { confirmations: [{ post_id: id, status: 'delivered', version }] },
    },
    replies: {
      200: {
        description: 'What became of each report, in their order.',
        schema: ConfirmationResults,
        examples: {
          'One stored, one refused': {
            confirmations: [
              { post_id: id, status: 'delivered' },
              { post_id: 'nonsense', error: 'not_found', message: 'There is no such post for this site.' },
            ],
          },
        },
      },
    },
    errors: [],
    async handler({ ctx, principal, body }) {
      return { status: 200, body: { confirmations: await confirmAll(ctx, principal, body.confirmations) } }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/pull/digest',
    name: 'pullDigest',
    summary: 'Get a digest of what the site should have',
    description: 'For finding out with one small request whether the site has every post in its current version.',
    replies: {
      200: {
        description: 'The number of posts, and their digest.',
        schema: Digest,
        examples: {
          'Nothing is published': {
            posts: 0,
            digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
          },
        },
      },
    },
    errors: [],
    async handler({ ctx, principal }) {
      return { status: 200, body: await pullDigest(ctx, principal) }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/pull/digest',
    name: 'comparePosts',
    summary: 'Compare what the site has with what it should have',
    description:
      'Says which posts the site lacks, which it has in an older version and which it should not show. With `send`, the first two are sent to it by webhook.',
    body: HaveBody,
    bodyExamples: { 'One post': { have: [{ id, version }] } },
    replies: {
      200: {
        description: 'The differences.',
        schema: Differences,
        examples: { 'One is missing': { missing: [{ id, slug, version }], outdated: [], extra: [] } },
      },
    },
    errors: [],
    async handler({ ctx, principal, body: { have, send = false } }) {
      return { status: 200, body: await compareHeld(ctx, principal, have, send) }
    },
  }),
]
