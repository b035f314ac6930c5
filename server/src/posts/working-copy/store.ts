/** Working copies of posts: the content of a post with changes that nobody has published. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { ConvertedBody } from '../body/convert.ts'
import type { ContentValues } from '../fields.ts'
import { bodyColumns } from '../new-post.ts'
import type { PostsTx } from '../revision.ts'
import { BODY_COLUMNS, type PostRow } from '../tables.ts'
import { updatePost } from '../writes.ts'

const COPY = ['post_id', 'save_id', 'based_on', 'saved_at', 'fields', ...BODY_COLUMNS] as const

/** A working copy as it is stored. */
export type WorkingCopy = NonNullable<Awaited<ReturnType<typeof findCopy>>>

/** The working copy of a post, if there is one. */
export async function findCopy(db: Db | Tx, postId: string) {
  return db.selectFrom('working_copies').select(COPY).where('post_id', '=', postId).executeTakeFirst()
}

/** Stores the working copy of a post that the transaction has locked, in place of the one before. */
export async function saveCopy(
  tx: PostsTx,
  post: PostRow,
  copy: { saveId: string; basedOn: number; savedAt: Date; fields: ContentValues; body: ConvertedBody },
): Promise<WorkingCopy> {
  const row = {
    save_id: copy.saveId,
    based_on: copy.basedOn,
    saved_at: copy.savedAt,
    fields: JSON.stringify(copy.fields),
    ...bodyColumns(copy.body),
  }
  const saved = await tx
    .insertInto('working_copies')
    .values({ post_id: post.id, account_id: post.account_id, ...row })
    .onConflict((conflict) => conflict.column('post_id').doUpdateSet(row))
    .returning(COPY)
    .executeTakeFirstOrThrow()
  if (!post.has_changes) await updatePost(tx, post, { has_changes: true })
  return saved
}

/** Removes the working copy of a post that the transaction has locked. Returns the post without it. */
export async function removeCopy(tx: PostsTx, post: PostRow): Promise<PostRow> {
  await tx.deleteFrom('working_copies').where('post_id', '=', post.id).execute()
  return updatePost(tx, post, { has_changes: false, proposal: null })
}

/** The content of a post stays, although its version rises to this one: what began from it still does. */
export async function keepCopyCurrent(tx: PostsTx, post: PostRow, version: number): Promise<void> {
  if (!post.has_changes) return
  await sql`
    update working_copies set based_on = ${version} where post_id = ${post.id} and based_on = ${post.version}
  `.execute(tx)
}
