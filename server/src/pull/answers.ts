/**
 * The answers of the Pull API, cached in memory. An answer is cached with the account's revision at which it was read (see
 * the gate), and used only for requests at that revision, so it is what a fresh read would give. The least recently used
 * answers are evicted when the memory that the operator allows is full.
 *
 * One statement reads what is not cached, for all requests that wait at that moment. Reads that may take long go alone, so
 * that no other request waits for them, and few of them at once, the accounts in turns: a site that asks for all its tags at the
 * same moment must not take all connections.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { type BatchItem, batched } from '../platform/batching.ts'
import type { Context } from '../platform/context.ts'
import { type TaggedBody, tagged } from '../platform/http/etag.ts'
import { pagination } from '../platform/http/pagination.ts'
import { oncePer } from '../platform/once-per.ts'
import { Slots } from '../platform/slots.ts'
import {
  presentSlug,
  pulledEntry,
  pulledJson,
  type Reader,
  tokenInSlug,
  type VisiblePage,
  visiblePages,
  visiblePosts,
  visibleWithTag,
} from '../posts/index.ts'
import { MOST_AT_ONCE, type SitePrincipal } from './gate.ts'
import { previewFor } from './operations.ts'

type Cached = { revision: number; body: { content: Buffer<ArrayBuffer>; tag: string } }

/** The rough size of an entry without its body: the key, the objects, the cache's own lists. */
const ENTRY_BYTES = 500

const cacheOf = oncePer(({ config: { pullCacheBytes } }: Context) =>
  pullCacheBytes === 0
    ? undefined
    : new LRUCache<string, Cached>({
        maxSize: pullCacheBytes,
        sizeCalculation: ({ body }, key) => body.content.byteLength + 2 * key.length + ENTRY_BYTES,
      }),
)

/** The cached answer of this name, or what `read` reads, which is then cached. With `find`, `read` can look into the cache again. */
export async function cached<Body extends TaggedBody | undefined>(
  ctx: Context,
  { siteId, revision }: SitePrincipal,
  name: string,
  read: (find: () => TaggedBody | undefined) => Promise<Body>,
): Promise<Body | TaggedBody> {
  const cache = cacheOf(ctx)
  const key = `${siteId} ${name}`
  const find = () => {
    const found = cache?.get(key)
    return found?.revision === revision ? found.body : undefined
  }
  const found = find()
  if (found !== undefined) return found
  const body = await read(find)
  if (cache === undefined || typeof body?.content !== 'string') return body
  const bytes = { ...body, content: Buffer.from(body.content) }
  cache.set(key, { revision, body: bytes })
  return bytes
}

/** A page as a client asks for it. */
export type WantedPage = { page: number; limit: number; tag?: string | undefined }

/** Skipping this many posts is still fast. */
const FAR = 1_000
/** How many reads that may take long are made at once. */
const LONG_AT_ONCE = 2
/** After a post of more JSON characters than this, the next waits an event loop turn. */
const LARGE = 64 * 1024

/** A page of the posts that the site may see, newest first, as JSON. */
export function pullPage(ctx: Context, site: SitePrincipal, { page, limit, tag }: WantedPage): Promise<TaggedBody> {
  const wanted = { accountId: site.accountId, siteId: site.siteId, page, limit, offset: (page - 1) * limit }
  const name = `list ${page} ${limit}${tag === undefined ? '' : ` ${tag}`}`
  return cached(ctx, site, name, async (find) => {
    if (tag === undefined && wanted.offset <= FAR) return (await readsOf(ctx).page(wanted)).result
    const slot = await readsOf(ctx).long.take(1, site.accountId)
    try {
      // Meanwhile somebody else may have read the same.
      const found = find()
      if (found !== undefined) return found
      if (tag !== undefined) return pageBody(wanted, await visibleWithTag(ctx.db.root, { ...wanted, tag }))
      return pageBody(wanted, (await visiblePages(ctx.db.root, [wanted]))[0])
    } finally {
      slot.free()
    }
  })
}

/** The post of this slug as JSON; undefined when there is none that the site may see. */
export function pullPost(ctx: Context, site: SitePrincipal, slug: string): Promise<TaggedBody | undefined> {
  const { accountId, siteId } = site
  return cached(ctx, site, `post ${slug}`, async () => (await readsOf(ctx).post({ accountId, siteId, slug })).result)
}

/**
 * `{"post": …}`: the post that has this slug, else the one that had it before; `{}` where there is none. A slug with the token of a preview link
 * means that link's post, under this very slug: its own would have the page redirect to where nothing is yet.
 */
export async function lookUpPost(ctx: Context, site: SitePrincipal, slug: string): Promise<TaggedBody> {
  const token = tokenInSlug(slug)
  const preview = token === undefined ? undefined : await previewFor(ctx, site, token)
  if (preview !== undefined && preview !== 'gone') return tagged(JSON.stringify({ post: { ...preview, slug } }))
  const post = (await pullPost(ctx, site, slug)) ?? (await movedPost(ctx, site, slug))
  return tagged(post === undefined ? '{}' : `{"post":${post.content}}`)
}

async function movedPost(ctx: Context, site: SitePrincipal, slug: string): Promise<TaggedBody | undefined> {
  const present = await presentSlug(ctx.db.root, site.accountId, slug)
  return present === undefined ? undefined : pullPost(ctx, site, present)
}

type Page = Reader & WantedPage & { offset: number }
type Post = Reader & { slug: string }

const readsOf = oncePer(({ db }: Context) => ({
  page: batched(
    ({ siteId, page, limit }: Page) => `${siteId} ${page} ${limit}`,
    async (asked: ReadonlyArray<BatchItem<Page>>) => {
      const pages = await visiblePages(
        db.root,
        asked.map(({ item }) => item),
      )
      return asked.map(({ item }, index) => pageBody(item, pages[index]))
    },
    MOST_AT_ONCE,
  ),
  post: batched(
    ({ siteId, slug }: Post) => `${siteId} ${slug}`,
    async (asked: ReadonlyArray<BatchItem<Post>>) => {
      const posts = await visiblePosts(
        db.root,
        asked.map(({ item }) => item),
      )
      const bodies: Array<TaggedBody | undefined> = []
      for (const [index, { item }] of asked.entries()) {
        const post = posts[index]
        const json = post && pulledJson(post, item.siteId)
        bodies.push(json === undefined ? undefined : tagged(json))
        if (json !== undefined && json.length > LARGE) await turn()
      }
      return bodies
    },
    MOST_AT_ONCE,
  ),
  long: new Slots(LONG_AT_ONCE),
}))

function pageBody({ page, limit }: WantedPage, { posts, total }: VisiblePage = { posts: [], total: 0 }): TaggedBody {
  return tagged(JSON.stringify({ posts: posts.map(pulledEntry), ...pagination(page, limit, total) }))
}
