import type { InsertObject } from 'kysely'
import { defaultOriginal } from '../accounts/index.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import type { Tables } from '../platform/db/tables.ts'
import type { ConvertedBody } from './body/convert.ts'
import { notePosts } from './changes.ts'
import { FALLBACKS, type FieldValues, presentFields, type SomeFields } from './fields.ts'
import { freeSlug } from './queries.ts'
import { writePosts } from './revision.ts'
import { searchVector } from './search.ts'
import { slugify } from './slug.ts'
import type { PostRow } from './tables.ts'
import { insertPost, reclaimSlug } from './writes.ts'

/** The fields of a new post. */
type NewFields = SomeFields & Pick<FieldValues, 'title' | 'slug'>

/** The row of a new post: version 1, a draft. */
export function newPost(
  { id, accountId, now }: { id: string; accountId: string; now: Date },
  given: NewFields,
  body: ConvertedBody,
) {
  const { title, slug } = given
  const fields = { ...FALLBACKS, ...presentFields(given), title, slug }
  const row = { id, account_id: accountId, ...fields, created_at: now, updated_at: now, revised_at: now }
  return {
    ...row,
    version: 1,
    primary_site_id: given.primary_site_id === undefined ? defaultOriginal(accountId) : given.primary_site_id,
    ...bodyColumns(body),
    status: 'draft',
    scheduled_at: null,
    search: searchVector({ ...row, words: body.words }),
  } satisfies InsertObject<Tables, 'posts'>
}

/** The columns of a body. */
export function bodyColumns(body: ConvertedBody) {
  return {
    body_html: body.html,
    body_markdown: body.markdown,
    body_site_markdown: body.siteMarkdown,
    body_json: JSON.stringify(body.json),
  }
}

/** A draft from another slice. `slug` is a suggestion. The caller has converted the body, because that takes a while. */
export type Draft = NewFields & { body: ConvertedBody }

/** Stores a draft as part of the caller's transaction; a slug that is taken is numbered. */
export async function addDraft(
  ctx: Pick<Context, 'changes' | 'ids'>,
  tx: Tx,
  accountId: string,
  { body, ...fields }: Draft,
  now: Date,
): Promise<PostRow> {
  const slug = await freeSlug(tx, accountId, slugify(fields.slug) || slugify(fields.title) || 'post')
  const post = await writePosts(tx, async (posts) => {
    const inserted = await insertPost(posts, {
      ...newPost({ id: ctx.ids.next(), accountId, now }, { ...fields, slug }, body),
      revised_by: 'draft',
    })
    await reclaimSlug(posts, accountId, slug)
    return inserted
  })
  notePosts(ctx, tx, [post])
  return post
}
