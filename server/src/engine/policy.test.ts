import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterAttempt, healthAfter, oldestPerPost } from './policy.ts'

const DELAYS = [30_000, 300_000, 1_800_000]
const healthy = { suspect: false, failing: false, failuresInARow: 0 }

describe('the state after an attempt', () => {
  const after = (isOk: boolean, attempts: number, attemptsInRound: number) =>
    afterAttempt(isOk, { attempts, attemptsInRound }, DELAYS)

  it('follows the schedule', () => {
    expect(after(false, 1, 1)).toEqual({ status: 'pending', retryInMs: 30_000 })
    expect(after(false, 2, 2)).toEqual({ status: 'pending', retryInMs: 300_000 })
    expect(after(false, 3, 3)).toEqual({ status: 'pending', retryInMs: 1_800_000 })
    expect(after(false, 4, 4)).toEqual({ status: 'failed', retryInMs: null })
  })

  it('starts a new round after a manual retry, while the count goes on', () => {
    expect(after(false, 5, 1)).toEqual({ status: 'pending', retryInMs: 30_000 })
    expect(after(true, 5, 1)).toEqual({ status: 'delivered_retry', retryInMs: null })
  })

  it('is delivered at the first attempt and delivered_retry at a later one', () => {
    expect(after(true, 1, 1).status).toBe('delivered')
    expect(after(true, 2, 2).status).toBe('delivered_retry')
  })
})

describe('choosing what to attempt', () => {
  const due = fc.array(fc.record({ postId: fc.constantFrom('a', 'b', 'c'), sequence: fc.integer({ min: 1, max: 9 }) }))

  it('takes one delivery per post: the oldest event', () => {
    fc.assert(
      fc.property(due, (list) => {
        const chosen = oldestPerPost(list)
        expect(new Set(chosen.map(({ postId }) => postId))).toEqual(new Set(list.map(({ postId }) => postId)))
        expect(new Set(chosen.map(({ postId }) => postId)).size).toBe(chosen.length)
        for (const { postId, sequence } of chosen) {
          const all = list.filter((one) => one.postId === postId).map((one) => one.sequence)
          expect(sequence).toBe(Math.min(...all))
        }
      }),
    )
  })
})

describe('the health of an endpoint', () => {
  const failed = { status: 'failed', retryInMs: null } as const
  const pending = { status: 'pending', retryInMs: 30_000 } as const

  it('is suspect after silence, not after a refusal', () => {
    expect(healthAfter(healthy, { isOk: false, isSilent: true }, pending).suspect).toBe(true)
    expect(healthAfter({ ...healthy, suspect: true }, { isOk: false, isSilent: false }, pending).suspect).toBe(false)
  })

  it('is failing after a failed delivery or five failures in a row, until a success', () => {
    expect(healthAfter(healthy, { isOk: false, isSilent: false }, failed).failing).toBe(true)
    expect(healthAfter({ ...healthy, failuresInARow: 3 }, { isOk: false, isSilent: false }, pending).failing).toBe(
      false,
    )
    expect(healthAfter({ ...healthy, failuresInARow: 4 }, { isOk: false, isSilent: false }, pending).failing).toBe(true)
    expect(
      healthAfter({ suspect: true, failing: true, failuresInARow: 9 }, { isOk: true, isSilent: false }, failed),
    ).toEqual(healthy)
  })
})
