import type { Context } from '../platform/context.ts'
import { errorField } from '../platform/log.ts'
import type { StepResult } from '../platform/loop.ts'
import { publishLocked } from './publish.ts'
import { type DuePost, lockDuePost, nextScheduledAt, readDuePosts } from './queries.ts'

const POSTS_PER_PAGE = 100

/**
 * One step of scheduled publishing: publishes every post whose time has come to all sites, each once and in a
 * transaction of its own, so that one that cannot be published holds up nobody else's. It looks at the stored time, not
 * at a timer: a post that came due while the service was down is published when it is back.
 */
export async function publishDue(ctx: Context, stopping: AbortSignal): Promise<StepResult> {
  const now = ctx.clock.now()
  let failed = 0
  for (let last: DuePost | undefined; !stopping.aborted; ) {
    const page = await readDuePosts(ctx.db.root, now, last, POSTS_PER_PAGE)
    for (const post of page) {
      if (stopping.aborted) break
      if (!(await publishOne(ctx, post, now))) failed += 1
    }
    last = page.at(-1)
    if (page.length < POSTS_PER_PAGE) break
  }
  if (failed > 0) return { again: false }
  const next = await nextScheduledAt(ctx.db.root)
  return next === undefined ? { again: false } : { again: false, waitMs: Math.max(1, next.getTime() - now.getTime()) }
}

/** Publishes one post, unless another process is at it or it is not due any more; false when that failed. */
async function publishOne(ctx: Context, due: DuePost, now: Date): Promise<boolean> {
  try {
    await ctx.db.tx(async (tx) => {
      const post = await lockDuePost(tx, due.id, now)
      if (post !== undefined) await publishLocked(ctx, tx, post, undefined, now)
    })
    ctx.log.info('post.published', { post_id: due.id, scheduled_at: due.scheduled_at })
    return true
  } catch (error) {
    ctx.log.error('post.not_published', { post_id: due.id, scheduled_at: due.scheduled_at, error: errorField(error) })
    return false
  }
}
