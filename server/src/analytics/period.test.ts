import { describe, expect, it } from 'vitest'
import { bucketName, bucketsOf, periodOf } from './period.ts'

const NOW = new Date('2026-11-18T12:34:56.789Z')

describe('a period', () => {
  it('is the last thirty days unless told', () => {
    expect(periodOf({}, NOW)).toEqual({ from: new Date('2026-10-19T12:34:56.789Z'), to: NOW })
  })

  it('begins thirty days ago unless told, and thirty days before an earlier end', () => {
    const from = new Date('2026-10-19T12:34:56.789Z')
    expect(periodOf({ to: '2026-11-01' }, NOW)).toEqual({ from, to: new Date('2026-11-01T23:59:59.999Z') })
    expect(periodOf({ to: '2026-12-24' }, NOW)).toEqual({ from, to: new Date('2026-12-24T23:59:59.999Z') })
    expect(periodOf({ to: '2026-09-30T00:00:00Z' }, NOW).from).toEqual(new Date('2026-08-31T00:00:00.000Z'))
  })

  it('takes dates, the last one to its end, and instants with an offset', () => {
    expect(periodOf({ from: '2026-11-01', to: '2026-11-02' }, NOW)).toEqual({
      from: new Date('2026-11-01T00:00:00.000Z'),
      to: new Date('2026-11-02T23:59:59.999Z'),
    })
    for (const offset of ['+02:00', '+0200'])
      expect(periodOf({ from: `2026-11-01T01:00:00${offset}` }, NOW).from).toEqual(new Date('2026-10-31T23:00:00.000Z'))
  })

  it.each([
    ['from', { from: 'yesterday' }],
    ['from', { from: '2026-02-30' }],
    ['from', { from: '2026-02-30T00:00:00Z' }],
    ['from', { from: '2026-11-01T24:00:00Z' }],
    ['from', { from: '2026-11-01T00:00:00' }],
    ['to', { to: '2200-01-01' }],
    ['from', { from: '2026-11-02', to: '2026-11-01' }],
    ['from', { from: '0000-00-00' }],
    ['to', { to: '' }],
    ['to', { to: '999999-01-01' }],
  ])('names %s when it is wrong: %j', (field, range) => {
    expect(() => periodOf(range, NOW)).toThrow(expect.objectContaining({ field }))
  })
})

describe('buckets', () => {
  const names = (from: string, to: string, granularity: 'hour' | 'day' | 'week' | 'month') =>
    bucketsOf(periodOf({ from, to }, NOW), granularity).map((start) => bucketName(start, granularity))

  it('are all that the period touches; weeks begin on Monday', () => {
    expect(names('2026-02-27', '2026-03-02', 'day')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'])
    expect(names('2026-11-01', '2026-11-09', 'week')).toEqual(['2026-10-26', '2026-11-02', '2026-11-09'])
    expect(names('2026-11-30', '2027-01-01', 'month')).toEqual(['2026-11-01', '2026-12-01', '2027-01-01'])
    expect(names('2026-11-01T22:30:00Z', '2026-11-02T00:00:00Z', 'hour')).toEqual([
      '2026-11-01T22:00:00.000Z',
      '2026-11-01T23:00:00.000Z',
      '2026-11-02T00:00:00.000Z',
    ])
  })

  it('are refused when they are too many', () => {
    expect(() => names('2020-01-01', '2026-01-01', 'hour')).toThrow(expect.objectContaining({ field: 'from' }))
    expect(names('2000-01-01', '2026-01-01', 'month')).toHaveLength(313)
  })
})
