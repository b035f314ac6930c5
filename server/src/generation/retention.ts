import { plusMs } from '../platform/clock.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import type { SignalSender } from '../platform/signals.ts'
import { deleteJobs, removeOldJobs } from './queries.ts'

const KEPT_MS = 30 * 24 * 3_600_000

/** Removes some of the jobs that finished thirty days ago; their drafts are posts, and stay. Returns whether there may be more. */
export function forgetOldJobs(db: Db, now: Date): Promise<boolean> {
  return removeOldJobs(db, plusMs(now, -KEPT_MS))
}

/** Removes all jobs of an account; those that are being worked on are cancelled. */
export async function removeJobsOf(ctx: { signals: SignalSender }, tx: Tx, accountId: string): Promise<void> {
  for (const id of await deleteJobs(tx, accountId)) await ctx.signals.send(tx, 'draft-cancelled', id)
}
