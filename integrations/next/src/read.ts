/**
 * Reading posts through the cache of Next.js. Each answer is kept under a tag, `postrider:SLUG` or `postrider:list`, until a webhook says that it
 * is out of date; and asked for again once a day or hour, in case one did not arrive. A server of one's own forgets what the webhooks have said
 * when it ends, and keeps the answers: so there everything is out of date when it begins.
 */
import { parseConnectionCode } from '@postrider/sdk'
import { isPreview } from '@postrider/sdk/receiver'
import type { WebhookPost } from '@postrider/sdk/webhooks'
import { revalidateTag } from 'next/cache'

/** A post as lists have it. */
export type PostSummary = Pick<WebhookPost, 'id' | 'title' | 'slug' | 'excerpt' | 'tags' | 'published_at'>

/** A page of the list; `page` counts from 1. */
export type PostPage = { posts: PostSummary[]; page: number; pages: number; total: number }

/** The tag of everything that lists posts. */
export const LIST_TAG = 'postrider:list'

/** The tag of everything. */
const ALL_TAG = 'postrider'

/** The tag of what is known of an address. Next.js takes no tags of more than 256 characters. */
export function tagOf(slug: string): string {
  return `postrider:${slug}`.slice(0, 256)
}

const DAY_SECONDS = 86_400
const HOUR_SECONDS = 3_600

/** The post with this slug, or the one that had it before. Throws if the service cannot be asked and nothing is cached. */
export async function getPost(slug: string): Promise<WebhookPost | undefined> {
  // No webhook tells of previews. Without the cache they cannot be read: a page that may be rendered ahead must use it.
  const revalidate = isPreview(slug) ? 1 : DAY_SECONDS
  const { post } = await read<Found>(lookupPath(slug), tagOf(slug), revalidate)
  return post
}

/**
 * The slug of the post that has this slug, or had it before. For routes, which may read without the cache: whether a preview has ended is asked
 * each time. It is asked before every page, so the answer is remembered for a moment: to read whole posts from the cache of Next.js only for their
 * slugs would push the pages out of it.
 */
export async function presentSlug(slug: string): Promise<string | undefined> {
  if (isPreview(slug)) return (await answerTo<Found>(lookupPath(slug), { cache: 'no-store' })).post?.slug
  if ((presentUntil.get(slug) ?? 0) > Date.now()) return slug
  const present = (await getPost(slug))?.slug
  // What is not there may come at any moment, and in another process than the one that hears of it.
  if (present === slug) {
    if (presentUntil.size >= MOST_REMEMBERED) presentUntil.clear()
    presentUntil.set(slug, Date.now() + REMEMBERED_MS)
  }
  return present
}

/** Forgets what is remembered of an address: something has changed there. */
export function forgetSlug(slug: string): void {
  presentUntil.delete(slug)
}

/** Until when an address is believed to be that of a post, by slug. */
const presentUntil = new Map<string, number>()
const REMEMBERED_MS = 10_000
const MOST_REMEMBERED = 10_000

type Found = { post?: WebhookPost }

const lookupPath = (slug: string) => `/api/pull/lookup?${new URLSearchParams({ slug })}`

/** A page of the posts, newest first. */
export function getPosts({
  page = 1,
  limit = 20,
  tag,
}: {
  page?: number
  limit?: number
  tag?: string
} = {}): Promise<PostPage> {
  const query = new URLSearchParams({ page: String(page), limit: String(limit), ...(tag === undefined ? {} : { tag }) })
  return read<PostPage>(`/api/pull/posts?${query}`, LIST_TAG, HOUR_SECONDS)
}

function read<Answer>(path: string, tag: string, revalidate: number): Promise<Answer> {
  return answerTo<Answer>(path, { cache: 'force-cache', next: { tags: [ALL_TAG, tag], revalidate } })
}

/** Hosts that remember in which answers are out of date, for all instances of the site. */
const HOSTS_THAT_REMEMBER = ['VERCEL', 'NETLIFY', 'AWS_LAMBDA_FUNCTION_NAME']
const TRY_AGAIN_MS = 5_000
let mayBeOld = !HOSTS_THAT_REMEMBER.some((name) => process.env[name] !== undefined)
let nextTryAt = 0

/** Lets nothing pass that was cached before this process began, unless the service cannot be asked: then that is better than nothing. For routes. */
export async function beginAnew(): Promise<void> {
  if (!mayBeOld || Date.now() < nextTryAt) return
  nextTryAt = Date.now() + TRY_AGAIN_MS
  const isThere = await answerTo('/api/pull/digest', { cache: 'no-store' }).then(
    () => true,
    () => false,
  )
  if (!isThere) return
  revalidateTag(ALL_TAG, { expire: 0 })
  mayBeOld = false
}

/** A build asks anew, too: hosts keep the cache of the one before. The cache tells requests apart by their headers. */
const OF_THIS_BUILD =
  process.env.NEXT_PHASE === 'phase-production-build' ? { 'x-postrider-build': String(Date.now()) } : {}

async function answerTo<Answer>(path: string, how: object): Promise<Answer> {
  const { url, key } = parseConnectionCode(process.env.POSTRIDER_CONNECTION)
  const response = await fetch(new URL(path, url), { headers: { 'x-api-key': key, ...OF_THIS_BUILD }, ...how })
  if (response.ok) return (await response.json()) as Answer // the service's document types it
  const { message } = (await response.json().catch(() => ({}))) as { message?: string }
  throw new Error(
    `Postrider answered ${response.status} for ${path}. ${message ?? 'Is the address in POSTRIDER_CONNECTION right?'}`,
  )
}
