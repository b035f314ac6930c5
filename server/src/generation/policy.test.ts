import { describe, expect, it } from 'vitest'
import type { ModelErrorKind } from './model/model.ts'
import { type EstimateInput, estimateSeconds, waitAfter } from './policy.ts'

/** The waits until a job fails, in seconds. */
function waits(kind: ModelErrorKind | 'internal'): number[] {
  const all: number[] = []
  for (let tries = 1; ; tries += 1) {
    const waitMs = waitAfter(kind, tries, undefined)
    if (waitMs === undefined) return all
    all.push(waitMs / 1_000)
  }
}

describe('after a failed try', () => {
  it.each(['rate_limited', 'overloaded', 'unreachable'] as const)(
    '%s is waited out for a quarter of an hour',
    (kind) => {
      expect(waits(kind)).toEqual([5, 10, 20, 40, 80, 160, 300])
    },
  )

  it.each(['timeout', 'cut', 'empty', 'too_long', 'unusable', 'internal'] as const)(
    '%s, which may cost, is tried three times',
    (kind) => {
      expect(waits(kind)).toEqual([2, 15])
    },
  )

  it.each(['unauthorized', 'quota', 'not_found', 'refused', 'context_too_small', 'misconfigured', 'rejected'] as const)(
    '%s is the end at once',
    (kind) => {
      expect(waits(kind)).toEqual([])
    },
  )

  it('the server is left alone for as long as it asks, within reason', () => {
    expect(waitAfter('rate_limited', 1, 30_000)).toBe(30_000)
    expect(waitAfter('rate_limited', 4, 1_000)).toBe(40_000)
    expect(waitAfter('rate_limited', 1, 3_600_000)).toBeUndefined()
  })
})

describe('the estimate', () => {
  const input = (changes: Partial<EstimateInput>): EstimateInput => ({
    words: 1_000,
    msPerWord: undefined,
    ahead: 0,
    jobs: 4,
    done: 0,
    workedMs: 0,
    waitMs: 0,
    ...changes,
  })
  const estimate = (changes: Partial<EstimateInput>) => estimateSeconds(input(changes))

  it('begins with a guess, and then with what past jobs needed', () => {
    expect(estimate({})).toBe(45)
    expect(estimate({ msPerWord: 200 })).toBe(200)
  })

  it('falls with what is done, and follows a job that is slower or faster', () => {
    expect(estimate({ msPerWord: 100, done: 0.5, workedMs: 50_000 })).toBe(50)
    expect(estimate({ msPerWord: 100, done: 0.5, workedMs: 100_000 })).toBe(75)
    expect(estimate({ msPerWord: 100, done: 0.9, workedMs: 180_000 })).toBe(19)
  })

  it('counts the jobs before it, and the wait before the next try', () => {
    expect(estimate({ msPerWord: 100, ahead: 3 })).toBe(100)
    expect(estimate({ msPerWord: 100, ahead: 9 })).toBe(300)
    expect(estimate({ msPerWord: 100, waitMs: 30_000 })).toBe(130)
  })

  it('is at least a second', () => {
    expect(estimate({ msPerWord: 0 })).toBe(1)
    expect(estimate({ msPerWord: 100, done: 1, workedMs: 90_000 })).toBe(1)
  })
})
