import { allPages } from './all-pages.ts'
import type { components, operations } from './generated/api.ts'
import { type CallOptions, createTransport, type TransportOptions } from './transport.ts'

type Schemas = components['schemas']
export type PostSummary = Schemas['PostSummary']
export type PulledPosts = Schemas['PulledPosts']
export type PulledPost = Schemas['PulledPost']
export type Confirmed = Schemas['Confirmed']

/** Filters and page of a list of a site's posts. */
export type PullQuery = NonNullable<operations['pullPosts']['parameters']['query']>

/** What a site may add to a confirmation: its error, or metadata. */
export type Report = Pick<Schemas['Confirm'], 'error_message' | 'metadata'>

/** A site's client for the Pull API. For servers only: the key must not reach browsers. */
export type PullClient = ReturnType<typeof createPullClient>

/** Makes a client with a site's `api_key`. Every method throws PostriderError when the service refuses. */
export function createPullClient({ apiKey, ...options }: TransportOptions & { apiKey: string }) {
  const call = createTransport(options, () => ({ 'x-api-key': apiKey }))
  const list = (query: PullQuery = {}, { signal }: CallOptions = {}) =>
    call<PulledPosts>({ method: 'GET', path: '/api/pull/posts', query, signal })

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
  }
}
