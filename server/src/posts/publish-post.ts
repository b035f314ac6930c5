/** Publishing one post because somebody asked for it. */
import { setImmediate as turn } from 'node:timers/promises'
import { countDueLanes } from '../engine/index.ts'
import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { isId } from '../platform/ids.ts'
import { publishLocked } from './publish.ts'
import { lockPostToPublish } from './queries.ts'
import { postNotFound } from './read.ts'
import { postsTx } from './revision.ts'

/** What a publish answers. */
export type Dispatch = { postId: string; siteIds: string[]; estimatedDelivery: Date }

/** The least number of lanes that the engine finishes per second; used only for the estimate. */
const LANES_PER_SECOND = 500

const COUNTED_LANES = 10_000

/** Publishes a post to the named sites, or to all (decision P6). */
export async function publishPost(
  ctx: Context,
  accountId: string,
  id: string,
  siteIds: readonly string[] | undefined,
): Promise<Dispatch> {
  if (!isId(id)) throw postNotFound()
  const now = ctx.clock.now()
  const dispatched = await postsTx(ctx.db, async (tx) => {
    const locked = await lockPostToPublish(tx, accountId, id)
    if (locked === undefined) throw postNotFound()
    return publishLocked(ctx, tx, locked.post, locked.publishContext, siteIds, now)
  })
  // The estimate must not delay a delivery: two turns of the event loop let the first attempts be sent before it is read.
  await turn()
  await turn()
  const backlog = await countDueLanes({ db: ctx.db.root, clock: ctx.clock }, COUNTED_LANES).catch(() => 0)
  const waitMs = 1_000 * (1 + Math.floor(backlog / LANES_PER_SECOND))
  return { postId: dispatched.post.id, siteIds: dispatched.siteIds, estimatedDelivery: plusMs(now, waitMs) }
}
