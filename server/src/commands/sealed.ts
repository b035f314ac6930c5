import type { Keys } from '../platform/crypto.ts'
import type { Db } from '../platform/db/database.ts'
import { unopenedSites } from '../sites/index.ts'

/** As many as are tried within a second. */
const MOST_TRIED = 10_000
const MOST_NAMED = 10

/** Tries whether what the newest sites have sealed opens. Resolves with how many were tried, and what is wrong, if anything is. */
export async function checkSealed(db: Db, keys: Keys): Promise<{ tried: number; problem: string | undefined }> {
  const { tried, unopened } = await unopenedSites(db, keys, MOST_TRIED)
  if (unopened.length === 0) return { tried, problem: undefined }
  const named = unopened.slice(0, MOST_NAMED).map(({ id, name }) => `${name} (${id})`)
  const more = unopened.length - named.length
  const list = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return {
    tried,
    problem: `the secrets of these sites do not open with this key: ${list}; start the service, rotate each one's keys (POST /api/sites/ID/rotate-keys) and put the new ones into the site`,
  }
}
