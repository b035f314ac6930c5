import { setTimeout as sleep } from 'node:timers/promises'
import type { ListDeliveries, LoggedDelivery, PostriderClient } from '@postrider/sdk'

/** The least time between two looks at the log. */
const READ_EVERY_MS = 1_000
/** So many of the newest deliveries are watched; what is older and changes is passed over. */
const WATCHED = 100
/** How many pages of new deliveries are read at most after one event. */
const MOST_PAGES = 20

/**
 * Deliveries of the account from now on: each when it is new, and whenever something has become of it, the oldest first. `isSentAgain`: it is new, or
 * somebody has had it sent again. It follows the account's event stream, so nothing needs to reach this machine; after a break in the connection
 * it tells what was missed. `onReady` is called when nothing is missed any more; ends with `signal`.
 */
export async function* followDeliveries(
  client: PostriderClient,
  query: Pick<ListDeliveries, 'site_id'>,
  { onReady, signal }: { onReady: () => void; signal: AbortSignal | undefined },
): AsyncGenerator<{ delivery: LoggedDelivery; isSentAgain: boolean }> {
  let seen: Map<string, string> | undefined
  for await (const _ of changesOf(client, signal)) {
    const before = seen
    const read = await newest(client, query, before)
    seen = new Map(read.map((one) => [one.id, stateOf(one)]))
    if (before === undefined) onReady()
    else yield* changed(read, before)
  }
}

/** Yields when something may have become of deliveries: once for all that happened since, as each look at the log is a request of the account. */
async function* changesOf(client: PostriderClient, signal: AbortSignal | undefined): AsyncGenerator<void> {
  let next = Promise.withResolvers<boolean>()
  const follow = async () => {
    for await (const { event } of client.events(signal === undefined ? {} : { signal }))
      if (event === 'ready' || event === 'resync' || event === 'delivery.changed') next.resolve(true)
  }
  let isOver = false
  const following = follow().finally(() => {
    isOver = true
    next.resolve(false)
  })
  following.catch(() => {}) // it is thrown below, when whoever reads has come so far
  while (await next.promise) {
    next = Promise.withResolvers()
    if (isOver) break
    yield
    await sleep(READ_EVERY_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {})
  }
  await following // which throws what the service refused
}

function* changed(read: readonly LoggedDelivery[], before: ReadonlyMap<string, string>) {
  for (const delivery of read.toReversed()) {
    const state = before.get(delivery.id)
    if (state !== stateOf(delivery)) yield { delivery, isSentAgain: state?.startsWith('pending') !== true }
  }
}

const stateOf = ({ status, attempts }: LoggedDelivery) => `${status} ${attempts}`

/** The newest deliveries, down to one that was seen before. */
async function newest(
  client: PostriderClient,
  query: Pick<ListDeliveries, 'site_id'>,
  before: ReadonlyMap<string, string> | undefined,
): Promise<LoggedDelivery[]> {
  const read: LoggedDelivery[] = []
  let cursor: string | null | undefined
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { data, next_cursor } = await client.deliveries.list({ ...query, limit: WATCHED, ...(cursor && { cursor }) })
    read.push(...data)
    cursor = next_cursor
    if (cursor === null || before === undefined || data.some(({ id }) => before.has(id))) break
  }
  return read
}
