/** Scheduled posts that are published late, because the service was not running when they were due. */
import { notify } from '../notifications/index.ts'
import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import type { PostRow } from './tables.ts'

/** Nobody needs to hear of less. */
const LATE_MS = 5 * 60_000

/** How many scheduled posts of each account are late. */
export async function countLate(db: Db, now: Date): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('posts')
    .select(({ fn }) => ['account_id', fn.countAll<number>().as('late')])
    .where('status', '=', 'scheduled')
    .where('scheduled_at', '<', plusMs(now, -LATE_MS))
    .groupBy('account_id')
    .execute()
  return new Map(rows.map(({ account_id, late }) => [account_id, late]))
}

/** One message for all late posts of an account: this one, and how many others; `late` in all. */
export async function tellLate(ctx: Context, tx: Tx, post: PostRow, late: number, now: Date): Promise<void> {
  const times = { due_at: (post.scheduled_at ?? now).toISOString(), published_at: now.toISOString() }
  const data = { post: { id: post.id, name: post.title }, others: late - 1, ...times }
  await notify(ctx, tx, post.account_id, { name: 'post.late', data })
}
