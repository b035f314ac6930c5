import { setImmediate as turn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  countDueLanes,
  keepsHistoryOf,
  type LatestDelivery,
  latestDeliveries,
  lockLanesOfAccount,
  type StandingDelivery,
  standingsOf,
} from '../deliveries/index.ts'
import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { type Db, type Tx, uniqueViolation } from '../platform/db/database.ts'
import { fail, invalid } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { siteExists } from '../sites/index.ts'
import type { BodyInput, ConvertedBody, Loss } from './body/convert.ts'
import { convertForms } from './body/converter.ts'
import { docToText } from './body/text.ts'
import { notePosts } from './changes.ts'
import {
  listPosts,
  listPostsBriefly,
  type PostFilter,
  type PostOrder,
  type PostWithoutBody,
  type ReadPortion,
} from './list.ts'
import { bodyColumns, newPost } from './new-post.ts'
import { nextStanding } from './policy.ts'
import { inPortions } from './portions.ts'
import { announceRemoval, announceUpdate, publishLocked } from './publish.ts'
import {
  deletePost,
  findPost,
  freeSlug,
  insertPost,
  lockPost,
  lockPosts,
  lockPostToPublish,
  readLocked,
  reclaimSlug,
  retireSlug,
  surroundingsOf,
  updatePost,
} from './queries.ts'
import { searchVector } from './search.ts'
import { isSlugOf, MAX_SLUG, slugify } from './slug.ts'
import type { PostMeta, PostRow, PostStatus } from './tables.ts'

/** A post with the newest delivery per site. */
export type PostWithDeliveries = { post: PostRow; deliveries: LatestDelivery[] }
/** The same after a write, with what was lost of the body that it brought. */
export type WrittenPost = PostWithDeliveries & { losses: readonly Loss[] }

/** What a write may set. In `meta`, null removes a value. */
export type PostInput = {
  title?: string | undefined
  /** null: made from the title. */
  slug?: string | null | undefined
  excerpt?: string | undefined
  body?: BodyInput | undefined
  meta?: { [Key in keyof PostMeta]?: string | null | undefined } | undefined
  tags?: string[] | undefined
  status?: PostStatus | undefined
  scheduledAt?: Date | null | undefined
  scheduleZone?: string | null | undefined
}

function missing(): Error {
  return fail('not_found', 'There is no such post.')
}

/** One post. Throws `not_found`. */
export async function getPost(ctx: Context, accountId: string, id: string): Promise<PostWithDeliveries> {
  const post = isId(id) ? await findPost(ctx.db.root, accountId, id) : undefined
  if (post === undefined) throw missing()
  return withDeliveries(ctx.db.root, post)
}

/**
 * A page of the account's posts, as reads of a portion each: usually one. A blank search is ignored. Throws `invalid` on `site_id` for an
 * unknown site.
 */
export async function listPostsPage(
  ctx: Context,
  accountId: string,
  filter: PostFilter,
  { page, limit }: PageRequest,
): Promise<{ reads: ReadPortion[]; total: number }> {
  if (await isOfDeletedSite(ctx, accountId, filter)) return { reads: [], total: 0 }
  return listPosts(ctx.db.root, accountId, meant(filter), { limit, offset: (page - 1) * limit })
}

/**
 * A page of the account's posts without their bodies, each with its newest delivery to every site it was sent to. Throws as
 * `listPostsPage` does.
 */
export async function listSummaries(
  ctx: Context,
  accountId: string,
  filter: PostFilter,
  { page, limit, order }: PageRequest & { order: PostOrder },
): Promise<{ posts: PostSummary[]; total: number }> {
  if (await isOfDeletedSite(ctx, accountId, filter)) return { posts: [], total: 0 }
  const offset = (page - 1) * limit
  const { rows, total } = await listPostsBriefly(ctx.db.root, accountId, meant(filter), { limit, offset, order })
  const standings = await standingsOf(
    ctx.db.root,
    accountId,
    rows.map(({ id }) => id),
  )
  return { posts: rows.map((post) => ({ post, deliveries: standings.get(post.id) ?? [] })), total }
}

type PageRequest = { page: number; limit: number }

/** A post without its body, with its newest delivery per site. */
export type PostSummary = { post: PostWithoutBody; deliveries: StandingDelivery[] }

/** Whether posts of a site are asked for that was deleted: it has none, though its history is kept. Throws `invalid` for an unknown one. */
async function isOfDeletedSite(ctx: Context, accountId: string, { siteId }: PostFilter): Promise<boolean> {
  if (siteId === undefined) return false
  if (!(isId(siteId) && (await keepsHistoryOf(ctx.db.root, accountId, siteId))))
    throw invalid('site_id', 'There is no such site.')
  return !(await siteExists(ctx.db.root, accountId, siteId))
}

