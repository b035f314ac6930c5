import type { Site } from '@postrider/sdk'
import { bestFirst, matchOf } from '../match.ts'
import { MADE_WITH, madeOf } from './made-with.ts'

/** The sites with words that begin with each of these, in their name, address or platform; those with a matching name first. */
export function findSites(sites: readonly Site[], words: string): Site[] {
  if (words.trim() === '') return [...sites]
  return bestFirst(sites, (site) => matchOf(words, site.name, `${site.url} ${MADE_WITH[madeOf(site)]}`))
}
