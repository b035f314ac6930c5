import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import type { PostRow } from './tables.ts'

type Changed = Pick<PostRow, 'id' | 'account_id'>

/** Notes that the transaction creates, changes or removes posts, for live updates. */
export function notePosts(ctx: Pick<Context, 'changes'>, tx: Tx, posts: readonly Changed[]): void {
  ctx.changes.note(
    tx,
    posts.map((post) => ({ owner: post.account_id, kind: 'post', id: post.id })),
  )
}
