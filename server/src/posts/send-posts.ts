/** The job that sends posts to a site which lacks them or has older versions (`POST /api/pull/digest` with `send`). */
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import { enqueueJob } from '../platform/jobs/queue.ts'
import type { JobKind } from '../platform/jobs/runner.ts'
import { errorField } from '../platform/log.ts'
import { audienceOf } from './audience.ts'
import { publishLocked } from './publish.ts'
import { lockPosts, publishContextOf, readLocked } from './queries.ts'
import { writePosts } from './revision.ts'
import type { Reader } from './visible.ts'

const SENDING_JOB = 'send-posts'
/** One transaction sends so many: short enough that nobody waits long for their locks. */
const POSTS_PER_JOB = 25
const AGAIN_AFTER_MS = 60_000
const MOST_TRIES = 5

type Payload = { siteId: string; ids: string[] }

/**
 * Has posts sent to a site, in this order. What is queued of an earlier call and not yet sent is replaced where it is of the same part
 * of the same `list`.
 */
export async function enqueueSending(
  ctx: Pick<Context, 'clock' | 'signals'>,
  tx: Tx,
  { accountId, siteId }: Reader,
  ids: readonly string[],
  list?: 'skipped',
): Promise<void> {
  const prefix = list === undefined ? siteId : `${siteId}/${list}`
  for (let first = 0; first < ids.length; first += POSTS_PER_JOB) {
    const payload: Payload = { siteId, ids: ids.slice(first, first + POSTS_PER_JOB) }
    await enqueueJob(ctx, tx, { kind: SENDING_JOB, key: `${prefix}/${first}`, accountId, payload })
  }
}

/** The kind of job that sends posts to a site. The posts are sent in the transaction that removes the job: each once. */
export function sendingJobs(ctx: Context): JobKind<Payload> {
  return {
    name: SENDING_JOB,
    limits: { perProcess: 1, perAccount: 1 },
    run: async ({ accountId, payload: { siteId, ids } }) => ({
      record: (tx) => sendPosts(ctx, tx, { accountId, siteId }, ids),
    }),
    failed({ payload: { siteId }, tries }, error) {
      ctx.log.error('posts.not_sent', { site_id: siteId, tries, error: errorField(error) })
      return tries < MOST_TRIES ? { retryAfterMs: AGAIN_AFTER_MS } : { record: async () => {} }
    },
  }
}

/** Posts that were unpublished or taken off the site, and sites that were paused or removed meanwhile, are passed over. */
async function sendPosts(ctx: Context, tx: Tx, { accountId, siteId }: Reader, ids: readonly string[]): Promise<void> {
  const now = ctx.clock.now()
  const places = new Map(ids.map((id, place) => [id, place]))
  await writePosts(tx, async (posts) => {
    const locked = await readLocked(posts, await lockPosts(posts, accountId, ids))
    const inOrder = locked.toSorted((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0))
    for (const post of inOrder) {
      if (post.status !== 'published') continue
      const publishContext = await publishContextOf(posts, post.id)
      const audience = audienceOf(post, publishContext.named)
      if (audience !== null && !audience.includes(siteId)) continue
      if (publishContext.paused[siteId] === false) await publishLocked(ctx, posts, post, publishContext, [siteId], now)
    }
  })
}
