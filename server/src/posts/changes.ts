import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import type { PostRow } from './tables.ts'

type Changed = Pick<PostRow, 'id' | 'account_id'>

/** Tells that the transaction has made, changed or removed posts. */
export function notePosts(ctx: Pick<Context, 'changes'>, tx: Tx, posts: readonly Changed[]): void {
  ctx.changes.note(
    tx,
    posts.map((post) => ({ owner: post.account_id, kind: 'post', id: post.id })),
  )
}
