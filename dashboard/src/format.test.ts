import { describe, expect, it } from 'vitest'
import { ago, counted, duration, number, percent, until } from './format.ts'

const NOW = new Date('2026-11-02T08:00:00Z').getTime()
const at = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString()

describe('numbers', () => {
  it('that were not measured are a dash, and zero is zero', () => {
    expect([number(null), percent(undefined), duration(null)]).toEqual(['—', '—', '—'])
    expect([number(0), percent(0), duration(0)]).toEqual(['0', '0\u2009%', '0\u2009ms'])
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
