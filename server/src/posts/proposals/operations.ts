/**
 * Proposals to publish a post: what a program, or a person who may not publish, asks for and somebody else decides. A post has at most one.
 * It is gone once what it is about has been published, planned or discarded: the working copy if there is one, or else the post.
 */
import { sql } from 'kysely'
import type { Context } from '../../platform/context.ts'
import { fail } from '../../platform/errors.ts'
import { versionTag } from '../../platform/http/etag.ts'
import { isId } from '../../platform/ids.ts'
import { isForOneOf } from '../audience.ts'
import { notePosts } from '../changes.ts'
import { withLockedPost } from '../locked.ts'
import type { PostsTx } from '../revision.ts'
import type { PostRow, Proposal } from '../tables.ts'
import { copyTag } from '../working-copy/operations.ts'
import { findCopy } from '../working-copy/store.ts'
import { updatePost } from '../writes.ts'

/** A proposal, with the post that it is about. `changedSince`: the post, or its working copy, is not what was proposed any more. */
export type ListedProposal = {
  postId: string
  title: string
  status: PostRow['status']
  hasChanges: boolean
  proposal: Proposal
  changedSince: boolean
}

/** Proposes to publish a post or, if it is published, its working copy; replaces an earlier proposal. Throws `not_found`, `conflict`. */
export async function propose(
  ctx: Context,
  accountId: string,
  id: string,
  { by, reason }: Pick<Proposal, 'by' | 'reason'>,
): Promise<ListedProposal> {
  return withLockedPost(ctx, accountId, id, async (tx, post) => {
    if (post.status === 'published' && !post.has_changes)
      throw fail('conflict', 'The post is published as it is: there are no changes to publish.', { field: 'status' })
    const copy = post.has_changes ? await findCopy(tx, post.id) : undefined
    const seen = copy === undefined ? versionTag(post.version) : copyTag(copy)
    const proposal: Proposal = { by, reason, at: ctx.clock.now().toISOString(), seen }
    const { title, status, has_changes: hasChanges } = await store(ctx, tx, post, proposal)
    return { postId: post.id, title, status, hasChanges, proposal, changedSince: false }
  })
}

/** Removes the proposal about a post. Throws `not_found` without one. */
export async function dismissProposal(ctx: Context, accountId: string, id: string): Promise<void> {
  await withLockedPost(ctx, accountId, id, async (tx, post) => {
    if (post.proposal === null) throw fail('not_found', 'Nobody proposes to publish this post.')
    await store(ctx, tx, post, null)
  })
}

/** The newest proposals of an account, newest first. `siteIds`: only about posts that one of these sites gets. */
export async function proposalsOf(
  { db }: Pick<Context, 'db'>,
  accountId: string,
  { postId, siteIds, limit }: { postId?: string | undefined; siteIds?: readonly string[] | undefined; limit: number },
): Promise<ListedProposal[]> {
  const { rows } = await sql<ListedProposal>`
    select id as "postId", coalesce(w.fields ->> 'title', title) as title, status, has_changes as "hasChanges", proposal,
      coalesce('"' || w.save_id || '"', '"' || version || '"') <> proposal ->> 'seen' as "changedSince"
    from posts left join working_copies w on w.post_id = posts.id
    where posts.account_id = ${accountId} and proposal is not null and status <> 'trash'
      ${postId === undefined ? sql`` : sql`and id = ${isId(postId) ? postId : null}`}
      ${siteIds === undefined ? sql`` : sql`and ${isForOneOf(siteIds)}`}
    order by proposal ->> 'at' desc, id desc limit ${limit}
  `.execute(db.root)
  return rows
}

async function store(ctx: Context, tx: PostsTx, post: PostRow, proposal: Proposal | null): Promise<PostRow> {
  notePosts(ctx, tx, [post])
  return updatePost(tx, post, { proposal: proposal === null ? null : JSON.stringify(proposal) })
}
