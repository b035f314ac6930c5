import { transliterate } from 'transliteration'

/** The most characters a slug has. */
export const MAX_SLUG = 120

/** The slug of a text: transliterated, lower case, words joined by hyphens, cut to `max`; empty when nothing remains. */
export function slugify(text: string, max = MAX_SLUG): string {
  const words = transliterate(text.normalize('NFKC'))
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .split(/[^a-z0-9]+/)
  return words
    .filter((word) => word !== '')
    .join('-')
    .slice(0, max)
    .replace(/-+$/, '')
}
