import { describe, expect, it } from 'vitest'
import { lane as laneOf } from '../../test/support/lane.ts'
import type { LaneRun } from './lane-run.ts'
import type { Target } from './lease.ts'

const TARGET = { siteId: 'a', siteName: 'A', webhookUrl: 'https://a.example', secretSealed: Buffer.alloc(0) }

/** A lane that a dead worker held, with so many deliveries. */
function lane(count: number, target?: Target): LaneRun {
  const run = laneOf('a', count, { recovering: true })
  run.target = target
  return run
}

describe('a lane that becomes slow', () => {
  it('lets go of what it cannot send, and does not count as recovered then', () => {
    const run = lane(3, TARGET)
    run.slowDown(2)
    expect(run).toMatchObject({ kind: 'slow', waiting: [{ id: 'a1' }, { id: 'a2' }] })
    run.waiting = []
    expect(run.isClean()).toBe(false)
  })

  it('keeps what it can send, and counts as recovered once that is sent', () => {
    const run = lane(2, TARGET)
    run.slowDown(2)
    expect(run.isClean()).toBe(false)
    run.waiting = []
    expect(run.isClean()).toBe(true)
  })
})

describe('a lane of a dead worker in which nothing is due', () => {
  it('counts as recovered: everything that worker did is on record', () => {
    expect(lane(0, TARGET).isClean()).toBe(true)
  })

  it('does not while its site is paused, since nothing was read', () => {
    expect(lane(0).isClean()).toBe(false)
  })
})