function meant(filter: PostFilter): PostFilter {
  return { ...filter, search: filter.search?.trim() === '' ? undefined : filter.search }
}

async function withDeliveries(db: Db | Tx, post: PostRow): Promise<PostWithDeliveries> {
  return { post, deliveries: await latestDeliveries(db, post.account_id, post.id) }
}

async function publishToAll(ctx: Context, tx: Tx, post: PostRow, now: Date): Promise<PostRow> {
  return (await publishLocked(ctx, tx, post, await surroundingsOf(tx, post.id), undefined, now)).post
}

/** Creates a post; with status `published` it is sent to all sites in the same transaction. */
export async function createPost(
  ctx: Context,
  accountId: string,
  input: PostInput & { title: string; slug?: string | undefined },
): Promise<WrittenPost> {
  const body = await convertForms(ctx, accountId, input.body ?? {})
  const now = ctx.clock.now()
  const standing = nextStanding(undefined, input, now)
  const wantedSlug = input.slug === undefined ? undefined : normalSlug(input.slug)
  const insert = () =>
    ctx.db.tx(async (tx) => {
      const slug = wantedSlug ?? (await freeSlug(tx, accountId, slugify(input.title) || 'post'))
      const created = await insertPost(tx, {
        ...newPost({ ...input, id: ctx.ids.next(), accountId, slug, meta: mergedMeta({}, input.meta), body, now }),
        // `publishLocked` publishes the stored row afterwards.
        status: standing.status === 'published' ? 'draft' : standing.status,
        scheduled_at: standing.scheduledAt,
        schedule_zone: standing.scheduleZone,
      })
      await reclaimSlug(tx, accountId, slug)
      notePosts(ctx, tx, [created])
      if (standing.status === 'scheduled') await ctx.signals.send(tx, 'publish-due')
      if (standing.status !== 'published') return { post: created, deliveries: [] }
      return withDeliveries(tx, await publishToAll(ctx, tx, created, now))
    })
  const created = await refusingTakenSlug(insert, wantedSlug === undefined ? SLUG_TRIES : 1)
  return { ...created, losses: body.losses }
}

/** A slug made from a title is free when chosen, but "Hello" may reach `hello-2` at the same time as "Hello 2". */
const SLUG_TRIES = 4

/**
 * Changes a post (decisions P1, P5, P8). `ifMatch` refuses with `precondition_failed` unless the version is the one the
 * caller has seen. A change of content raises the version, and is sent to the sites that have the post.
 */
export async function changePost(
  ctx: Context,
  accountId: string,
  id: string,
  input: PostInput,
  ifMatch: VersionCheck,
): Promise<WrittenPost> {
  const seen = isId(id) ? await findPost(ctx.db.root, accountId, id) : undefined
  if (seen === undefined) throw missing()
  // Converting takes a while, so it happens before the post is locked.
  const forms = changedForms(seen, input.body)
  const body = forms && (await convertForms(ctx, accountId, forms))
  const now = ctx.clock.now()
  const write = () =>
    ctx.db.tx(async (tx) => {
      const current = await lockPost(tx, accountId, id)
      if (current === undefined) throw missing()
      ifMatch(current.version)
      const isOther = current.version !== seen.version
      if (isOther && !isDeepStrictEqual(changedForms(current, input.body), forms)) return undefined
      return withDeliveries(tx, await applyChange(ctx, tx, current, input, differing(body, current), now))
    })
  const written = await refusingTakenSlug(write, input.slug === null ? SLUG_TRIES : 1)
  // Somebody else has changed the post meanwhile, so that other forms of the body are new: from the beginning.
  if (written === undefined) return changePost(ctx, accountId, id, input, ifMatch)
  return { ...written, losses: body?.losses ?? [] }
}

async function applyChange(
  ctx: Context,
  tx: Tx,
  current: PostRow,
  input: PostInput,
  body: ConvertedBody | undefined,
  now: Date,
): Promise<PostRow> {
  const { status, scheduled_at: scheduledAt, schedule_zone: scheduleZone, published_at: publishedAt } = current
  const standing = nextStanding({ status, scheduledAt, scheduleZone, publishedAt }, input, now)
  const slug = await wantedSlug(tx, current, input)
  const content = changedContent(current, { ...input, slug }, body)
  const contentChanged = Object.keys(content).length > 0
  const publishes = standing.status === 'published' && current.status !== 'published'
  const unpublishes = standing.status !== 'published' && current.status === 'published'
  const rescheduled =
    !publishes &&
    (standing.status !== status ||
      standing.scheduledAt?.getTime() !== scheduledAt?.getTime() ||
      standing.scheduleZone !== scheduleZone)
  if (!contentChanged && !publishes && !rescheduled) return current

  notePosts(ctx, tx, [current])
  if (unpublishes) await announceRemoval(ctx, tx, current, now)
  let post = current
  if (contentChanged || rescheduled) {
    post = await updatePost(tx, current.id, {
      ...content,
      ...(publishes
        ? {}
        : {
            status: standing.status,
            scheduled_at: standing.scheduledAt,
            schedule_zone: standing.scheduleZone,
          }),
      ...(unpublishes ? { visible_to_all: false, published_at: null } : {}),
      version: current.version + 1,
      updated_at: now,
    })
    if (content.slug !== undefined) await moveSlug(tx, current, content.slug, now)
  }
  if (rescheduled && post.status === 'scheduled') await ctx.signals.send(tx, 'publish-due')
  if (publishes) return publishToAll(ctx, tx, post, now)
  return contentChanged && post.status === 'published' ? announceUpdate(ctx, tx, post, now) : post
}

