/**
 * The address of a post's original, which copies of it name so that search engines do not count them as duplicates. A post may have one
 * site as its original (`primary_site_id`). Then every site is sent the address of the post there, unless its author gave one, or the site
 * names its own. A post without an original is sent as its author wrote it.
 */
import { postAddress } from '../sites/index.ts'
import type { PostRow } from './tables.ts'

/** Why a site is sent an address. */
export const CANONICAL_SOURCES = [
  'author',
  'primary_live',
  'primary_pattern',
  'own_live',
  'own_pattern',
  'unknown',
  'none',
] as const

/** The address that a site is sent, and why it is that. Without an address: the original's is not known, or there is no original. */
export type Canonical =
  | { url: string; source: Exclude<(typeof CANONICAL_SOURCES)[number], 'unknown' | 'none'> }
  | { url: null; source: 'unknown' | 'none' }

/** The original of a post, and what is known of addresses. Patterns are as in `sites.post_url`. */
export type Original = {
  siteId: string
  pattern: string | null
  /** Whether the post is for that site at all: a page that is not there has no address. */
  isFor: boolean
  /** The patterns of sites that name their own addresses, by their ids. */
  own: Readonly<Record<string, string | null>>
  /** Where sites show the post, as they said, by their ids. */
  live: Readonly<Record<string, string>>
}

/** A row of a post as far as addresses are made of it. */
export type AddressedRow = Pick<PostRow, 'id' | 'slug' | 'meta' | 'published_at'>

/** The address that a site is sent as `meta.canonical_url` of a post. */
export function canonicalFor(post: AddressedRow, original: Original | null, siteId: string): Canonical {
  const given = post.meta.canonical_url
  if (given !== undefined) return { url: given, source: 'author' }
  if (original === null) return { url: null, source: 'none' }
  const pattern = original.own[siteId]
  if (pattern !== undefined) return known(post, { pattern, live: original.live[siteId] }, 'own')
  if (!original.isFor) return { url: null, source: 'unknown' }
  return known(post, { pattern: original.pattern, live: original.live[original.siteId] }, 'primary')
}

function known(
  { id, slug, published_at: at }: AddressedRow,
  { pattern, live }: { pattern: string | null; live: string | undefined },
  whose: 'own' | 'primary',
): Canonical {
  if (live !== undefined) return { url: live, source: `${whose}_live` }
  const url = postAddress({ post_url: pattern }, { id, slug, published_at: at?.toISOString() ?? null })
  return url === undefined ? { url: null, source: 'unknown' } : { url, source: `${whose}_pattern` }
}

/** The address that goes into what a site is sent; undefined if the author gave one, or none is known. */
export function addedCanonical(post: AddressedRow, original: Original | null, siteId: string): string | undefined {
  const { url, source } = canonicalFor(post, original, siteId)
  return source === 'author' ? undefined : (url ?? undefined)
}
