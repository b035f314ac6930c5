import { allPages } from './all-pages.ts'
import type { components, operations } from './generated/api.ts'
import { type SyncOptions, syncPosts } from './sync.ts'
import { type CallOptions, createTransport, type TransportOptions } from './transport.ts'

type Schemas = components['schemas']
export type PostSummary = Schemas['PostSummary']
export type PulledPosts = Omit<Schemas['PulledPosts'], 'posts'> & { posts: PostSummary[] }
export type PulledPost = Schemas['PulledPost']
export type Confirmed = Schemas['Confirmed']
export type PostChange = Schemas['PostChange']
export type PostChanges = Schemas['PostChanges']
export type Confirmation = Schemas['Confirmation']
export type ConfirmationResult = Schemas['ConfirmationResult']
export type PullDigest = Schemas['PullDigest']
export type PullDifferences = Schemas['PullDifferences']
export type HeldPosts = Schemas['HeldPosts']

/** Filters and page of a list of a site's posts. */
export type PullQuery = Omit<NonNullable<operations['pullPosts']['parameters']['query']>, 'include'>
/** Which part of the changes to get. */
export type ChangesQuery = NonNullable<operations['pullChanges']['parameters']['query']>

/** What a site may add to a confirmation: its error, or metadata. */
export type Report = Pick<Schemas['Confirm'], 'error_message' | 'metadata' | 'published_url' | 'version'>

/** A site's client for the Pull API. For servers only: the key must not reach browsers. */
export type PullClient = ReturnType<typeof createPullClient>

/** Makes a client with a site's `api_key`. Every method throws PostriderError when the service refuses. */
export function createPullClient({ apiKey, ...options }: TransportOptions & { apiKey: string }) {
  const call = createTransport(options, () => ({ 'x-api-key': apiKey }))
  const list = (query: PullQuery = {}, { signal }: CallOptions = {}) =>
    call<PulledPosts>({ method: 'GET', path: '/api/pull/posts', query, signal })

  const changes = (query: ChangesQuery = {}, { signal }: CallOptions = {}) =>
    call<PostChanges>({ method: 'GET', path: '/api/pull/changes', query, signal })
  const confirmMany = (confirmations: Confirmation[], { signal }: CallOptions = {}) =>
    call<Schemas['ConfirmationResults']>({
      method: 'POST',
      path: '/api/pull/confirmations',
      body: { confirmations },
      safe: true,
      signal,
    })

  return {
    list,
    /** Every post of the site, page by page. */
    all({ limit = 100, ...query }: Omit<PullQuery, 'page'> = {}, options?: CallOptions): AsyncGenerator<PostSummary> {
      return allPages(limit, async (page) => {
        const { posts, pages, total } = await list({ limit, ...query, page }, options)
        return { items: posts, pages, total }
      })
    },
    get: (slug: string, { signal }: CallOptions = {}) =>
      call<PulledPost>({ method: 'GET', path: `/api/pull/posts/${encodeURIComponent(slug)}`, signal }),
    /** The post of a preview link, by the end of its address: as it would be pulled if it were published now. */
    preview: (token: string, { signal }: CallOptions = {}) =>
      call<PulledPost>({ method: 'GET', path: `/api/pull/preview/${encodeURIComponent(token)}`, signal }),
    /** The post that has this slug, else the one that had it before. */
    lookUp: (slug: string, { signal }: CallOptions = {}) =>
      call<Schemas['FoundPost']>({ method: 'GET', path: '/api/pull/lookup', query: { slug }, signal }),
    /** Reports that the site has the post, or why it could not take it. */
    confirm: (
      postId: string,
      siteId: string,
      status: 'delivered' | 'failed',
      report: Report = {},
      { signal }: CallOptions = {},
    ) =>
      call<Confirmed>({
        method: 'POST',
        path: '/api/pull/confirm',
        body: { post_id: postId, site_id: siteId, status, ...report },
        safe: true,
        signal,
      }),
    /** What has changed for the site since the cursor; without one, every post that it may show. */
    changes,
    /** Up to 100 reports in one request; one that is refused says why in its result. */
    confirmMany,
    /** How many posts the site should have, and the digest of their ids and versions. */
    digest: ({ signal }: CallOptions = {}) => call<PullDigest>({ method: 'GET', path: '/api/pull/digest', signal }),
    /** What differs between what the site has and what it should have. */
    compare: (body: HeldPosts, { signal }: CallOptions = {}) =>
      call<PullDifferences>({ method: 'POST', path: '/api/pull/digest', body, safe: true, signal }),
    /** Hands over everything that has changed since the cursor; resolves with the cursor for the next time (see `syncPosts`). */
    sync: (options: SyncOptions) => syncPosts({ changes, confirmMany }, options),
  }
}
