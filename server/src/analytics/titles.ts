import { lastTitles } from '../deliveries/index.ts'
import type { Context } from '../platform/context.ts'
import { postTitles } from '../posts/index.ts'

/** A post's current title, or its last one if the post is gone. */
type TitleOf = (postId: string) => { title: string; postDeleted: boolean }

/** The titles of the posts of these deliveries. */
export async function titlesOf(
  { db }: Pick<Context, 'db'>,
  accountId: string,
  deliveries: ReadonlyArray<{ postId: string }>,
): Promise<TitleOf> {
  const ids = [...new Set(deliveries.map(({ postId }) => postId))]
  const titles = await postTitles(db.root, accountId, ids)
  const goneTitles = await lastTitles(
    db.root,
    ids.filter((id) => !titles.has(id)),
  )
  return (postId) => ({ title: titles.get(postId) ?? goneTitles.get(postId) ?? '', postDeleted: !titles.has(postId) })
}
