import { describe, expect, it } from 'vitest'
import { divideByLatest, type HourSums, sumByHour } from './roll-ups.ts'

const at = (time: string) => new Date(`2026-11-02T${time}:00.000Z`)

/** Sums of an hour of a site that got so many deliveries. */
const sums = (siteId: string, hour: number, delivered = 1): HourSums => {
  return {
    accountId: 'a',
    siteId,
    hour: at(`${String(hour).padStart(2, '0')}:00`),
    delivered,
    failed: 0,
    retried: 0,
    ms: 5,
  }
}

const bySite = (...all: HourSums[]) => Map.groupBy(all, ({ siteId }) => siteId)

describe('sums by hour', () => {
  it('count what ended, per site and hour; only what was delivered has taken time', () => {
    const one = { accountId: 'a', siteId: 's', ok: true, retried: false, tookMs: 5 }
    const outcomes = [
      { ...one, finishedAt: at('08:00') },
      { ...one, finishedAt: at('08:59'), retried: true },
      { ...one, finishedAt: at('08:30'), ok: false, retried: true, tookMs: 70 },
      { ...one, finishedAt: at('09:00') },
      { ...one, finishedAt: at('08:10'), siteId: 't' },
    ]
    expect(sumByHour(outcomes)).toEqual(
      new Map([
        ['s', [{ ...sums('s', 8, 2), failed: 1, retried: 2, ms: 10 }, sums('s', 9)]],
        ['t', [sums('t', 8)]],
      ]),
    )
  })

  it('are the lane’s as long as its hour lasts', () => {
    const { latest, others } = divideByLatest(bySite(sums('s', 8), sums('t', 8)), (site) =>
      site === 's' ? sums('s', 8, 40) : undefined,
    )
    expect([...latest.values()]).toEqual([sums('s', 8), sums('t', 8)])
    expect(others).toEqual([])
  })

  it('leave the lane when a later hour comes, with what comes late of their own', () => {
    const { latest, others } = divideByLatest(bySite(sums('s', 8), sums('s', 10), sums('s', 9)), () => sums('s', 8, 40))
    expect([...latest.values()]).toEqual([sums('s', 10)])
    expect(others).toEqual([sums('s', 8), sums('s', 9), sums('s', 8, 40)])
  })

  it('pass the lane by when it is further on', () => {
    const { latest, others } = divideByLatest(bySite(sums('s', 8), sums('s', 9)), () => sums('s', 10, 40))
    expect([...latest.values()]).toEqual([])
    expect(others).toEqual([sums('s', 8), sums('s', 9)])
  })
})
