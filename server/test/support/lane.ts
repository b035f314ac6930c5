import { kindOf, LaneRun } from '../../src/deliveries/lane-run.ts'
import type { DueDelivery, LaneLease } from '../../src/deliveries/lease.ts'

/** A held lane called `a` with so many deliveries `a1`, `a2` … of these bytes; `recovering`: a dead worker held it. */
export function lane(siteId: string, count: number, { bytes = 1, recovering = false } = {}): LaneRun {
  const term = { ms: 1, until: new Date(1), untilMs: 1 }
  const lease: LaneLease = { siteId, accountId: 'account', fence: 1, ...term, recovering, suspect: false }
  const run = new LaneRun(lease, kindOf(lease))
  run.waiting = Array.from({ length: count }, (_, index): DueDelivery => {
    const id = `${siteId}${index + 1}`
    const counts = { sequence: 1, attempts: 0, attemptsInRound: 0, uncertain: false }
    return { id, siteId, postId: id, ...counts, eventId: id, payloadBytes: bytes }
  })
  return run
}
