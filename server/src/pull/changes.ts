/** `GET /api/pull/changes`: what has changed for a site since it last asked, so that it needs no more than a cursor to stay level. */
import type { Context } from '../platform/context.ts'
import { fail } from '../platform/errors.ts'
import { type TaggedBody, tagged } from '../platform/http/etag.ts'
import { isId } from '../platform/ids.ts'
import {
  type ChangePosition,
  changesAfter,
  firstPortion,
  type PostChange,
  pulledJson,
  visiblePostsById,
} from '../posts/index.ts'
import { cached } from './answers.ts'
import type { SitePrincipal } from './gate.ts'

/** Texts of one answer, in bytes; one post may be larger. An answer that is full says that there is more. */
const MOST_TEXT_BYTES = 8 * 1024 * 1024

const NO_POST = '00000000-0000-0000-0000-000000000000'
const LAST_POST = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * Where a site has arrived. Who begins without a cursor gets every post that it may see, in the order of their last changes, over as many
 * answers as it takes; of posts that are removed meanwhile it must be told, of earlier ones not: `removedSince` is when it began.
 */
type Cursor = ChangePosition & { removedSince: number }

/** What a site asks for. */
export type WantedChanges = { cursor?: string | undefined; limit: number; withBody: boolean }

/** The changes after the cursor, as JSON. Throws `gone` for a cursor that is too old, or none of this service's. */
export function pullChanges(ctx: Context, site: SitePrincipal, wanted: WantedChanges): Promise<TaggedBody> {
  const { cursor: given, limit, withBody } = wanted
  const cursor =
    given === undefined
      ? { revision: 0, postId: NO_POST, removedSince: site.revision }
      : (parseCursor(given) ?? startAgain())
  return cached(ctx, site, `changes ${given ?? ''} ${limit} ${withBody}`, async () => {
    const found = (await changesAfter(ctx.db.root, site, cursor, cursor.removedSince, limit + 1)) ?? startAgain()
    const page = withBody ? firstPortion(found.slice(0, limit), MOST_TEXT_BYTES) : found.slice(0, limit)
    const more = page.length < found.length
    const posts = withBody ? await bodiesOf(ctx, site, page) : new Map<string, string>()
    const changes = page.map((change) => entryOf(change, cursor, posts.get(change.id)))
    const next = textOf(nextCursor(cursor, page.at(-1), more, site.revision))
    return tagged(`{"changes":[${changes.join(',')}],"cursor":${JSON.stringify(next)},"more":${more}}`)
  })
}

function startAgain(): never {
  throw fail('gone', 'This cursor is too old, or not one of this service. Start again without a cursor.')
}

/** The posts of a page as JSON texts. One that was removed since the page was read is missing: its removal follows. */
async function bodiesOf(ctx: Context, site: SitePrincipal, page: readonly PostChange[]): Promise<Map<string, string>> {
  const ids = page.filter(({ isVisible }) => isVisible).map(({ id }) => id)
  const posts = await visiblePostsById(ctx.db.root, site, ids)
  return new Map([...posts].map(([id, post]) => [id, pulledJson(post, site.siteId)]))
}

function entryOf(change: PostChange, { revision: seen, removedSince }: Cursor, post: string | undefined): string {
  const { id, slug, version, revision, publishedRevision, isVisible } = change
  const isNew = removedSince > 0 || publishedRevision > seen
  const event = !isVisible ? 'deleted' : isNew ? 'published' : 'updated'
  const at = new Date(Math.floor(revision / 1_000)).toISOString()
  const entry = JSON.stringify({ event, post_id: id, slug, version, at })
  return post === undefined ? entry : `${entry.slice(0, -1)},"post":${post}}`
}

/** Once there is no more, the site has seen everything up to the revision at which it asked. */
function nextCursor(cursor: Cursor, last: PostChange | undefined, more: boolean, revision: number): Cursor {
  if (more && last !== undefined) return { ...cursor, revision: last.revision, postId: last.id }
  const isBehind = last !== undefined && last.revision > revision
  return isBehind
    ? { revision: last.revision, postId: last.id, removedSince: 0 }
    : { revision, postId: LAST_POST, removedSince: 0 }
}

function textOf({ revision, postId, removedSince }: Cursor): string {
  return Buffer.from(`${revision}.${postId}.${removedSince}`).toString('base64url')
}

function parseCursor(text: string): Cursor | undefined {
  const [revision, postId = '', removedSince, ...rest] = Buffer.from(text, 'base64url').toString().split('.')
  const numbers = [Number(revision), Number(removedSince)]
  if (rest.length > 0 || !numbers.every((one) => Number.isSafeInteger(one) && one >= 0) || !isPostId(postId))
    return undefined
  return { revision: numbers[0] ?? 0, postId, removedSince: numbers[1] ?? 0 }
}

function isPostId(text: string): boolean {
  return isId(text) || text === NO_POST || text === LAST_POST
}
