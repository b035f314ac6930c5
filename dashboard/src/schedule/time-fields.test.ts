import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { problemOfTime } from './time-fields.tsx'
import { instantOf } from './zoned.ts'

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-03-28T12:00:00Z') }))
afterEach(() => void vi.useRealTimers())

it.each([
  ['2026-03-28', '14:00', undefined],
  ['2026-03-28', '12:59', 'time'],
  ['2026-03-27', '23:00', 'date'],
  // A time skipped when clocks are set forward.
  ['2026-03-29', '02:30', 'time'],
  ['', '14:00', 'date'],
  ['2026-03-29', '', 'time'],
])('%s %s is to be mended in the field %s', (date, time, field) => {
  const value = { date, time, zone: 'Europe/Berlin' }
  expect(problemOfTime(value, instantOf(value))?.field).toBe(field)
})
