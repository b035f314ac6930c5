import { accountAuth } from '../../accounts/index.ts'
import { type Endpoint, endpoint, IdParams } from '../../platform/http/endpoint.ts'
import { ifMatch } from '../../platform/http/etag.ts'
import { ETAG, etagOf, IfMatchCopy } from '../etag.ts'
import { examplePublished } from '../examples.ts'
import { CONTENT_FIELDS, pickFields } from '../fields.ts'
import { editorOf, holdsPost, seesPost } from '../reach.ts'
import { PostWithDeliveriesBody, presentWithDeliveries } from '../wire.ts'
import { copyTag, discardWorkingCopy, getWorkingCopy, publishWorkingCopy, saveWorkingCopy } from './operations.ts'
import { presentCopy, presentSaved, SaveWorkingCopy, WorkingCopyBody } from './wire.ts'

const shared = { tag: 'Posts', path: '/api/posts/{id}/working-copy', params: IdParams } as const

const exampleCopy = {
  post_id: examplePublished.id,
  save_id: '01a19b52-6c40-7a3e-8f15-2d9b7e60c4a1',
  based_on: 1,
  saved_at: '2026-11-02T09:12:00.000Z',
  ...pickFields(examplePublished, CONTENT_FIELDS),
  title: 'Bread without kneading, and without a machine',
  body: examplePublished.body,
}
const COPY_TAG = {
  ETag: {
    description: 'Stands for what was saved, for use in `If-Match`.',
    example: '"01a19b52-6c40-7a3e-8f15-2d9b7e60c4a1"',
  },
}

/** The working copies of posts. */
export const workingCopyRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'get',
    auth: accountAuth('posts:read', seesPost),
    name: 'getWorkingCopy',
    summary: 'Get the unpublished changes of a post',
    description:
      'The whole content of the post with the changes. 404 if there are none: `has_changes` of the post says so.',
    replies: {
      200: {
        description: 'The working copy.',
        schema: WorkingCopyBody,
        examples: { 'Another title': exampleCopy },
        headers: COPY_TAG,
      },
    },
    errors: [],
    async handler({ ctx, principal, params }) {
      const copy = await getWorkingCopy(ctx, principal.accountId, params.id)
      return { status: 200, body: presentCopy(copy), headers: { ETag: copyTag(copy) } }
    },
  }),
  endpoint({
    ...shared,
    method: 'put',
    auth: accountAuth('posts:write', holdsPost),
    name: 'saveWorkingCopy',
    summary: 'Save changes to a post without publishing them',
    description:
      'Replaces the changes that were saved before; fields that are left out are as in the post. No site is sent anything, and the post stays as it is.',
    headers: IfMatchCopy,
    body: SaveWorkingCopy,
    bodyExamples: { 'Another title': { title: exampleCopy.title } },
    replies: {
      200: {
        description: 'The working copy.',
        schema: WorkingCopyBody,
        examples: { 'Another title': exampleCopy },
        headers: COPY_TAG,
      },
    },
    errors: ['precondition_failed'],
    async handler({ ctx, principal, params, body: { based_on: basedOn, ...input }, header }) {
      const given = { ...input, basedOn }
      const saved = await saveWorkingCopy(ctx, principal.accountId, params.id, given, ifMatch(header('if-match')))
      return { status: 200, body: presentSaved(saved), headers: { ETag: copyTag(saved.copy) } }
    },
  }),
  endpoint({
    ...shared,
    method: 'delete',
    auth: accountAuth('posts:write', holdsPost),
    name: 'discardWorkingCopy',
    summary: 'Discard the unpublished changes of a post',
    description: 'The post stays as it is.',
    headers: IfMatchCopy,
    replies: { 204: { description: 'The changes are discarded.', schema: null } },
    errors: ['invalid', 'precondition_failed'],
    async handler({ ctx, principal, params, header }) {
      await discardWorkingCopy(ctx, principal.accountId, params.id, ifMatch(header('if-match')))
      return { status: 204 }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/posts/{id}/working-copy/publish',
    atomic: true,
    auth: accountAuth('posts:publish', holdsPost),
    name: 'publishWorkingCopy',
    summary: 'Publish the changes of a post',
    description:
      'Makes the changes part of the post, as one `PATCH` would; a published post is sent to the sites that have it. 409 if the post was changed after the changes were begun.',
    headers: IfMatchCopy,
    replies: {
      200: {
        description: 'The post with the changes.',
        schema: PostWithDeliveriesBody,
        examples: { 'The changed post': { ...examplePublished, version: 2, title: exampleCopy.title } },
        headers: ETAG,
      },
    },
    errors: ['invalid', 'conflict', 'precondition_failed'],
    async handler({ ctx, principal, params, header }) {
      const hasSeen = ifMatch(header('if-match'))
      const published = await publishWorkingCopy(ctx, principal.accountId, params.id, hasSeen, editorOf(principal))
      return { status: 200, body: presentWithDeliveries(published), headers: etagOf(published) }
    },
  }),
]
