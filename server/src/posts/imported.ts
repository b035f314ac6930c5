/**
 * Posts that come from elsewhere: they are published, if they are, as if they had been for long. Nothing is sent to any site; those that pull
 * see them.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import { isId } from '../platform/ids.ts'
import { holdSite } from '../sites/index.ts'
import type { ConvertedBody } from './body/convert.ts'
import { differing, wholeChange } from './changed.ts'
import { notePosts } from './changes.ts'
import type { FieldValues } from './fields.ts'
import { restoreLocked } from './history/operations.ts'
import { newPost, pictureColumn } from './new-post.ts'
import { applyChange, removeLocked } from './operations.ts'
import { freeSlug, lockPost, publishContextOf } from './queries.ts'
import type { PostsTx } from './revision.ts'
import { slugify } from './slug.ts'
import { madeBy, type PostRow } from './tables.ts'
import type { FormerSlug } from './whole.ts'
import { insertPost, reclaimSlug, retireSlug, updatePost, writeAudience } from './writes.ts'

/** What is in a post from elsewhere. `slug` is a suggestion. */
export type ImportedContent = Pick<FieldValues, 'title' | 'slug' | 'excerpt' | 'tags' | 'meta'> & {
  body: ConvertedBody
}

/**
 * A post from elsewhere. `siteIds`: its audience, of which unknown sites are left out; `primarySiteId` undefined: as of any new post.
 * `scheduledAt` and `unpublishAt` are in the future.
 */
export type ImportedPost = ImportedContent & {
  version: number
  status: 'draft' | 'scheduled' | 'published'
  publishedAt: Date | null
  scheduledAt: Date | null
  scheduleZone: string | null
  unpublishAt: Date | null
  createdAt: Date
  updatedAt: Date
  formerSlugs: readonly FormerSlug[]
  siteIds: readonly string[] | null
  primarySiteId: string | null | undefined
}

/** Stores an imported post. A slug that is taken is numbered; former slugs that another post has or had stay with that. */
export async function addImported(
  ctx: Context,
  tx: PostsTx,
  accountId: string,
  given: ImportedPost,
  now: Date,
): Promise<PostRow> {
  const { title, excerpt, tags, meta, body, siteIds } = given
  const slug = await freeSlug(tx, accountId, slugify(given.slug) || slugify(title) || 'post')
  const original = await knownOriginal(tx, accountId, given.primarySiteId)
  const fields = { title, excerpt, tags, meta, slug, ...(original === undefined ? {} : { primary_site_id: original }) }
  const row = newPost({ id: ctx.ids.next(), accountId, now }, fields, body)
  const draft = await insertPost(tx, {
    ...row,
    ...(await pictureColumn(tx, row)),
    version: given.version,
    status: given.status === 'scheduled' ? 'scheduled' : 'draft',
    scheduled_at: given.scheduledAt,
    schedule_zone: given.scheduleZone,
    unpublish_at: given.unpublishAt,
    created_at: given.createdAt,
    updated_at: given.updatedAt,
    ...madeBy('import'),
    sites_chosen: siteIds !== null,
  })
  await reclaimSlug(tx, accountId, slug)
  const post = given.status === 'published' ? await withoutNotice(tx, draft, given.publishedAt ?? now) : draft
  if (siteIds !== null) {
    const { paused } = await publishContextOf(tx, post.id)
    await writeAudience(
      tx,
      post,
      siteIds.filter((siteId) => siteId in paused),
    )
  }
  for (const former of await freeFormerSlugs(tx, accountId, given.formerSlugs))
    await retireSlug(tx, { ...post, slug: former.slug }, former.retiredAt)
  if (post.status === 'scheduled' || post.unpublish_at !== null) await ctx.signals.send(tx, 'schedule')
  notePosts(ctx, tx, [post])
  return post
}

/** Publishes a new post without sending it to anybody. */
function withoutNotice(tx: PostsTx, draft: PostRow, publishedAt: Date): Promise<PostRow> {
  const dates = { published_at: publishedAt, first_published_at: publishedAt }
  return updatePost(tx, draft, { status: 'published', ...dates, visible_to_all: !draft.sites_chosen })
}

async function knownOriginal(tx: Tx, accountId: string, siteId: string | null | undefined) {
  if (siteId === undefined || siteId === null) return siteId
  return isId(siteId) && (await holdSite(tx, accountId, siteId)) ? siteId : null
}

/** Those that no post of the account has or had. */
async function freeFormerSlugs(tx: Tx, accountId: string, given: readonly FormerSlug[]): Promise<FormerSlug[]> {
  const wanted = given.flatMap(({ slug, retiredAt }) =>
    slugify(slug) === '' ? [] : [{ slug: slugify(slug), retiredAt }],
  )
  if (wanted.length === 0) return []
  const slugs = wanted.map(({ slug }) => slug)
  const own = (table: 'posts' | 'post_slugs') =>
    tx.selectFrom(table).select('slug').where('account_id', '=', accountId).where('slug', 'in', slugs)
  const taken = new Set((await own('posts').union(own('post_slugs')).execute()).map(({ slug }) => slug))
  return [...new Map(wanted.map((former) => [former.slug, former])).values()].filter(({ slug }) => !taken.has(slug))
}

/** Whether a post has this content; a slug that it was given with a number counts as the one that it was to have. */
export function hasContent(post: PostRow, content: ImportedContent): boolean {
  const { title, excerpt, tags, meta, body } = content
  return (
    isDeepStrictEqual([post.title, post.excerpt, post.tags, post.meta], [title, excerpt, tags, meta]) &&
    post.slug === slugify(content.slug) &&
    differing(body, post) === undefined
  )
}

/** Gives a post that the transaction has locked other content. Where it is published, its sites are sent that. */
export async function changeImported(
  ctx: Context,
  tx: PostsTx,
  post: PostRow,
  { body, slug: _, ...fields }: ImportedContent,
  now: Date,
): Promise<PostRow> {
  return applyChange(ctx, tx, post, wholeChange(fields, post), differing(body, post), now, madeBy('import'))
}

/** What an import left of a post, by which to see whether somebody has touched it since. */
export type ImportedState = { postId: string; version: number; updatedAt: Date; formerVersion: number | null }

/**
 * Undoes what an import did to a post: removes one that it made, and gives one that it changed its former content, as the `version` that is
 * returned. Leaves alone what was changed, published or sent to a site since.
 */
export async function undoImported(
  ctx: Context,
  tx: PostsTx,
  accountId: string,
  { postId, version, updatedAt, formerVersion }: ImportedState,
  now: Date,
): Promise<{ undone: boolean; version?: number }> {
  const post = await lockPost(tx, accountId, postId)
  if (post === undefined || post.version !== version) return { undone: false }
  if (formerVersion !== null)
    return { undone: true, version: (await restoreLocked(ctx, tx, post, formerVersion, now, madeBy('import'))).version }
  if (post.updated_at.getTime() !== updatedAt.getTime() || post.sent_version !== null) return { undone: false }
  await removeLocked(ctx, tx, post, now)
  return { undone: true }
}
