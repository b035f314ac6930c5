/**
 * Answers many concurrent callers with one query to the database. Items asked for while a batch runs wait for the next
 * batch: an idle service makes nobody wait, and the busier a service is, the more callers share a query. Callers that ask
 * for the same item share its answer.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** An item, and how many callers asked for it in this batch. */
export type Asked<Item> = { item: Item; times: number }

/** An answer that `times` callers share, and this caller's place among them: 1 for the first. */
export type Share<Result> = { result: Result; place: number; times: number }

type Caller<Result> = { resolve(share: Share<Result>): void; reject(error: unknown): void }

/**
 * Makes a function for single items from `work`, which takes batches of them. Items with the same key are asked for once.
 * `work` resolves with the results in the order of the items; its error goes to every caller of the batch. One batch runs at
 * a time, with at most `most` keys, and begins after all its callers asked: what it reads is never older than that.
 */
export function gather<Item, Result>(
  keyOf: (item: Item) => string,
  work: (asked: ReadonlyArray<Asked<Item>>) => Promise<readonly Result[]>,
  most = 1_000,
): (item: Item) => Promise<Share<Result>> {
  // Batches run outside the async context of their callers: they must not join the first one's request or transaction.
  const outside = AsyncLocalStorage.snapshot()
  const waiting = new Map<string, { item: Item; callers: Array<Caller<Result>> }>()
  let running = false

  async function runOne(): Promise<void> {
    const batch = [...waiting.entries().take(most)]
    for (const [key] of batch) waiting.delete(key)
    const [outcome] = await Promise.allSettled([
      work(batch.map(([, { item, callers }]) => ({ item, times: callers.length }))),
    ])
    startNext() // before the callers continue: the database need not wait for them
    for (const [index, [, { callers }]] of batch.entries()) {
      for (const [before, { resolve, reject }] of callers.entries()) {
        if (outcome.status === 'rejected') reject(outcome.reason)
        else resolve({ result: outcome.value[index] as Result, place: before + 1, times: callers.length }) // `work` gives one for each
      }
    }
  }

  function startNext(): void {
    running = waiting.size > 0
    if (running) void outside(runOne)
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const key = keyOf(item)
      const entry = waiting.get(key)
      if (entry === undefined) waiting.set(key, { item, callers: [{ resolve, reject }] })
      else entry.callers.push({ resolve, reject })
      if (running) return
      running = true
      // Callers whose requests were read in the same turn of the event loop join the batch.
      setImmediate(startNext)
    })
}
