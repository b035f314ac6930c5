/**
 * Answers many concurrent callers with one query to the database. Items asked for while a batch runs wait for the next
 * batch: an idle service makes nobody wait, and the busier a service is, the more callers share a query. Callers that ask
 * for the same item share its answer.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** An item, and how many callers asked for it in this batch. */
export type BatchItem<Item> = { item: Item; callers: number }

/** An answer that `callers` callers share, and the index of this caller among them. */
export type BatchResult<Result> = { result: Result; index: number; callers: number }

type Caller<Result> = { resolve(share: BatchResult<Result>): void; reject(error: unknown): void }

/**
 * Makes a function for single items from `work`, which takes batches of them. Items with the same key are asked for once.
 * `work` resolves with the results in the order of the items; its error goes to every caller of the batch. One batch runs at
 * a time, with at most `most` keys, and begins after all its callers asked: what it reads is never older than that.
 */
export function batched<Item, Result>(
  keyOf: (item: Item) => string,
  work: (asked: ReadonlyArray<BatchItem<Item>>) => Promise<readonly Result[]>,
  most = 1_000,
): (item: Item) => Promise<BatchResult<Result>> {
  // Batches run outside the async context of their callers: they must not join the first one's request or transaction.
  const outside = AsyncLocalStorage.snapshot()
  const waiting = new Map<string, { item: Item; callers: Array<Caller<Result>> }>()
  let running = false

  async function runOne(): Promise<void> {
    const batch = [...waiting.entries().take(most)]
    for (const [key] of batch) waiting.delete(key)
    const [outcome] = await Promise.allSettled([
      work(batch.map(([, { item, callers }]) => ({ item, callers: callers.length }))),
    ])
    startNext() // before the callers continue: the database need not wait for them
    for (const [index, [, { callers }]] of batch.entries()) {
      for (const [before, { resolve, reject }] of callers.entries()) {
        if (outcome.status === 'rejected') reject(outcome.reason)
        else resolve({ result: outcome.value[index] as Result, index: before, callers: callers.length }) // `work` gives one for each
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