/** The slug that a change asks for; undefined leaves it as it is. A slug that already fits the title stays. */
async function wantedSlug(tx: Tx, current: PostRow, { slug, title = current.title }: PostInput) {
  if (slug !== null) return slug === undefined ? undefined : normalSlug(slug)
  const base = slugify(title) || 'post'
  return isSlugOf(base, current.slug) ? undefined : freeSlug(tx, current.account_id, base)
}

/**
 * Keeps the old slug as a former one, if the post is published or was ever sent: there may be links to it. Runs after the post's row
 * has the new slug: that update waits for a post that is giving the slug up, and only then is it one of that post's former slugs.
 */
async function moveSlug(tx: Tx, current: PostRow, slug: string, now: Date): Promise<void> {
  await reclaimSlug(tx, current.account_id, slug)
  const wasSeen = current.status === 'published' || current.sent_version !== null
  if (wasSeen) await retireSlug(tx, current.account_id, current.id, current.slug, now)
}

/** The columns that differ from the current row. */
function changedContent(
  current: PostRow,
  { slug, ...input }: PostInput & { slug: string | undefined },
  body: ConvertedBody | undefined,
) {
  const meta = mergedMeta(current.meta, input.meta)
  const { title = current.title, excerpt = current.excerpt, tags = current.tags } = input
  const isSearched =
    title !== current.title ||
    excerpt !== current.excerpt ||
    !isDeepStrictEqual(tags, current.tags) ||
    body !== undefined
  return {
    ...(title === current.title ? {} : { title }),
    ...(slug === undefined || slug === current.slug ? {} : { slug }),
    ...(excerpt === current.excerpt ? {} : { excerpt }),
    ...(isDeepStrictEqual(meta, current.meta) ? {} : { meta: JSON.stringify(meta) }),
    ...(isDeepStrictEqual(tags, current.tags) ? {} : { tags }),
    ...(body === undefined ? {} : bodyColumns(body)),
    ...(!isSearched
      ? {}
      : {
          search: searchVector({
            accountId: current.account_id,
            createdAt: current.created_at,
            title,
            excerpt,
            tags,
            text: body?.text ?? docToText(current.body_json),
          }),
        }),
  }
}

/**
 * The given forms of a body that are not the stored ones, undefined without any: a fetched post can be edited in any one of its
 * forms and sent back whole.
 */
function changedForms(current: PostRow, given: BodyInput | undefined): BodyInput | undefined {
  if (given === undefined) return undefined
  const changed: BodyInput = {
    ...(given.html === undefined || given.html === current.body_html ? {} : { html: given.html }),
    ...(given.markdown === undefined || given.markdown === current.body_markdown ? {} : { markdown: given.markdown }),
    ...(given.json === undefined || isDeepStrictEqual(given.json, current.body_json) ? {} : { json: given.json }),
  }
  return Object.keys(changed).length === 0 ? undefined : changed
}

/** The body, or undefined if it is the stored one. */
function differing(body: ConvertedBody | undefined, current: PostRow): ConvertedBody | undefined {
  const same =
    body?.html === current.body_html &&
    body.markdown === current.body_markdown &&
    isDeepStrictEqual(body.json, current.body_json)
  return same ? undefined : body
}

/** Throws unless the version is the one the caller has seen. */
export type VersionCheck = (version: number) => void

/** Removes a post for good, and tells the sites that have it. */
export async function removePost(ctx: Context, accountId: string, id: string, ifMatch: VersionCheck): Promise<void> {
  if (!isId(id)) throw missing()
  await ctx.db.tx(async (tx) => {
    const post = await lockPost(tx, accountId, id)
    if (post === undefined) throw missing()
    ifMatch(post.version)
    await removeLocked(ctx, tx, post, ctx.clock.now())
  })
}

