/** What an import does with an entry: that depends on what came from the same source before, and on what became of it. */
import { createHash } from 'node:crypto'
import type { Db } from '../../platform/db/database.ts'
import { isId } from '../../platform/ids.ts'
import { findPost, hasContent, type ImportedContent, type PostRow } from '../../posts/index.ts'
import type { SourcePost } from './source-post.ts'
import { originOf } from './store.ts'

/** `post`: the one that is the same, or is to be changed. */
export type Decision =
  | { outcome: 'new' }
  | { outcome: 'same' | 'changed'; post: PostRow }
  | { outcome: 'refused'; reason: string }

/** A digest of a post as it was read. What the reader says of losses does not count: a newer version may say more. */
export function digestOf({ losses: _, ...source }: SourcePost): string {
  return createHash('sha256').update(JSON.stringify(source)).digest('base64url')
}

const TOUCHED = 'The post was changed here since it was imported. It is left as it is.'
const NEWER = 'The post was changed here since the export was made. It is left as it is.'

/** Nothing that somebody has written here since is ever replaced. */
export async function decide(
  db: Db,
  accountId: string,
  source: SourcePost,
  digest: string,
  content: ImportedContent,
): Promise<Decision> {
  const { own, sourceId } = source
  const itself = own !== undefined && isId(own.id) ? await findPost(db, accountId, own.id.toLowerCase()) : undefined
  if (itself !== undefined && own !== undefined) {
    if (hasContent(itself, content)) return { outcome: 'same', post: itself }
    if (itself.version !== own.version) return { outcome: 'refused', reason: NEWER }
    return { outcome: 'changed', post: itself }
  }
  const origin = await originOf(db, accountId, sourceId)
  const post = origin && (await findPost(db, accountId, origin.postId))
  if (origin === undefined || post === undefined) return { outcome: 'new' }
  if (origin.digest === digest) return { outcome: 'same', post }
  return post.version === origin.version ? { outcome: 'changed', post } : { outcome: 'refused', reason: TOUCHED }
}
