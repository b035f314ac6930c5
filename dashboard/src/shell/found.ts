/** Finds posts and sites by words, for the palette. */
import type { ListedPost, Site } from '@postrider/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { postListQuery, sitesQuery } from '../queries.ts'
import { findSites } from '../sites/find.ts'
import { useRested } from '../ui/rested.ts'

/** The most posts, to be readable at a glance; sites have few names that match. */
const MOST = 5
const MOST_SITES = 20

/** `standing`: the search for posts is running, or has failed. */
export type Found = {
  posts: readonly ListedPost[]
  sites: readonly Site[]
  standing: 'done' | 'looking' | 'failed'
}

/** Finds posts and sites by these words; nothing without words. The service searches posts once typing pauses. */
export function useFound(words: string): Found {
  const wanted = words.trim()
  const asked = useRested(wanted)
  const posts = useQuery({
    ...postListQuery({ search: asked, limit: MOST }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  })
  const sites = useQuery(sitesQuery).data?.sites ?? []
  if (wanted === '') return { posts: [], sites: [], standing: 'done' }
  return {
    posts: asked === '' ? [] : (posts.data?.data ?? []),
    sites: findSites(sites, wanted).slice(0, MOST_SITES),
    standing: asked !== wanted || posts.isFetching ? 'looking' : posts.isError ? 'failed' : 'done',
  }
}
