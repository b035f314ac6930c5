/**
 * Reading posts through the cache of Next.js. Each answer is kept under a tag, `postrider:SLUG` or `postrider:list`, until a webhook says that it
 * is out of date; and asked for again once a day or hour, in case one did not arrive.
 */
import { parseConnectionCode } from '@postrider/sdk'
import { isPreview } from '@postrider/sdk/receiver'
import type { WebhookPost } from '@postrider/sdk/webhooks'

/** A post as lists have it. */
export type PostSummary = Pick<WebhookPost, 'id' | 'title' | 'slug' | 'excerpt' | 'tags' | 'published_at'>

/** A page of the list; `page` counts from 1. */
export type PostPage = { posts: PostSummary[]; page: number; pages: number; total: number }

/** The tag of everything that lists posts. */
export const LIST_TAG = 'postrider:list'

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

/** The same for routes, which may read without the cache: whether a preview has ended is asked each time. */
export async function getPostNow(slug: string): Promise<WebhookPost | undefined> {
  if (!isPreview(slug)) return getPost(slug)
  return (await answerTo<Found>(lookupPath(slug), { cache: 'no-store' })).post
}

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
  return answerTo<Answer>(path, { cache: 'force-cache', next: { tags: [tag], revalidate } })
}

async function answerTo<Answer>(path: string, how: object): Promise<Answer> {
  const { url, key } = parseConnectionCode(process.env.POSTRIDER_CONNECTION)
  const response = await fetch(new URL(path, url), { headers: { 'x-api-key': key }, ...how })
  if (response.ok) return (await response.json()) as Answer // the service's document types it
  const { message } = (await response.json().catch(() => ({}))) as { message?: string }
  throw new Error(
    `Postrider answered ${response.status} for ${path}. ${message ?? 'Is the address in POSTRIDER_CONNECTION right?'}`,
  )
}
