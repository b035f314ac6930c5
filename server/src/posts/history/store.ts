/** The revisions of posts: every version that a newer one has replaced. The newest version is the post itself. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { countWords, docToText } from '../body/text.ts'
import { CONTENT_FIELDS, pickFields } from '../fields.ts'
import type { PostsTx } from '../revision.ts'
import { BODY_COLUMNS, type PostRow } from '../tables.ts'

/** How many revisions of a post are kept that were sent to no site. All that were sent are kept. */
const MOST_UNSENT = 100

/** Keeps what a post is, which the transaction has locked, before a new version replaces it; forgets the oldest that were never sent. */
export async function keepRevision(tx: PostsTx, post: PostRow): Promise<void> {
  const revision = presentRevision(post)
  if (!revision.sent)
    await sql`
      delete from post_revisions where post_id = ${post.id} and not sent and version <= (
        select version from post_revisions where post_id = ${post.id} and not sent
        order by version desc offset ${MOST_UNSENT - 1} limit 1
      )
    `.execute(tx)
  await tx
    .insertInto('post_revisions')
    .values({
      ...revision,
      post_id: post.id,
      account_id: post.account_id,
      fields: JSON.stringify(revision.fields),
      body_json: JSON.stringify(revision.body_json),
    })
    .execute()
}

const SUMMARY = ['version', 'title', 'revised_at', 'revised_by', 'revised_by_name', 'sent', 'words'] as const
const CONTENT = [...SUMMARY, 'fields', ...BODY_COLUMNS] as const

/** A revision without its content. */
export type RevisionSummary = Pick<Revision, (typeof SUMMARY)[number]>

/** A revision of a post: its fields and its body in all forms. */
export type Revision = NonNullable<Awaited<ReturnType<typeof findRevision>>>

/** The present version of a post, as a revision. */
export function presentRevision(post: PostRow): Revision {
  return {
    version: post.version,
    title: post.title,
    revised_at: post.revised_at ?? post.updated_at,
    revised_by: post.revised_by,
    revised_by_name: post.revised_by_name,
    sent: post.sent_version === post.version,
    words: countWords(docToText(post.body_json)),
    fields: pickFields(post, CONTENT_FIELDS),
    body_html: post.body_html,
    body_markdown: post.body_markdown,
    body_site_markdown: post.body_site_markdown,
    body_json: post.body_json,
  }
}

/** A former version; undefined if there is none, or it has been forgotten. */
export async function findRevision(db: Db | Tx, postId: string, version: number) {
  return db
    .selectFrom('post_revisions')
    .select(CONTENT)
    .where('post_id', '=', postId)
    .where('version', '=', version)
    .executeTakeFirst()
}

/** Former versions before one, newest first. */
export async function listRevisions(
  db: Db,
  postId: string,
  { before, limit }: { before: number; limit: number },
): Promise<RevisionSummary[]> {
  return db
    .selectFrom('post_revisions')
    .select(SUMMARY)
    .where('post_id', '=', postId)
    .where('version', '<', before)
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()
}
