import { transliterate } from 'transliteration'
import { normalized } from '../platform/normalize.ts'

/** The most characters a slug has. */
export const MAX_SLUG = 120

/** The slug of a text: transliterated, lower case, words joined by hyphens, cut to `max`; empty when nothing remains. */
export function slugify(text: string, max = MAX_SLUG): string {
  // Lower case first: there is no transliteration of the capital ẞ.
  const words = transliterate(normalized(text, 'NFKC').toLowerCase())
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .split(/[^a-z0-9]+/)
  return words
    .filter((word) => word !== '')
    .join('-')
    .slice(0, max)
    .replace(/-+$/, '')
}

/** Whether `slug` is `base`, or `base` with a number, cut where the number needs room, as `freeSlug` makes it. */
export function isSlugOf(base: string, slug: string): boolean {
  const [, stem, number = ''] = /^(.+)-(\d+)$/.exec(slug) ?? []
  return slug === base || stem === base.slice(0, MAX_SLUG - 1 - number.length).replace(/-+$/, '')
}
