/**
 * What the screens read, by the name under which it is kept. A key begins with the noun: `[noun, 'one', id]` for one thing,
 * `[noun, …]` for what is made of many. By that rule live updates (`live.ts`) know what to read again.
 */
import type { AnalyticsRange, ListDeliveries, ListSummaries, PostriderClient, Site } from '@postrider/sdk'
import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { api, isRegistrationOpen, isSignedOut } from './api.ts'
import { sessionEnded } from './session.ts'

const onError = (error: unknown) => {
  if (isSignedOut(error)) sessionEnded()
}

/** What was read. The SDK tries again where that helps; `always`, since the service may run on this very machine. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: { retry: false, networkMode: 'always', staleTime: 15_000 },
    mutations: { retry: false, networkMode: 'always' },
  },
})

/** Who is signed in, the plan and its limits. */
export const accountQuery = queryOptions({ queryKey: ['account'], queryFn: () => api.account(), staleTime: 60_000 })

/** Whether anybody may create an account; that changes with a restart of the service only. */
export const registrationQuery = queryOptions({
  queryKey: ['registration'],
  queryFn: isRegistrationOpen,
  staleTime: Number.POSITIVE_INFINITY,
})

/** One post with its text and the newest delivery per site; looked at anew whenever somebody comes back to it. */
export const postQuery = (id: string) =>
  queryOptions({
    queryKey: ['posts', 'one', id],
    queryFn: ({ signal }) => api.posts.get(id, { signal }),
    refetchOnWindowFocus: 'always',
  })

/** A page of posts without their texts, each with its newest delivery per site. */
export const postListQuery = (asked: ListSummaries) =>
  queryOptions({
    queryKey: ['posts', 'list', asked],
    queryFn: ({ signal }) => api.posts.summaries(asked, { signal }),
  })

/** A page of the log of deliveries. `asked` names it; `period` is asked for as the time is then. */
export const deliveryLogQuery = (asked: ListDeliveries, lastHours?: number) =>
  queryOptions({
    queryKey: ['deliveries', 'list', asked, lastHours],
    queryFn({ signal }) {
      const from = lastHours === undefined ? {} : { from: new Date(Date.now() - lastHours * 3_600_000).toISOString() }
      return api.deliveries.list({ ...asked, ...from }, { signal })
    },
  })

/** One delivery with its attempts, and what it sends. */
export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['deliveries', 'one', id],
    queryFn: ({ signal }) => api.deliveries.get(id, { signal }),
  })

const inOrder = new Intl.Collator(undefined, { numeric: true })

/** All sites of the account, by name. */
export const sitesQuery = queryOptions({
  queryKey: ['sites', 'list'],
  async queryFn() {
    const list = await api.sites.list()
    return { ...list, sites: list.sites.toSorted((a, b) => inOrder.compare(a.name, b.name)) }
  },
})

/** Totals of the last 30 days. */
export const overviewQuery = queryOptions({
  queryKey: ['deliveries', 'overview'],
  queryFn: () => api.analytics.overview(),
})

/** Totals of a time, in all and per site. Its key is all that it depends on. */
export const overviewOf = (range: AnalyticsRange) =>
  queryOptions({
    queryKey: ['deliveries', 'overview', range],
    queryFn: ({ signal }) => api.analytics.overview(range, { signal }),
  })

/** The same over time. */
export const timelineOf = (query: NonNullable<Parameters<PostriderClient['analytics']['deliveries']>[0]>) =>
  queryOptions({
    queryKey: ['deliveries', 'timeline', query],
    queryFn: ({ signal }) => api.analytics.deliveries(query, { signal }),
  })

/** One site with its secrets: asked for when somebody wants to see them, and forgotten when nobody does any more. */
export const siteWithSecretsQuery = (id: string) =>
  queryOptions({
    queryKey: ['sites', 'one', id],
    queryFn: ({ signal }) => api.sites.get(id, { signal }),
    gcTime: 0,
  })

/** What was sent to a site last. */
export const siteDeliveriesOf = (siteId: string) =>
  queryOptions({
    queryKey: ['deliveries', 'site', siteId],
    queryFn: ({ signal }) => api.deliveries.list({ site_id: siteId, limit: 10 }, { signal }),
  })

/** A site has changed, to this. */
export function keepSite(site: Site): void {
  queryClient.setQueryData(
    sitesQuery.queryKey,
    (list) => list && { ...list, sites: list.sites.map((one) => (one.id === site.id ? site : one)) },
  )
  void queryClient.invalidateQueries({ queryKey: ['sites'] })
  // What was waiting goes on, or stops.
  void queryClient.invalidateQueries({ queryKey: ['deliveries'] })
}

/** A site is gone. */
export function forgetSite(id: string): void {
  queryClient.setQueryData(sitesQuery.queryKey, (list) => {
    const sites = list?.sites.filter((one) => one.id !== id)
    return sites && { sites, total: sites.length }
  })
  void queryClient.invalidateQueries({ queryKey: ['sites'] })
}

/** The newest deliveries of a post, the latest first. */
export const deliveriesOfPostQuery = (postId: string) =>
  queryOptions({
    queryKey: ['deliveries', 'of-post', postId],
    queryFn: ({ signal }) => api.deliveries.list({ post_id: postId, limit: 100 }, { signal }),
  })

/** A draft that is being written, or was. */
export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: ['jobs', 'one', id],
    queryFn: ({ signal }) => api.drafts.job(id, { signal }),
    // Live updates tell of each step; this is for when they do not come.
    refetchInterval: ({ state }) => (state.data?.status === 'processing' ? 10_000 : false),
  })
