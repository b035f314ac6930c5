import { accountAuth } from '../../accounts/index.ts'
import { type Endpoint, endpoint, IdParams } from '../../platform/http/endpoint.ts'
import { ETAG, etagOf, IfMatch } from '../etag.ts'
import { exampleDraft } from '../examples.ts'
import { TRASH_DAYS } from '../policy.ts'
import { changeCheck, editorOf, holdsPost } from '../reach.ts'
import { PostWithDeliveriesBody, presentWithDeliveries } from '../wire.ts'
import { trashPost, untrashPost } from './operations.ts'

const shared = { tag: 'Posts' } as const

/** The trash. */
export const trashRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/posts/{id}/trash',
    atomic: true,
    auth: accountAuth('posts:publish', holdsPost),
    name: 'trashPost',
    summary: 'Put a post into the trash',
    description: `The sites that have the post are sent \`post.deleted\`. It is in no list but \`GET /api/posts?status=trash\`, and only \`untrash\` and \`DELETE\` find it. It is deleted ${TRASH_DAYS} days later.`,
    params: IdParams,
    headers: IfMatch,
    replies: {
      200: {
        description: 'The post in the trash.',
        schema: PostWithDeliveriesBody,
        examples: { 'In the trash': { ...exampleDraft, status: 'trash', trashed_at: '2026-11-02T08:30:00.000Z' } },
        headers: ETAG,
      },
    },
    errors: ['invalid', 'precondition_failed'],
    async handler({ ctx, principal, params, header }) {
      const check = changeCheck(principal, header('if-match'))
      const trashed = await trashPost(ctx, principal.accountId, params.id, check, editorOf(principal))
      return { status: 200, body: presentWithDeliveries(trashed), headers: etagOf(trashed) }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/posts/{id}/untrash',
    atomic: true,
    auth: accountAuth('posts:write', holdsPost),
    name: 'untrashPost',
    summary: 'Take a post out of the trash',
    description:
      'The post is a draft, with its text, its revisions and its sites. If another post has its slug by now, its own ends in a number.',
    params: IdParams,
    replies: {
      200: {
        description: 'The draft.',
        schema: PostWithDeliveriesBody,
        examples: { 'A draft again': exampleDraft },
        headers: ETAG,
      },
    },
    errors: [],
    async handler({ ctx, principal, params }) {
      const draft = await untrashPost(ctx, principal.accountId, params.id)
      return { status: 200, body: presentWithDeliveries(draft), headers: etagOf(draft) }
    },
  }),
]
