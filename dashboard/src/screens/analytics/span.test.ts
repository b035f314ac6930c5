import { expect, it } from 'vitest'
import { fitting, type SpanSearch, spanOf, UNITS } from './span.ts'

const NOW = Date.parse('2026-11-21T22:41:57Z')

it.each<[SpanSearch, object]>([
  [{}, { range: '30d', unit: 'day', from: '2026-10-23', days: 30 }],
  [{ range: '24h' }, { unit: 'hour', from: '2026-11-20T23:00:00.000Z', lastDay: '2026-11-21' }],
  [{ range: '24h', unit: 'month' }, { unit: 'hour' }],
  [
    { range: '90d', unit: 'day' },
    { unit: 'day', from: '2026-08-24' },
  ],
  [{ range: '12m' }, { unit: 'month', from: '2025-11-22' }],
  [
    { range: 'own', from: '2026-11-01', to: '2026-11-03' },
    { from: '2026-11-01', to: '2026-11-03', days: 3 },
  ],
  [
    { range: 'own', from: '2026-11-05', to: '2026-11-03' },
    { from: '2026-10-05', to: '2026-11-03' },
  ],
  [
    { range: 'own', from: 'yesterday', to: '2026-02-31' },
    { to: '2026-11-21', days: 30 },
  ],
  [{ range: 'own', from: '2016-11-21' }, { unit: 'month' }],
  [
    { range: 'for ever', unit: 'second' },
    { range: '30d', unit: 'day' },
  ],
])('%o means %o', (search, expected) => {
  expect(spanOf(search, NOW)).toMatchObject(expected)
})

it('has a unit for every number of days, with at most 170 columns', () => {
  const columns = { hour: 24, day: 1, week: 1 / 7, month: 1 / 30 }
  for (let days = 1; days < 3_650; days += 1) {
    const units = UNITS.filter((unit) => fitting(unit, days))
    expect(units, `${days} days`).not.toEqual([])
    for (const unit of units) expect(days * columns[unit]).toBeLessThan(170)
  }
})
