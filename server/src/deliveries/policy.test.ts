import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterAttempt, chooseAttempts, healthAfter, judge } from './policy.ts'

const AT = new Date('2026-11-02T08:00:00.000Z')
const DELAYS = [30_000, 300_000, 1_800_000]
const healthy = { suspect: false, failing: false, failuresInARow: 0 }

describe('judging an answer', () => {
  it('only status 200 is success', () => {
    for (const status of [100, 199, 201, 202, 204, 206, 301, 304, 400, 404, 410, 500, 599]) {
      const outcome = {
        kind: 'response',
        status,
        headers: {},
        body: new Uint8Array(),
        truncated: false,
        tookMs: 5,
      } as const
      expect(judge(outcome, AT, AT)).toMatchObject({ ok: false, code: status, silent: false })
    }
  })

  it('no answer has no code', () => {
    const outcome = { kind: 'unreachable', cause: 'dns_error', detail: '', tookMs: 5.4 } as const
    expect(judge(outcome, AT, AT)).toEqual({
      ok: false,
      code: null,
      error: 'dns_error',
      excerpt: null,
      silent: false,
      startedAt: AT,
      finishedAt: AT,
      tookMs: 5,
    })
  })

  it('is of silence only if somebody waited: a second, or until the timeout', () => {
    const silent = (cause: 'connection_refused' | 'timeout', tookMs: number) =>
      judge({ kind: 'unreachable', cause, detail: '', tookMs }, AT, AT).silent
    expect(silent('connection_refused', 3)).toBe(false)
    expect(silent('connection_refused', 1_000)).toBe(true)
    expect(silent('timeout', 400)).toBe(true)
  })
})

describe('the state after an attempt', () => {
  const after = (ok: boolean, attempts: number, attemptsInRound: number) =>
    afterAttempt({ ok, finishedAt: AT }, { attempts, attemptsInRound }, DELAYS)

  it('follows the schedule, from the end of the failed attempt', () => {
    expect(after(false, 1, 1)).toEqual({ status: 'pending', nextAttemptAt: new Date('2026-11-02T08:00:30.000Z') })
    expect(after(false, 2, 2)).toEqual({ status: 'pending', nextAttemptAt: new Date('2026-11-02T08:05:00.000Z') })
    expect(after(false, 3, 3)).toEqual({ status: 'pending', nextAttemptAt: new Date('2026-11-02T08:30:00.000Z') })
    expect(after(false, 4, 4)).toEqual({ status: 'failed', nextAttemptAt: null })
  })

  it('starts a new round after a manual retry, while the count goes on', () => {
    expect(after(false, 5, 1)).toEqual({ status: 'pending', nextAttemptAt: new Date('2026-11-02T08:00:30.000Z') })
    expect(after(true, 5, 1)).toEqual({ status: 'delivered_retry', nextAttemptAt: null })
  })

  it('is delivered at the first attempt and delivered_retry at a later one', () => {
    expect(after(true, 1, 1).status).toBe('delivered')
    expect(after(true, 2, 2).status).toBe('delivered_retry')
  })
})

describe('choosing what to attempt', () => {
  const due = fc.array(fc.record({ postId: fc.constantFrom('a', 'b', 'c'), sequence: fc.integer({ min: 1, max: 9 }) }))

  it('takes one delivery per post: the oldest event, or after a crash the newest', () => {
    fc.assert(
      fc.property(due, fc.boolean(), (list, recovering) => {
        const chosen = chooseAttempts(list, recovering)
        expect(new Set(chosen.map(({ postId }) => postId))).toEqual(new Set(list.map(({ postId }) => postId)))
        expect(new Set(chosen.map(({ postId }) => postId)).size).toBe(chosen.length)
        for (const { postId, sequence } of chosen) {
          const all = list.filter((one) => one.postId === postId).map((one) => one.sequence)
          expect(sequence).toBe(recovering ? Math.max(...all) : Math.min(...all))
        }
      }),
    )
  })
})

describe('the health of an endpoint', () => {
  const failed = { status: 'failed', nextAttemptAt: null } as const
  const pending = { status: 'pending', nextAttemptAt: AT } as const

  it('is suspect after silence, not after a refusal', () => {
    expect(healthAfter(healthy, { ok: false, silent: true }, pending).suspect).toBe(true)
    expect(healthAfter({ ...healthy, suspect: true }, { ok: false, silent: false }, pending).suspect).toBe(false)
  })

  it('is failing after a failed delivery or five failures in a row, until a success', () => {
    expect(healthAfter(healthy, { ok: false, silent: false }, failed).failing).toBe(true)
    expect(healthAfter({ ...healthy, failuresInARow: 3 }, { ok: false, silent: false }, pending).failing).toBe(false)
    expect(healthAfter({ ...healthy, failuresInARow: 4 }, { ok: false, silent: false }, pending).failing).toBe(true)
    expect(
      healthAfter({ suspect: true, failing: true, failuresInARow: 9 }, { ok: true, silent: false }, failed),
    ).toEqual(healthy)
  })
})
