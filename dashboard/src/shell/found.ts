/** Posts and sites by words, for the palette. */
import type { ListedPost, Site } from '@postrider/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { postListQuery, sitesQuery } from '../queries.ts'
import { findSites } from '../sites/find.ts'
import { useRested } from '../ui/rested.ts'

/** As many of each as can be seen at a glance. */
const MOST = 5

/** `standing`: posts are being looked for, or the service could not look for them. */
export type Found = {
  posts: readonly ListedPost[]
  sites: readonly Site[]
  standing: 'done' | 'looking' | 'failed'
}

/** What is found by these words; nothing without any. The service looks for posts, once the fingers rest. */
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
    sites: findSites(sites, wanted).slice(0, MOST),
    standing: asked !== wanted || posts.isFetching ? 'looking' : posts.isError ? 'failed' : 'done',
  }
}
