import type { Site } from '@postrider/sdk'
import { PLATFORM_NAMES } from './health.tsx'

/** The sites with all of these words in their name, address or platform. Case and accents do not matter, as when posts are searched. */
export function findSites(sites: readonly Site[], words: string): Site[] {
  const wanted = folded(words).split(/\s+/)
  return sites.filter(({ name, url, platform }) => {
    const known = folded(`${name} ${url} ${PLATFORM_NAMES[platform]}`)
    return wanted.every((word) => known.includes(word))
  })
}

function folded(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
}
