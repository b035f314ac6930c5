/** Work on one post that nobody else changes meanwhile. */
import type { Context } from '../platform/context.ts'
import { isId } from '../platform/ids.ts'
import { lockPost } from './queries.ts'
import { postNotFound } from './read.ts'
import { type PostsTx, postsTx } from './revision.ts'
import type { PostRow } from './tables.ts'

/** Runs `work` in a transaction that has locked the post. Throws `not_found` for one that does not exist or is in the trash. */
export async function withLockedPost<Result>(
  { db }: Pick<Context, 'db'>,
  accountId: string,
  id: string,
  work: (tx: PostsTx, post: PostRow) => Promise<Result>,
): Promise<Result> {
  if (!isId(id)) throw postNotFound()
  return postsTx(db, async (tx) => {
    const post = await lockPost(tx, accountId, id)
    if (post === undefined) throw postNotFound()
    return work(tx, post)
  })
}
