import { describe, expect, it } from 'vitest'
import { LaneRun } from './lane-run.ts'
import type { DueDelivery, LaneLease } from './lease.ts'

/** A lane that a dead worker held, with so many deliveries, all that is due in it. */
function takenOver(count: number): LaneRun {
  const term = { ms: 1, until: new Date(1), untilMs: 1 }
  const lease: LaneLease = { siteId: 'a', accountId: 'account', fence: 1, ...term, recovering: true, suspect: false }
  const run = new LaneRun(lease, 'prompt')
  run.waiting = Array.from({ length: count }, (_, index) => ({ id: `${index}` }) as DueDelivery)
  return run
}

/** Sends everything that waits in a lane. */
function sendAll(run: LaneRun): void {
  for (const _ of run.waiting.splice(0)) run.started()
}

describe('a lane that becomes slow', () => {
  it('lets go of what it cannot send, and does not count as recovered then', () => {
    const run = takenOver(3)
    run.slowDown(2)
    expect(run).toMatchObject({ kind: 'slow', waiting: [{ id: '0' }, { id: '1' }] })
    sendAll(run)
    expect(run.isClean()).toBe(false)
  })

  it('keeps what it can send, and counts as recovered once that is sent', () => {
    const run = takenOver(2)
    run.slowDown(2)
    sendAll(run)
    expect(run.isClean()).toBe(true)
  })
})
