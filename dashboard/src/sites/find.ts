import type { Site } from '@postrider/sdk'
import { bestFirst, matchOf } from '../match.ts'
import { PLATFORM_NAMES } from './platforms.ts'

/** The sites with words that begin with each of these, in their name, address or platform; those with a matching name first. */
export function findSites(sites: readonly Site[], words: string): Site[] {
  if (words.trim() === '') return [...sites]
  return bestFirst(sites, ({ name, url, platform }) => matchOf(words, name, `${url} ${PLATFORM_NAMES[platform]}`))
}
