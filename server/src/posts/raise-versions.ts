import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'

/** By how much the versions of posts are raised at least, for those that changed more often than once in a second. */
const VERSIONS = 1_000
/** Before the first post was written with a version. */
const FIRST_VERSION_AT = Date.UTC(2026, 0, 1)

/**
 * Raises the version of every post above any that a site may have, for a database that does not know of everything that was sent: a
 * restored one, or one that has lost commits. Sites ignore versions older than theirs, so the next changes would not reach them. The
 * new version is at least the seconds since 2026: no site has seen it, unless a post was changed more than once a second on average,
 * and a later raise exceeds an earlier one. Returns how many posts there are.
 */
export async function raiseVersions(db: Db, now: Date): Promise<number> {
  const secondsSoFar = Math.ceil((now.getTime() - FIRST_VERSION_AT) / 1_000)
  const { numUpdatedRows } = await db
    .updateTable('posts')
    .set({ version: sql<number>`greatest(version + ${VERSIONS}::int, ${secondsSoFar}::int)` })
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
