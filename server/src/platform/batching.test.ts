import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { type BatchItem, batched } from './batching.ts'

/** Work that waits until it is told to go on, and records what it was asked. */
function controlled() {
  const batches: Array<{ asked: ReadonlyArray<BatchItem<string>>; done: PromiseWithResolvers<void> }> = []
  const work = async (asked: ReadonlyArray<BatchItem<string>>) => {
    const done = Promise.withResolvers<void>()
    batches.push({ asked, done })
    await done.promise
    return asked.map(({ item }) => item.toUpperCase())
  }
  return { batches, work }
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

describe('gathered work', () => {
  it('asks together for what comes at once, and again for what comes meanwhile', async () => {
    const { batches, work } = controlled()
    const ask = batched((item: string) => item, work)
    const first = [ask('a'), ask('b'), ask('a')]
    await turn()
    const later = [ask('a'), ask('c')]
    await turn()
    expect(batches.map(({ asked }) => asked)).toEqual([
      [
        { item: 'a', callers: 2 },
        { item: 'b', callers: 1 },
      ],
    ])
    batches[0]?.done.resolve()
    expect(await Promise.all(first)).toEqual([
      { result: 'A', index: 0, callers: 2 },
      { result: 'B', index: 0, callers: 1 },
      { result: 'A', index: 1, callers: 2 },
    ])
    expect(batches[1]?.asked).toEqual([
      { item: 'a', callers: 1 },
      { item: 'c', callers: 1 },
    ])
    batches[1]?.done.resolve()
    expect((await Promise.all(later)).map(({ result }) => result)).toEqual(['A', 'C'])
  })

  it('asks for no more than it may at once', async () => {
    const sizes: number[] = []
    const ask = batched(
      (item: number) => String(item),
      async (asked) => {
        sizes.push(asked.length)
        return asked.map(({ item }) => item)
      },
      3,
    )
    const all = await Promise.all(Array.from({ length: 7 }, (_, index) => ask(index)))
    expect(all.map(({ result }) => result)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(sizes).toEqual([3, 3, 1])
  })

  it('tells everybody of a batch its error, and goes on with the next', async () => {
    let batch = 0
    const ask = batched(
      (item: string) => item,
      async (asked) => {
        batch += 1
        if (batch === 1) throw new Error('broken')
        return asked.map(({ item }) => item)
      },
    )
    const outcomes = await Promise.allSettled([ask('a'), ask('b')])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect((await ask('c')).result).toBe('c')
  })

  it('runs in nobody’s context', async () => {
    const storage = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const ask = batched(
      (item: string) => item,
      async (asked) => {
        seen.push(storage.getStore())
        return asked.map(({ item }) => item)
      },
    )
    await storage.run('a transaction', () => Promise.all([ask('a')]))
    await storage.run('another', async () => {
      const first = ask('b')
      await turn()
      return Promise.all([first, ask('c')])
    })
    expect(seen.length).toBeGreaterThanOrEqual(2)
    expect(new Set(seen)).toEqual(new Set([undefined]))
  })
})
