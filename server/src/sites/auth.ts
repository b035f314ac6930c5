import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { type Keys, lookupIndex } from '../platform/crypto.ts'
import { unauthorized } from '../platform/errors.ts'
import type { RequestFacts } from '../platform/http/endpoint.ts'
import { oncePer } from '../platform/once-per.ts'
import { looksLikeApiKey } from './api-key.ts'

/** How the API document describes site keys (specification, section 5). A key is valid for its own site only. */
export const siteKeyScheme = {
  name: 'siteKey',
  document: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: "The site's `api_key`. For servers only: keep it out of public code.",
  },
} as const

/** The key that a request carries. Throws `unauthorized` when there is none. */
export function siteKeyOf(request: RequestFacts): string {
  const key = request.header('x-api-key')
  if (key === undefined) throw unauthorized('ApiKey', "Send the site's API key in the header X-API-Key.")
  return key
}

/** Sites send the same keys again and again, and checking and hashing a key takes several microseconds. */
const indexesOf = oncePer((_: Keys) => new LRUCache<string, string>({ max: 1_000 }))

/** The hexadecimal index under which a key is looked up; undefined when the text is not one of our keys. */
export function siteKeyIndex(keys: Keys, key: string): string | undefined {
  const indexes = indexesOf(keys)
  const known = indexes.get(key)
  if (known !== undefined || !looksLikeApiKey(key)) return known
  const index = lookupIndex(keys, key).toString('hex')
  indexes.set(key, index)
  return index
}

/** The error for a key that belongs to no site. */
export function unknownSiteKey(): Error {
  return unauthorized('ApiKey', 'The API key is not valid. It may have been rotated.')
}

/** Looks up the sites of keys: adds `site_id` and `account_id` to the columns of `asked`, which has a hexadecimal `key_index`. */
export function sitesOfKeys(asked: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select a.*, s.id as site_id, s.account_id from ${asked} a join sites s on s.api_key_index = decode(a.key_index, 'hex')`
}
