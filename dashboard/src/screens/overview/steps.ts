/** The first steps of a new account: which ones are done. */
import type { ListedPostPage, Site } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { postListQuery } from '../../queries.ts'

export type StepName = 'connect' | 'write' | 'publish' | 'arrive'

/** A step, and whether it is done. */
export type FirstStep = { name: StepName; done: boolean }

const ONE = { limit: 1 }
const ONE_PUBLISHED = { limit: 1, status: 'published' } as const
const countOf = (page: ListedPostPage | undefined) => page?.pagination.total

/**
 * The steps while one is left to do; undefined when all are done or not known yet. Once a site has received something, all
 * count as done.
 */
export function useSteps(sites: readonly Site[] | undefined): FirstStep[] | undefined {
  const arrived = sites?.some(({ delivery_stats: { success_rate: rate } }) => (rate ?? 0) > 0)
  const enabled = arrived === false
  const posts = countOf(useQuery({ ...postListQuery(ONE), enabled }).data)
  const published = countOf(useQuery({ ...postListQuery(ONE_PUBLISHED), enabled }).data)
  if (sites === undefined || !enabled || posts === undefined || published === undefined) return undefined
  return [
    { name: 'connect', done: sites.length > 0 },
    { name: 'write', done: posts > 0 },
    { name: 'publish', done: published > 0 && sites.length > 0 },
    { name: 'arrive', done: false },
  ]
}
