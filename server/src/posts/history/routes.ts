import { accountAuth } from '../../accounts/index.ts'
import { type Endpoint, endpoint, IdParams } from '../../platform/http/endpoint.ts'
import { ETAG, etagOf, IfMatch } from '../etag.ts'
import { exampleDraft } from '../examples.ts'
import { CONTENT_FIELDS, pickFields } from '../fields.ts'
import { changeCheck, editorOf, holdsPost, seesPost } from '../reach.ts'
import { PostWithDeliveriesBody, presentWithDeliveries } from '../wire.ts'
import { compareRevisions, getRevision, restoreRevision, revisionsOf } from './operations.ts'
import {
  DiffBody,
  DiffQuery,
  presentRevisionBody,
  presentRevisionSummary,
  RevisionBody,
  RevisionPage,
  RevisionParams,
  RevisionsQuery,
  versionIn,
} from './wire.ts'

const shared = { tag: 'Posts' } as const

const exampleRevision = {
  version: 1,
  at: '2026-11-02T07:59:00.000Z',
  by: 'person' as const,
  by_name: null,
  sent: false,
  words: 2,
  title: exampleDraft.title,
}

/** The revisions of posts. */
export const revisionRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/posts/{id}/revisions',
    auth: accountAuth('posts:read', seesPost),
    name: 'listRevisions',
    summary: 'List the versions of a post',
    description:
      'Newest first; the first one is the present one. All versions that were sent to sites are kept, and the last 100 others.',
    params: IdParams,
    query: RevisionsQuery,
    replies: {
      200: {
        description: 'A page of versions, without their texts.',
        schema: RevisionPage,
        examples: {
          'Two versions': { revisions: [{ ...exampleRevision, version: 2, words: 5 }, exampleRevision], cursor: null },
        },
      },
    },
    errors: [],
    async handler({ ctx, principal, params, query: { cursor: before, limit } }) {
      const { revisions, cursor } = await revisionsOf(ctx, principal.accountId, params.id, { before, limit })
      return { status: 200, body: { revisions: revisions.map(presentRevisionSummary), cursor } }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/posts/{id}/revisions/diff',
    auth: accountAuth('posts:read', seesPost),
    name: 'diffRevisions',
    summary: 'Compare two versions of a post',
    description: 'The fields that differ, and the blocks of both texts with the words that came and went.',
    params: IdParams,
    query: DiffQuery,
    replies: {
      200: {
        description: 'What differs.',
        schema: DiffBody,
        examples: {
          'A new title and a new word': {
            from: 1,
            to: 2,
            fields: [{ field: 'title', from: 'Bread', to: exampleDraft.title }],
            blocks: [
              {
                change: 'changed',
                type: 'paragraph',
                words: [
                  { change: 'same', text: 'Mix flour' },
                  { change: 'added', text: ' and water' },
                ],
              },
            ],
          },
        },
      },
    },
    errors: [],
    async handler({ ctx, principal, params, query }) {
      return { status: 200, body: await compareRevisions(ctx, principal.accountId, params.id, query) }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/posts/{id}/revisions/{version}',
    auth: accountAuth('posts:read', seesPost),
    name: 'getRevision',
    summary: 'Get a version of a post',
    description: 'Its fields and its text in all forms, as they were.',
    params: RevisionParams,
    replies: {
      200: {
        description: 'The version.',
        schema: RevisionBody,
        examples: {
          'The first version': {
            ...exampleRevision,
            ...pickFields(exampleDraft, CONTENT_FIELDS),
            body: exampleDraft.body,
          },
        },
      },
    },
    errors: [],
    async handler({ ctx, principal, params }) {
      const revision = await getRevision(ctx, principal.accountId, params.id, versionIn(params))
      return { status: 200, body: presentRevisionBody(revision) }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/posts/{id}/revisions/{version}/restore',
    atomic: true,
    auth: accountAuth('posts:write', holdsPost),
    name: 'restoreRevision',
    summary: 'Go back to a version of a post',
    description:
      'Gives the post the fields and the text of the version, as a new version; its slug, status and sites stay. A published post is sent to the sites that have it, as after any other change.',
    params: RevisionParams,
    headers: IfMatch,
    replies: {
      200: {
        description: 'The post at its new version.',
        schema: PostWithDeliveriesBody,
        examples: { 'A draft': { ...exampleDraft, version: 3 } },
        headers: ETAG,
      },
    },
    errors: ['invalid', 'precondition_failed'],
    async handler({ ctx, principal, params, header }) {
      const check = changeCheck(principal, header('if-match'))
      const restored = await restoreRevision(
        ctx,
        principal.accountId,
        params.id,
        versionIn(params),
        check,
        editorOf(principal),
      )
      return { status: 200, body: presentWithDeliveries(restored), headers: etagOf(restored) }
    },
  }),
]
