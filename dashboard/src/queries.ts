/**
 * Everything the screens read, with its query key. A key begins with the noun: `[noun, 'one', id]` for one thing, `[noun, …]`
 * for what is made of many. By that rule live updates (`rounds.ts`) know what to fetch again.
 */
import type {
  AnalyticsRange,
  ListDeliveries,
  ListedPost,
  ListImportedPosts,
  ListSummaries,
  LoggedDelivery,
  PostriderClient,
  Site,
} from '@postrider/sdk'
import { infiniteQueryOptions, MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { api, describeService, isSignedOut, unlessMissing } from './api.ts'
import { sessionBegan, sessionEnded } from './session.ts'

const onError = (error: unknown) => {
  if (isSignedOut(error)) sessionEnded()
}

/** The query cache. The SDK does the retries. `always`: the service may run on this machine, so being offline does not matter. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: { retry: false, networkMode: 'always', staleTime: 15_000 },
    mutations: { retry: false, networkMode: 'always' },
  },
})

/** The signed-in account, its plan and limits. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  async queryFn() {
    const account = await api.account()
    sessionBegan(account.user.id)
    return account
  },
  staleTime: 60_000,
})

/**
 * Whether anybody may create an account, whether the service sends mail, and the command that starts the sample site, null where it cannot
 * be used. All change with a restart of the service only.
 */
export const serviceQuery = queryOptions({
  queryKey: ['service'],
  queryFn: describeService,
  staleTime: Number.POSITIVE_INFINITY,
})

/** One post with its text and the newest delivery per site; fetched again whenever somebody returns to it. */
export const postQuery = (id: string) =>
  queryOptions({
    queryKey: ['posts', 'one', id],
    queryFn: ({ signal }) => api.posts.get(id, { signal }),
    refetchOnWindowFocus: 'always',
  })

/** The changes to a post that are not published; null if there are none. */
export const workingCopyQuery = (id: string) =>
  queryOptions({
    queryKey: ['posts', 'one', id, 'working-copy'],
    queryFn: async ({ signal }) => (await unlessMissing(api.posts.workingCopy.get(id, { signal }))) ?? null,
    refetchOnWindowFocus: 'always',
  })

/** What each site of a post is told of the address of its original. */
export const canonicalQuery = (id: string) =>
  queryOptions({
    queryKey: ['posts', 'one', id, 'canonical'],
    queryFn: ({ signal }) => api.posts.canonical(id, { signal }),
  })

/** The versions of a post, newest first, page by page. `present`: the version that it has, so that a new one is seen. */
export const revisionsQuery = (id: string, present: number) =>
  infiniteQueryOptions({
    queryKey: ['posts', 'history', id, present],
    queryFn: ({ pageParam: cursor, signal }) =>
      api.posts.revisions(id, cursor === undefined ? {} : { cursor }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
  })

/** What programs propose to publish, newest first. */
export const proposalsQuery = queryOptions({
  queryKey: ['posts', 'proposals'],
  queryFn: async ({ signal }) => (await api.posts.proposals.list({}, { signal })).proposals,
})

/** The proposal to publish a post; null if there is none. */
export const proposalQuery = (id: string) =>
  queryOptions({
    queryKey: ['posts', 'proposals', id],
    queryFn: async ({ signal }) => (await api.posts.proposals.list({ post_id: id }, { signal })).proposals[0] ?? null,
  })

/** The preview links of a post that work. */
export const previewsQuery = (id: string) =>
  queryOptions({
    queryKey: ['posts', 'previews', id],
    queryFn: ({ signal }) => api.posts.previews.list(id, { signal }),
  })

/** What differs between two versions of a post, which never changes. */
export const revisionDiffQuery = (id: string, from: number, to: number) =>
  queryOptions({
    queryKey: ['posts', 'differences', id, from, to],
    queryFn: ({ signal }) => api.posts.diff(id, { from, to }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Pictures, newest first, page by page: all, or those with these words. */
export const mediaQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: ['media', 'list', search],
    queryFn: ({ pageParam: cursor, signal }) =>
      api.media.list(
        { limit: 40, ...(search === '' ? {} : { search }), ...(cursor === undefined ? {} : { cursor }) },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
  })

/** One picture, with the posts that have it. */
export const mediumQuery = (id: string) =>
  queryOptions({
    queryKey: ['media', 'one', id],
    queryFn: ({ signal }) => api.media.get(id, { signal }),
  })

/** A page of posts without their texts, each with its newest delivery per site. */
export const postListQuery = (asked: ListSummaries) =>
  queryOptions({
    queryKey: ['posts', 'list', asked],
    queryFn: ({ signal }) => api.posts.summaries(asked, { signal }),
  })

/** Pages of a calendar that are read at most. */
const MOST_PAGES = 10

/** What is scheduled for, or was published in, a period between two instants; `more`: not all of it. */
export const calendarQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: ['posts', 'calendar', from, to],
    async queryFn({ signal }) {
      const posts: ListedPost[] = []
      for (let page = 1; ; page += 1) {
        const { data, pagination } = await api.posts.summaries({ from, to, page, limit: 100 }, { signal })
        posts.push(...data)
        if (page >= pagination.pages || page === MOST_PAGES) return { posts, more: page < pagination.pages }
      }
    },
  })

/** A page of the log of deliveries. `asked` is its key; `lastHours` counts back from the time of the request. */
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

/** How this person is told of things, and whether the service can send mail. */
export const channelsQuery = queryOptions({
  queryKey: ['channels', 'list'],
  queryFn: ({ signal }) => api.notifications.list({ signal }),
})

/** The tokens of programs, newest first. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens', 'list'],
  queryFn: async ({ signal }) => (await api.tokens.list({ signal })).tokens,
})

/** Sites in trouble, then the troubles that are over. */
export const incidentsQuery = queryOptions({
  queryKey: ['incidents', 'list'],
  queryFn: async ({ signal }) => (await api.incidents({ signal })).incidents,
})

/** Totals of the last 30 days. */
export const overviewQuery = queryOptions({
  queryKey: ['deliveries', 'overview'],
  queryFn: () => api.analytics.overview(),
})

/** Totals of a period, overall and per site. The key is everything the answer depends on. */
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

/** One site with its secrets: fetched when somebody wants to see them, and dropped from the cache when nobody does any more. */
export const siteWithSecretsQuery = (id: string) =>
  queryOptions({
    queryKey: ['sites', 'one', id],
    queryFn: ({ signal }) => api.sites.get(id, { signal }),
    gcTime: 0,
  })

/** The latest deliveries to a site. */
export const siteDeliveriesOf = (siteId: string) =>
  queryOptions({
    queryKey: ['deliveries', 'site', siteId],
    queryFn: ({ signal }) => api.deliveries.list({ site_id: siteId, limit: 10 }, { signal }),
  })

/** Makes a site the original of new posts; null: none. Rejects with the service's refusal. */
export async function setUsualOriginal(siteId: string | null): Promise<void> {
  queryClient.setQueryData(accountQuery.queryKey, await api.updateAccount({ primary_site_id: siteId }))
}

/** Puts a changed site into the cache. */
export function keepSite(site: Site): void {
  queryClient.setQueryData(
    sitesQuery.queryKey,
    (list) => list && { ...list, sites: list.sites.map((one) => (one.id === site.id ? site : one)) },
  )
  void queryClient.invalidateQueries({ queryKey: ['sites'] })
  // Its pending deliveries resume or pause.
  void queryClient.invalidateQueries({ queryKey: ['deliveries'] })
}

/** Removes a disconnected site from the cache. */
export function forgetSite(id: string): void {
  queryClient.setQueryData(sitesQuery.queryKey, (list) => {
    const sites = list?.sites.filter((one) => one.id !== id)
    return sites && { sites, total: sites.length }
  })
  void queryClient.invalidateQueries({ queryKey: ['sites'] })
}

/** The latest deliveries of a post, newest first. */
export const deliveriesOfPostQuery = (postId: string) =>
  queryOptions({
    queryKey: ['deliveries', 'of-post', postId],
    queryFn: async ({ signal }) => {
      const data: LoggedDelivery[] = []
      const sites = new Set<string>()
      for (let cursor: string | null | undefined; ; ) {
        const asked = { post_id: postId, limit: 100, ...(cursor && { cursor }) }
        const page = await api.deliveries.list(asked, { signal })
        const known = sites.size
        for (const { site_id: id } of page.data) sites.add(id)
        data.push(...page.data)
        cursor = page.next_cursor
        // A page without another site is about earlier events.
        if (cursor === null || sites.size === known) return { data }
      }
    },
  })

/** A job that writes or has written a draft. */
export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: ['jobs', 'one', id],
    queryFn: ({ signal }) => api.drafts.job(id, { signal }),
    // Live updates announce each step; poll in case they do not come.
    refetchInterval: ({ state }) => (state.data?.status === 'processing' ? 10_000 : false),
  })

/** The account's imports, newest first. */
export const importsQuery = queryOptions({
  queryKey: ['imports'],
  queryFn: ({ signal }) => api.imports.list({}, { signal }),
})

const WORKING = new Set(['reading', 'importing', 'undoing'])

/** An import with its report. */
export const importQuery = (id: string) =>
  queryOptions({
    queryKey: ['imports', 'one', id],
    queryFn: ({ signal }) => api.imports.get(id, { signal }),
    refetchInterval: ({ state }) => (WORKING.has(state.data?.status ?? '') ? 1_500 : false),
  })

/** A page of the posts of an import, which are others when it has another status. */
export const importedPostsQuery = (id: string, status: string, query: ListImportedPosts) =>
  queryOptions({
    queryKey: ['imports', 'one', id, 'posts', status, query],
    queryFn: ({ signal }) => api.imports.posts(id, query, { signal }),
  })
