import type { components } from './generated/api.ts'
import { createTransport, type TransportOptions } from './transport.ts'

type Schemas = components['schemas']
export type PulledPosts = Schemas['PulledPosts']
export type PulledPost = Schemas['PulledPost']
export type Confirmed = Schemas['Confirmed']

/** A page of a site's posts. */
export type PullQuery = { page?: number; limit?: number; tag?: string }

/** What a site reports of a post. */
export type Report = { error_message?: string | null; metadata?: Record<string, unknown> }

/** A site's client of the Pull API. For servers only: the key must not reach browsers. */
export type PullClient = ReturnType<typeof createPullClient>

/** Makes a client with a site's `api_key`. Every method throws PostriderError when the service refuses. */
export function createPullClient({ apiKey, ...options }: TransportOptions & { apiKey: string }) {
  const call = createTransport(options, () => ({ 'x-api-key': apiKey }))
  const list = (query: PullQuery = {}) => call<PulledPosts>({ method: 'GET', path: '/api/pull/posts', query })

  return {
    list,
    /** Every post of the site, page by page. */
    async *all(query: Omit<PullQuery, 'page'> = {}): AsyncGenerator<PulledPosts['posts'][number]> {
      for (let page = 1, pages = 1; page <= pages; page += 1) {
        const answer = await list({ limit: 100, ...query, page })
        pages = answer.pages
        yield* answer.posts
      }
    },
    get: (slug: string) => call<PulledPost>({ method: 'GET', path: `/api/pull/posts/${encodeURIComponent(slug)}` }),
    /** Tells that the site has the post, or why it could not take it. */
    confirm: (postId: string, siteId: string, status: 'delivered' | 'failed', report: Report = {}) =>
      call<Confirmed>({
        method: 'POST',
        path: '/api/pull/confirm',
        body: { post_id: postId, site_id: siteId, status, ...report },
        safe: true,
      }),
  }
}
