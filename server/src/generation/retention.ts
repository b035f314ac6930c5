import { plusMs } from '../platform/clock.ts'
import type { Db } from '../platform/db/database.ts'
import { removeOldJobs } from './queries.ts'

const KEPT_MS = 30 * 24 * 3_600_000

/** Removes jobs that finished thirty days ago; their drafts are posts, and stay. */
export async function forgetOldJobs(db: Db, now: Date): Promise<void> {
  await removeOldJobs(db, plusMs(now, -KEPT_MS))
}
