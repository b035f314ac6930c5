import type { InsertObject } from 'kysely'
import { defaultOriginal } from '../accounts/index.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import type { Tables } from '../platform/db/tables.ts'
import type { Audience } from './audience.ts'
import type { ConvertedBody } from './body/convert.ts'
import { countWords, docToText } from './body/text.ts'
import { notePosts } from './changes.ts'
import { FALLBACKS, type FieldValues, type PostMeta, presentFields, type SomeFields } from './fields.ts'
import { picturesOf } from './pictures.ts'
import { freeSlug } from './queries.ts'
import { writePosts } from './revision.ts'
import { searchVector } from './search.ts'
import { slugify } from './slug.ts'
import { madeBy, type PostRow, type RevisedBy } from './tables.ts'
import { indexedWords } from './words.ts'
import { insertPost, reclaimSlug, writeAudience } from './writes.ts'

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

/** The column of a post's pictures, by the content that it gets. */
export async function pictureColumn(tx: Tx, row: { account_id: string; body_html: string; meta: PostMeta }) {
  const pictures = await picturesOf(tx, row.account_id, row)
  return { media: pictures === null ? null : JSON.stringify(pictures) }
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

/** The body that columns hold; what was lost when it was converted is not known any more. */
export function storedBody(
  row: Pick<PostRow, 'body_html' | 'body_markdown' | 'body_site_markdown' | 'body_json'>,
): ConvertedBody {
  const text = docToText(row.body_json)
  return {
    html: row.body_html,
    markdown: row.body_markdown,
    siteMarkdown: row.body_site_markdown,
    json: row.body_json,
    text,
    words: indexedWords(text),
    wordCount: countWords(text),
    losses: [],
  }
}

/** A draft that is not written by hand. `slug` is a suggestion. The caller has converted the body, because that takes a while. */
export type Draft = NewFields & { body: ConvertedBody }

/** Stores a draft for an audience as part of the caller's transaction; a slug that is taken is numbered. */
export async function addDraft(
  ctx: Pick<Context, 'changes' | 'ids'>,
  tx: Tx,
  accountId: string,
  { body, ...fields }: Draft,
  now: Date,
  { by = madeBy('draft'), audience = null }: { by?: RevisedBy; audience?: Audience } = {},
): Promise<PostRow> {
  const slug = await freeSlug(tx, accountId, slugify(fields.slug) || slugify(fields.title) || 'post')
  const post = await writePosts(tx, async (posts) => {
    const row = newPost({ id: ctx.ids.next(), accountId, now }, { ...fields, slug }, body)
    const inserted = await insertPost(posts, {
      ...row,
      ...(await pictureColumn(posts, row)),
      ...by,
      sites_chosen: audience !== null,
    })
    if (audience !== null) await writeAudience(posts, inserted, audience)
    await reclaimSlug(posts, accountId, slug)
    return inserted
  })
  notePosts(ctx, tx, [post])
  return post
}
