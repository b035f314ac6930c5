/** The first steps of a new account: which ones are done. */
import type { ListedPostPage, Site } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { postListQuery } from '../../queries.ts'

export type StepName = 'connect' | 'write' | 'publish' | 'arrive'

/** A step, and whether it is done. */
export type FirstStep = { name: StepName; done: boolean }

const ONE = { limit: 1 }
const ONE_PUBLISHED = { limit: 1, status: 'published' } as const
const countOf = (page: ListedPostPage) => page.pagination.total

/**
 * The steps while one is left to do; undefined when all are done. Once a site has received something, all count as done.
 * Pending until that is known.
 */
export function useSteps(sites: readonly Site[] | undefined): { steps?: FirstStep[]; isPending: boolean } {
  const arrived = sites?.some(({ delivery_stats: { success_rate: rate } }) => (rate ?? 0) > 0)
  const enabled = arrived === false
  const posts = useQuery({ ...postListQuery(ONE), enabled })
  const published = useQuery({ ...postListQuery(ONE_PUBLISHED), enabled })
  if (sites === undefined || !enabled) return { isPending: false }
  if (posts.data === undefined || published.data === undefined)
    return { isPending: posts.isPending || published.isPending }
  const steps: FirstStep[] = [
    { name: 'connect', done: sites.length > 0 },
    { name: 'write', done: countOf(posts.data) > 0 },
    { name: 'publish', done: countOf(published.data) > 0 && sites.length > 0 },
    { name: 'arrive', done: false },
  ]
  return { steps, isPending: false }
}
