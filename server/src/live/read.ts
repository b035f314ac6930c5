import { deliveryStates } from '../deliveries/index.ts'
import { jobsOf } from '../generation/index.ts'
import type { Things } from '../platform/changes/feed.ts'
import type { ChangeKind } from '../platform/changes/kinds.ts'
import type { Database } from '../platform/db/database.ts'
import { postStates } from '../posts/index.ts'
import { sitesOf } from '../sites/index.ts'
import { deliveryChanged, jobChanged, type LiveEvent, postChanged, siteChanged } from './events.ts'

type Reader = (db: Database, accountId: string, ids: readonly string[]) => Promise<LiveEvent[]>

/**
 * How each kind of thing is read and shown, in the order in which events are sent: a post comes before its deliveries. To
 * announce changes of a new kind, add the kind to the slice's `ChangeKinds` and its reader here.
 */
const READERS: Record<ChangeKind, Reader> = {
  async site(db, accountId, ids) {
    const found = await sitesOf(db, accountId, ids)
    const gone = without(
      ids,
      found.map(({ row }) => row.id),
    )
    return [...found.map(siteChanged), ...gone.map((id): LiveEvent => ({ event: 'site.deleted', data: { id } }))]
  },
  async post(db, accountId, ids) {
    const found = await postStates(db.root, accountId, ids)
    const gone = without(
      ids,
      found.map(({ id }) => id),
    )
    return [...found.map(postChanged), ...gone.map((id): LiveEvent => ({ event: 'post.deleted', data: { id } }))]
  },
  // After posts: a job that is complete names one.
  async job(db, accountId, ids) {
    const found = await jobsOf(db.root, accountId, ids)
    const gone = without(
      ids,
      found.map(({ id }) => id),
    )
    return [...found.map(jobChanged), ...gone.map((id): LiveEvent => ({ event: 'job.deleted', data: { id } }))]
  },
  // A delivery outlives its post and site; one that no longer exists causes no event.
  delivery: async (db, accountId, ids) => (await deliveryStates(db.root, accountId, ids)).map(deliveryChanged),
}

/** The events that show these things of the account as they are now. */
export async function readThings(db: Database, accountId: string, things: Things): Promise<LiveEvent[]> {
  const events: LiveEvent[] = []
  for (const [kind, read] of Object.entries(READERS)) {
    const ids = things.get(kind as ChangeKind) ?? [] // the keys of READERS are the kinds
    if (ids.length > 0) events.push(...(await read(db, accountId, ids)))
  }
  return events
}

function without(ids: readonly string[], found: readonly string[]): string[] {
  return [...new Set(ids).difference(new Set(found))]
}
