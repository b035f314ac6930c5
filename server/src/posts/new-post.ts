import type { InsertObject } from 'kysely'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import type { Tables } from '../platform/db/tables.ts'
import type { ConvertedBody } from './body/convert.ts'
import { notePosts } from './changes.ts'
import { freeSlug, insertPost, reclaimSlug } from './queries.ts'
import { searchVector } from './search.ts'
import { slugify } from './slug.ts'
import type { PostMeta, PostRow } from './tables.ts'

/** What a new post is made from. */
type NewPost = {
  id: string
  accountId: string
  slug: string
  title: string
  excerpt?: string | undefined
  meta: PostMeta
  tags?: string[] | undefined
  body: ConvertedBody
  now: Date
}

/** The row of a new post: version 1, a draft. */
export function newPost({ id, accountId, slug, title, excerpt, meta, tags, body, now }: NewPost) {
  return {
    id,
    account_id: accountId,
    version: 1,
    slug,
    title,
    excerpt: excerpt ?? '',
    ...bodyColumns(body),
    meta: JSON.stringify(meta),
    tags: tags ?? [],
    status: 'draft',
    scheduled_at: null,
    search: searchVector({
      accountId,
      createdAt: now,
      title,
      excerpt: excerpt ?? '',
      tags: tags ?? [],
      words: body.words,
    }),
    created_at: now,
    updated_at: now,
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
export type Draft = {
  title: string
  slug: string
  excerpt: string
  meta: PostMeta
  tags: string[]
  body: ConvertedBody
}

/** Stores a draft as part of the caller's transaction; a slug that is taken is numbered. */
export async function addDraft(
  ctx: Pick<Context, 'changes' | 'ids'>,
  tx: Tx,
  accountId: string,
  { slug: wanted, ...draft }: Draft,
  now: Date,
): Promise<PostRow> {
  const slug = await freeSlug(tx, accountId, slugify(wanted) || slugify(draft.title) || 'post')
  const post = await insertPost(tx, newPost({ ...draft, id: ctx.ids.next(), accountId, slug, now }))
  await reclaimSlug(tx, accountId, slug)
  notePosts(ctx, tx, [post])
  return post
}
