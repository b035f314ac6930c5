/**
 * Where a site keeps its posts. A store is a few functions; what a request changes is decided here, once for all of them.
 *
 * Postrider sends the requests for one post one after another, but a handler that hung may still be at work when the next request for its
 * post comes. So a store replaces only what it was read as (`revision`), and whoever was late reads again and decides again: of
 * two webhooks, by the time at which they were sent; of two states of a post, by its version.
 */
import type { components } from '../generated/api.ts'
import type { WebhookEvent, WebhookPost } from '../webhooks.ts'

type PostSummary = components['schemas']['PostSummary']
type PostChange = components['schemas']['PostChange']

/** What a site keeps of a post. */
export type Kept = {
  /** null once the post was removed. */
  post: WebhookPost | null
  /** The newest version that was here. */
  version: number
  /** When the newest webhook that was applied was sent, in seconds since 1970; 0 while there was none. */
  sentAt: number
}

/** A post without its body. */
export type ListedPost = Omit<WebhookPost, 'body'>

/** Which part of a list: at most `limit` posts (default 20), those with a tag, those that follow `after`. */
export type ListQuery = { limit?: number | undefined; after?: string | undefined; tag?: string | undefined }

/** A part of the list, newest first; `after` is there if more follow. */
export type PostList = { posts: PostSummary[]; after?: string }

/** What pages read. */
export type Posts = {
  /** The post with this slug, or the one that had it before: redirect visitors to its present one. */
  find(slug: string): Promise<WebhookPost | undefined>
  list(query?: ListQuery): Promise<PostList>
}

/** A place where posts are kept. Everything rejects if the place cannot be reached. */
export type Store = Posts & {
  /** What it is, in a word that people understand: `files`, `PostgreSQL`. */
  name: string
  /** What is kept under an id, and what `write` needs to replace it. */
  read(id: string): Promise<{ kept: Kept; revision: string | number } | undefined>
  /** Replaces what was read, or adds it when nothing was; false, without a change, if somebody else was faster. */
  write(id: string, kept: Kept, revision: string | number | undefined): Promise<boolean>
  /** How far the site has followed the changes. */
  readCursor(): Promise<string | undefined>
  writeCursor(cursor: string): Promise<void>
}

/** The most posts of one part of a list when the query does not say. */
export const DEFAULT_LIMIT = 20

/** An event that is about a post. */
export type PostEvent = Exclude<WebhookEvent, { event: 'site.test' }>

/** Applies a webhook that was sent at `sentAt`, in seconds; false if something newer is here already. */
export function applyEvent(store: Store, event: PostEvent, sentAt: number): Promise<boolean> {
  return change(store, event.post.id, (here) => afterEvent(here, event, sentAt))
}

/** Applies an entry of `GET /api/pull/changes`; false if something newer is here already. */
export function applyChange(store: Store, entry: PostChange): Promise<boolean> {
  return change(store, entry.post_id, (here) => afterChange(here, entry))
}

/** Removes a post that the service no longer lists, unless it has changed since `version` was seen. */
export function removeUnlisted(store: Store, id: string, version: number): Promise<boolean> {
  return change(store, id, (here) => (here?.version === version ? { ...here, post: null } : undefined))
}

function afterEvent(here: Kept | undefined, event: PostEvent, sentAt: number): Kept | undefined {
  if (here !== undefined && here.sentAt > sentAt) return undefined
  if (event.event === 'post.deleted') return { post: null, version: here?.version ?? 0, sentAt }
  if (here?.post != null && here.version > event.post.version) return undefined
  return { post: event.post, version: event.post.version, sentAt }
}

function afterChange(here: Kept | undefined, { event, version, at, post }: PostChange): Kept | undefined {
  const sentAt = here?.sentAt ?? 0
  if (here !== undefined && here.version > version) return undefined
  if (event === 'deleted' || post === undefined) return { post: null, version, sentAt }
  // Removed by a webhook after this entry was written: a page of changes can be older than the webhook that overtook it.
  const isRemoved = here?.post === null && here.version >= post.version && Date.parse(at) < sentAt * 1000
  return isRemoved ? undefined : { post, version: post.version, sentAt }
}

async function change(store: Store, id: string, next: (here: Kept | undefined) => Kept | undefined): Promise<boolean> {
  for (;;) {
    const here = await store.read(id)
    const kept = next(here?.kept)
    if (kept === undefined) return false
    if (await store.write(id, kept, here?.revision)) return true
  }
}

/** What lists show of a post. */
export function listed({ body: _, ...post }: WebhookPost): ListedPost {
  return post
}

/** Newest first, and the same order for posts of one instant. */
export function byNewest(a: ListedPost, b: ListedPost): number {
  return b.published_at.localeCompare(a.published_at) || b.id.localeCompare(a.id)
}

/** A part of posts that are in memory, newest first; `after` names the last post of the part before. */
export function partOf(sorted: readonly ListedPost[], { limit = DEFAULT_LIMIT, after, tag }: ListQuery = {}): PostList {
  const tagged = tag === undefined ? sorted : sorted.filter(({ tags }) => tags.includes(tag))
  const rest = after === undefined ? tagged : tagged.filter((post) => isAfter(post, after))
  return page(rest.slice(0, limit + 1), limit)
}

/** Makes a part of one post more than it may have, if there is one. */
export function page(found: ListedPost[], limit: number): PostList {
  const posts = found.slice(0, limit)
  const last = posts.at(-1)
  return found.length > limit && last !== undefined ? { posts, after: markOf(last) } : { posts }
}

/** Where a post stands in the list: its instant and its id. */
function markOf({ published_at, id }: ListedPost): string {
  return `${published_at}~${id}`
}

/** The instant and the id of a mark; a mark that somebody made up is the end of the list. */
export function readMark(after: string): { publishedAt: string; id: string } {
  const [publishedAt = '', id = ''] = after.split('~')
  return Number.isNaN(Date.parse(publishedAt)) ? { publishedAt: '', id: '' } : { publishedAt, id }
}

function isAfter(post: ListedPost, after: string): boolean {
  const { publishedAt, id } = readMark(after)
  return post.published_at < publishedAt || (post.published_at === publishedAt && post.id < id)
}
