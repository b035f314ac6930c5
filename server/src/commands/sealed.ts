import type { Keys } from '../platform/crypto.ts'
import type { Db } from '../platform/db/database.ts'
import { printable } from '../platform/printable.ts'
import { unopenedSites } from '../sites/index.ts'

/** As many sites as can be tried within a second. */
const MOST_TRIED = 10_000
const MOST_NAMED = 10

/** Tries to open the sealed secrets of the newest sites. Resolves with how many sites it tried, and the problem if there is one. */
export async function checkSealed(db: Db, keys: Keys): Promise<{ tried: number; problem: string | undefined }> {
  const { tried, unopened } = await unopenedSites(db, keys, MOST_TRIED)
  if (unopened.length === 0) return { tried, problem: undefined }
  const named = unopened.slice(0, MOST_NAMED).map(({ id, name }) => `${printable(name)} (${id})`)
  const more = unopened.length - named.length
  const list = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return {
    tried,
    problem: `the secrets of these sites cannot be decrypted with this key: ${list}; start the service, rotate the keys of each site (POST /api/sites/ID/rotate-keys) and give the site the new ones`,
  }
}