async function removeLocked(ctx: Context, tx: Tx, post: PostRow, now: Date): Promise<void> {
  await announceRemoval(ctx, tx, post, now)
  await deletePost(tx, post.id)
  notePosts(ctx, tx, [post])
}

/** A change that can be made to many posts at once. */
export type BulkAction =
  | { action: 'publish' }
  | { action: 'unpublish' }
  | { action: 'delete' }
  | { action: 'tag'; tag: string }
  | { action: 'untag'; tag: string }

/** The most tags of a post. */
export const MOST_TAGS = 50

/**
 * Makes the same change to many posts: to all of them or to none. Returns the ids of the posts that exist. Throws `invalid` on
 * `ids.N` for a post that cannot be changed so.
 */
export async function changePosts(
  ctx: Context,
  accountId: string,
  given: readonly string[],
  bulk: BulkAction,
): Promise<string[]> {
  const ids = [...new Set(given.filter(isId).map((id) => id.toLowerCase()))]
  if (ids.length === 0) return []
  const now = ctx.clock.now()
  return ctx.db.tx(async (tx) => {
    const locked = await lockPosts(tx, accountId, ids)
    await lockLanesOfAccount(tx, accountId)
    for (const portion of inPortions(locked))
      for (const post of await readLocked(tx, portion)) {
        if (bulk.action === 'publish') await publishToAll(ctx, tx, post, now)
        else if (bulk.action === 'unpublish') await applyChange(ctx, tx, post, { status: 'draft' }, undefined, now)
        else if (bulk.action === 'delete') await removeLocked(ctx, tx, post, now)
        else await applyChange(ctx, tx, post, { tags: retagged(post, bulk, given) }, undefined, now)
      }
    return locked.map(({ id }) => id)
  })
}

function retagged(
  { id, tags }: PostRow,
  { action, tag }: BulkAction & { tag: string },
  given: readonly string[],
): string[] {
  const others = tags.filter((one) => one !== tag)
  if (action === 'untag') return others
  if (others.length === tags.length && tags.length >= MOST_TAGS)
    throw invalid(
      `ids.${given.findIndex((one) => one.toLowerCase() === id)}`,
      `This post already has ${MOST_TAGS} tags, the most that are allowed.`,
    )
  return others.length === tags.length ? [...tags, tag] : tags
}

/** What a publish answers. */
export type Dispatch = { postId: string; siteIds: string[]; estimatedDelivery: Date }

/** The least number of lanes that the engine finishes per second; used only for the estimate. */
const LANES_PER_SECOND = 500
const COUNTED_LANES = 10_000

/** Publishes a post to the named sites, or to all (decision P6). */
export async function publishPost(
  ctx: Context,
  accountId: string,
  id: string,
  siteIds: readonly string[] | undefined,
): Promise<Dispatch> {
  if (!isId(id)) throw missing()
  const now = ctx.clock.now()
  const dispatched = await ctx.db.tx(async (tx) => {
    const locked = await lockPostToPublish(tx, accountId, id)
    if (locked === undefined) throw missing()
    return publishLocked(ctx, tx, locked.post, locked.surroundings, siteIds, now)
  })
  // The estimate must not delay a delivery: two turns of the event loop let the first attempts be sent before it is read.
  await turn()
  await turn()
  const backlog = await countDueLanes(ctx.db.root, now, COUNTED_LANES).catch(() => 0)
  const waitMs = 1_000 * (1 + Math.floor(backlog / LANES_PER_SECOND))
  return { postId: dispatched.post.id, siteIds: dispatched.siteIds, estimatedDelivery: plusMs(now, waitMs) }
}

function normalSlug(given: string): string {
  const slug = slugify(given, Number.POSITIVE_INFINITY)
  if (slug === '') throw invalid('slug', 'A slug must have at least one letter or digit.')
  if (slug.length > MAX_SLUG)
    throw invalid(
      'slug',
      `A slug can have at most ${MAX_SLUG} letters, digits and hyphens; this one would have ${slug.length}.`,
    )
  return slug
}

function mergedMeta(current: PostMeta, change: PostInput['meta']): PostMeta {
  const merged = {
    ...current,
    ...Object.fromEntries(Object.entries(change ?? {}).filter(([, value]) => value !== undefined)),
  }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null && value !== ''))
}

/** Runs a write up to `tries` times if its slug turns out to be taken; then throws `conflict`. */
async function refusingTakenSlug<T>(write: () => Promise<T>, tries = 1): Promise<T> {
  for (let left = tries - 1; ; left -= 1) {
    try {
      return await write()
    } catch (error) {
      if (uniqueViolation(error) !== 'posts_slug') throw error
      if (left > 0) continue
      throw fail('conflict', 'Another post already has this slug. Choose another one.', { field: 'slug' })
    }
  }
}
