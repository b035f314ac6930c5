import { describe, expect, it } from 'vitest'
import { lane } from '../../test/support/lane.ts'
import type { LaneRun } from './lane-run.ts'

/** Sends everything that waits in a lane. */
function sendAll(run: LaneRun): void {
  for (const _ of run.waiting.splice(0)) run.started()
}

describe('a lane that becomes slow', () => {
  it('lets go of what it cannot send, and does not count as recovered then', () => {
    const run = lane('a', 3, { recovering: true })
    run.slowDown(2)
    expect(run).toMatchObject({ kind: 'slow', waiting: [{ id: 'a1' }, { id: 'a2' }] })
    sendAll(run)
    expect(run.isClean()).toBe(false)
  })

  it('keeps what it can send, and counts as recovered once that is sent', () => {
    const run = lane('a', 2, { recovering: true })
    run.slowDown(2)
    sendAll(run)
    expect(run.isClean()).toBe(true)
  })
})
