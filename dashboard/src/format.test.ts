import { afterEach, describe, expect, it, vi } from 'vitest'
import { ago, counted, duration, isLate, lateness, number, percent, until } from './format.ts'

const NOW = new Date('2026-11-02T08:00:00Z').getTime()
const at = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString()

describe('numbers', () => {
  it('that were not measured are a dash, and zero is zero', () => {
    expect([number(null), percent(undefined), duration(null)]).toEqual(['—', '—', '—'])
    expect([number(0), percent(0), duration(0)]).toEqual(['0', '0%', '0\u2009ms'])
  })

  it('agree with what they count', () => {
    expect([counted(0, 'site'), counted(1, 'site'), counted(1200, 'entry', 'entries')]).toEqual([
      '0 sites',
      '1 site',
      '1,200 entries',
    ])
  })

  it.each([
    [999, '999\u2009ms'],
    [1_000, '1\u2009s'],
    [1_249, '1.2\u2009s'],
    [15_000, '15\u2009s'],
  ])('of %s milliseconds read %s', (ms, text) => {
    expect(duration(ms)).toBe(text)
  })
})

describe('times', () => {
  it.each([
    [0, 'just now'],
    [-59, 'just now'],
    [-60, '1 minute ago'],
    [-3_599, '59 minutes ago'],
    [-86_400, 'yesterday'],
    [-86_400 * 13, 'last week'],
    [30, 'in 30 seconds'],
    [86_400, 'tomorrow'],
  ])('%s seconds away read "%s"', (seconds, text) => {
    expect(ago(at(seconds), NOW)).toBe(text)
  })

  afterEach(() => void vi.unstubAllEnvs())
  it.each([
    ['2026-11-30T20:00:00+01:00', '2026-12-01T23:00:00+01:00', 'tomorrow'],
    ['2026-11-30T20:00:00+01:00', '2026-12-02T09:00:00+01:00', 'in 2 days'],
    ['2026-11-30T20:00:00+01:00', '2026-12-07T08:00:00+01:00', 'in 7 days'],
    ['2026-11-30T08:00:00+01:00', '2026-11-28T20:00:00+01:00', '2 days ago'],
    // A day of 25 hours, and one of 23.
    ['2026-10-25T00:10:00+02:00', '2026-10-26T00:20:00+01:00', 'tomorrow'],
    ['2026-03-28T09:00:00+01:00', '2026-03-30T08:00:00+02:00', 'in 2 days'],
  ])('at %s, %s is %s in Berlin', (now, then, text) => {
    vi.stubEnv('TZ', 'Europe/Berlin')
    expect(ago(then, Date.parse(now))).toBe(text)
  })

  it.each([
    [-1, 'now'],
    [0, 'now'],
    [0.2, '0:01'],
    [59, '0:59'],
    [61, '1:01'],
    [3_600, '1:00:00'],
    [3_725, '1:02:05'],
  ])('%s seconds ahead count down from %s', (seconds, text) => {
    expect(until(at(seconds), NOW)).toBe(text)
  })
})

it.each([
  [60, '1\u2009min'],
  [3_599, '59\u2009min'],
  [3_600, '1\u2009h'],
  [47 * 3_600, '47\u2009h'],
  [3 * 86_400, '3 days'],
])('%d seconds late is %s', (seconds, text) => {
  expect(lateness(seconds)).toBe(text)
})

it('calls nothing late within a minute, nor what had no time', () => {
  expect([null, 0, 59, 60].map(isLate)).toEqual([false, false, false, true])
})
