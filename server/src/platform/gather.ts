/**
 * Many asking at once, answered by one question to the database. What is asked while a batch is under way waits and goes
 * together with the next one: an idle service makes nobody wait, and a busy one asks less often the busier it is. Who asks
 * the same shares an answer.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** Something asked, and how many times in this batch. */
export type Asked<Item> = { item: Item; times: number }

/** An answer, and which of the `times` that it was asked for this was: 1 for the first. */
export type Share<Result> = { result: Result; place: number; times: number }

type Caller<Result> = { resolve(share: Share<Result>): void; reject(error: unknown): void }

/**
 * A function that has `work` done for single items. Items of the same key are asked for once. `work` resolves with the
 * results in the order of what was asked; its error is everybody's. One batch runs at a time, with at most `most` keys, and
 * it begins after everything in it was asked: what it reads is never older than that.
 */
export function gather<Item, Result>(
  keyOf: (item: Item) => string,
  work: (asked: ReadonlyArray<Asked<Item>>) => Promise<readonly Result[]>,
  most = 1_000,
): (item: Item) => Promise<Share<Result>> {
  // A batch belongs to nobody in particular: not to the request or the transaction that happened to come first.
  const outside = AsyncLocalStorage.snapshot()
  const waiting = new Map<string, { item: Item; callers: Array<Caller<Result>> }>()
  let running = false

  async function runOne(): Promise<void> {
    const batch = [...waiting.entries().take(most)]
    for (const [key] of batch) waiting.delete(key)
    const [outcome] = await Promise.allSettled([
      work(batch.map(([, { item, callers }]) => ({ item, times: callers.length }))),
    ])
    startNext() // before anybody goes on with an answer: the database need not wait for that
    for (const [index, [, { callers }]] of batch.entries()) {
      for (const [before, { resolve, reject }] of callers.entries()) {
        if (outcome.status === 'rejected') reject(outcome.reason)
        else resolve({ result: outcome.value[index] as Result, place: before + 1, times: callers.length }) // one for each
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
      // Those whose requests were read in the same turn come along.
      setImmediate(startNext)
    })
}
