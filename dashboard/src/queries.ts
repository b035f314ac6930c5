/**
 * What the screens read, by the name under which it is kept. A key begins with the noun, so that all of a noun can be
 * looked at anew at once.
 */
import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { api, isSignedOut } from './api.ts'
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

/** One post with its text and the newest delivery per site; looked at anew whenever somebody comes back to it. */
export const postQuery = (id: string) =>
  queryOptions({
    queryKey: ['posts', 'one', id],
    queryFn: ({ signal }) => api.posts.get(id, { signal }),
    refetchOnWindowFocus: 'always',
  })

/** All sites of the account. */
export const sitesQuery = queryOptions({ queryKey: ['sites'], queryFn: () => api.sites.list() })

/** Totals of the last 30 days. */
export const overviewQuery = queryOptions({
  queryKey: ['deliveries', 'overview'],
  queryFn: () => api.analytics.overview(),
})
