import { z } from 'zod'
import { ANYWHERE, accountAuth, sitesOf } from '../../accounts/index.ts'
import { type Endpoint, endpoint, Id, IdParams, TimestampText } from '../../platform/http/endpoint.ts'
import { pageLimit } from '../../platform/http/pagination.ts'
import { editorOf, holdsPost } from '../reach.ts'
import { dismissProposal, type ListedProposal, proposalsOf, propose } from './operations.ts'

const MOST_REASON = 1_000
const REASON = `reason must be a text of 1 to ${MOST_REASON.toLocaleString('en')} characters.`

const Propose = z
  .strictObject({
    reason: z
      .string(REASON)
      .trim()
      .min(1, REASON)
      .max(MOST_REASON, REASON)
      .openapi({ description: 'Why it should be published, for whoever decides. Shown as plain text.' }),
  })
  .openapi('Propose')

const ProposalBody = z
  .object({
    post_id: Id,
    title: z.string().openapi({ description: 'The title that would be published.' }),
    status: z.enum(['draft', 'scheduled', 'published']).openapi({
      description: 'Of the post. The proposal for one that is published is to publish its working copy.',
    }),
    by: z.string().nullable().openapi({ description: 'The name of the token; null if a person proposes it.' }),
    reason: z.string(),
    at: TimestampText,
    changed_since: z.boolean().openapi({ description: 'Whether the post, or its working copy, was changed since.' }),
  })
  .openapi('Proposal')

const exampleProposal = {
  post_id: '01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071',
  title: 'Bread without kneading',
  status: 'draft' as const,
  by: 'Claude',
  reason: 'The recipe was tested twice, and the newsletter of Friday links to it.',
  at: '2026-11-02T07:50:00.000Z',
  changed_since: false,
}

function present({ postId, title, status, proposal: { by, reason, at }, changedSince }: ListedProposal) {
  return { post_id: postId, title, status, by, reason, at, changed_since: changedSince }
}

const shared = { tag: 'Posts' } as const
const ofOne = { ...shared, path: '/api/posts/{id}/proposal', params: IdParams } as const

/** Proposals to publish posts. */
export const proposalRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/proposals',
    auth: accountAuth('posts:read', ANYWHERE),
    name: 'listProposals',
    summary: 'List the proposals to publish posts',
    description: 'Newest first. One that was followed, or whose post is in the trash, is not there any more.',
    query: z.object({
      post_id: z.string().optional().openapi({ description: 'Only the one about this post.', format: 'uuid' }),
      limit: pageLimit(20, 'The most proposals.'),
    }),
    replies: {
      200: {
        description: 'The proposals.',
        schema: z.object({ proposals: z.array(ProposalBody) }).openapi('ProposalList'),
        examples: { 'One proposal': { proposals: [exampleProposal] }, 'None now': { proposals: [] } },
      },
    },
    errors: [],
    async handler({ ctx, principal, query: { post_id: postId, limit } }) {
      const found = await proposalsOf(ctx, principal.accountId, { postId, siteIds: sitesOf(principal), limit })
      return { status: 200, body: { proposals: found.map(present) } }
    },
  }),
  endpoint({
    ...ofOne,
    method: 'put',
    auth: accountAuth('posts:write', holdsPost),
    name: 'proposePost',
    summary: 'Propose to publish a post',
    description:
      'For programs that write and may not publish: the dashboard shows the proposal in the overview and in the post, and a person decides. It replaces an earlier one. For a published post it is about its working copy; 409 if it has none.',
    body: Propose,
    bodyExamples: { 'With a reason': { reason: exampleProposal.reason } },
    replies: {
      200: { description: 'The proposal.', schema: ProposalBody, examples: { 'The proposal': exampleProposal } },
    },
    errors: ['conflict'],
    async handler({ ctx, principal, params, body: { reason } }) {
      const by = editorOf(principal).revised_by_name
      return { status: 200, body: present(await propose(ctx, principal.accountId, params.id, { by, reason })) }
    },
  }),
  endpoint({
    ...ofOne,
    method: 'delete',
    auth: accountAuth('posts:write', holdsPost),
    name: 'dismissProposal',
    summary: 'Dismiss a proposal to publish a post',
    description: 'The post stays as it is.',
    replies: { 204: { description: 'The proposal is gone.', schema: null } },
    errors: [],
    async handler({ ctx, principal, params }) {
      await dismissProposal(ctx, principal.accountId, params.id)
      return { status: 204 }
    },
  }),
]
