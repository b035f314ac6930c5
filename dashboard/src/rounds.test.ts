import type { LiveEvent } from '@postrider/sdk'
import { QueryClient, type QueryKey, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Rounds } from './rounds.ts'

const post = (id: string) => ({ event: 'post.changed', data: { ids: [id] } }) satisfies LiveEvent
const site = (id: string) => ({ event: 'site.changed', data: { ids: [id] } }) satisfies LiveEvent
const ready: LiveEvent = { event: 'ready', data: {} }

let reads: string[]
let queries: QueryClient

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', { visibilityState: 'visible' })
  reads = []
  queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } } })
})
afterEach(() => {
  queries.clear()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Shows queries that take 100 ms, after they have been fetched once. */
async function show(...keys: QueryKey[]): Promise<void> {
  for (const queryKey of keys) {
    const queryFn = async () => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      reads.push(queryKey.join(' '))
      return reads.length
    }
    new QueryObserver(queries, { queryKey, queryFn }).subscribe(() => {})
  }
  await vi.advanceTimersByTimeAsync(200)
  reads = []
}

it('reads again what an event is about: the one thing, and what is made of many', async () => {
  await show(['posts', 'one', 'a'], ['posts', 'one', 'b'], ['posts', 'list', {}], ['sites'], ['account'])
  const rounds = new Rounds(queries)
  rounds.note(post('a'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(reads.toSorted()).toEqual(['posts list [object Object]', 'posts one a'])
  rounds.note(ready)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(reads.length).toBe(2 + 5)
})

it('reads a storm of events in a few rounds, and at once again when it was quiet', async () => {
  await show(['sites'])
  const rounds = new Rounds(queries)
  for (let ms = 0; ms < 60_000; ms += 10) {
    rounds.note(site('a'))
    await vi.advanceTimersByTimeAsync(10)
  }
  expect(reads.length).toBeGreaterThan(7)
  expect(reads.length).toBeLessThan(14)
  // The last event causes a round too, and then there are no more.
  await vi.advanceTimersByTimeAsync(60_000)
  const settled = reads.length
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reads.length).toBe(settled)
  rounds.note(site('a'))
  await vi.advanceTimersByTimeAsync(200)
  expect(reads.length).toBe(settled + 1)
})

it('never reads again what is still being read, and misses nothing meanwhile', async () => {
  await show(['sites'])
  const rounds = new Rounds(queries)
  rounds.note(site('a'))
  await vi.advanceTimersByTimeAsync(100)
  rounds.note(site('b'))
  expect(reads.length).toBe(0)
  await vi.advanceTimersByTimeAsync(60)
  expect(reads.length).toBe(1)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(reads.length).toBe(2)
})

it('reads nothing for a page that nobody sees, but knows that it is old', async () => {
  await show(['sites'])
  vi.stubGlobal('document', { visibilityState: 'hidden' })
  new Rounds(queries).note(site('a'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(reads).toEqual([])
  expect(queries.getQueryState(['sites'])?.isInvalidated).toBe(true)
})
