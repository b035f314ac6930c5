import { plusMs } from '../platform/clock.ts'
import type { Db } from '../platform/db/database.ts'
import { removeOldJobs } from './queries.ts'

const KEPT_MS = 30 * 24 * 3_600_000

/** Removes some of the jobs that finished thirty days ago; their drafts are posts, and stay. Returns whether there may be more. */
export function forgetOldJobs(db: Db, now: Date): Promise<boolean> {
  return removeOldJobs(db, plusMs(now, -KEPT_MS))
}
