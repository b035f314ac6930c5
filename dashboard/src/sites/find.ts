import type { Site } from '@postrider/sdk'
import { PLATFORM_NAMES } from './health.tsx'

/** The sites with all of these words in their name, address or platform. */
export function findSites(sites: readonly Site[], words: string): Site[] {
  const wanted = words.toLowerCase().split(/\s+/)
  return sites.filter(({ name, url, platform }) => {
    const known = `${name} ${url} ${PLATFORM_NAMES[platform]}`.toLowerCase()
    return wanted.every((word) => known.includes(word))
  })
}
