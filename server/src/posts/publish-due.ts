import type { Context } from '../platform/context.ts'
import type { StepResult } from '../platform/loop.ts'
import { publishLocked } from './publish.ts'
import { lockDuePosts, nextScheduledAt } from './queries.ts'

const POSTS_PER_STEP = 50

/**
 * One step of scheduled publishing: publishes posts whose time has come to all sites, each once. It looks at the
 * stored time, not at a timer, so a post that came due while the service was down is published when it is back.
 */
export async function publishDue(ctx: Context): Promise<StepResult> {
  const now = ctx.clock.now()
  const published = await ctx.db.tx(async (tx) => {
    const due = await lockDuePosts(tx, now, POSTS_PER_STEP)
    for (const post of due) await publishLocked(ctx, tx, post, undefined, now)
    return due
  })
  for (const { id, scheduled_at } of published) ctx.log.info('post.published', { post_id: id, scheduled_at })
  if (published.length > 0) return { again: true }
  const next = await nextScheduledAt(ctx.db.root)
  return next === undefined ? { again: false } : { again: false, waitMs: Math.max(1, next.getTime() - now.getTime()) }
}
