import { expect, it } from 'vitest'
import { addDays, addMonths, firstWeekdayOf, weekdayOf, weekOf, weeksOfMonth } from './days.ts'

it.each([
  ['2026-11-30', 1, '2026-12-01'],
  ['2026-12-31', 1, '2027-01-01'],
  ['2028-02-28', 1, '2028-02-29'],
  ['2026-03-29', -1, '2026-03-28'],
])('%s and %d days is %s', (day, days, then) => {
  expect(addDays(day, days)).toBe(then)
})

it.each([
  ['2026-01-31', 1, '2026-02-01'],
  ['2026-01-31', -1, '2025-12-01'],
  ['2026-11-30', 0, '2026-11-01'],
])('the month of %s and %d months begins on %s', (day, months, first) => {
  expect(addMonths(day, months)).toBe(first)
})

it('knows weekdays and weeks, which begin on Monday or Sunday', () => {
  expect(weekdayOf('2026-11-28')).toBe(6)
  expect(weekdayOf('1969-12-28')).toBe(0)
  expect(weekOf('2026-11-28', 1)[0]).toBe('2026-11-23')
  expect(weekOf('2026-11-29', 1).at(-1)).toBe('2026-11-29')
  expect(weekOf('2026-11-29', 0)[0]).toBe('2026-11-29')
  expect(firstWeekdayOf('en-US')).toBe(0)
  expect(firstWeekdayOf('en-GB')).toBe(1)
})

it.each([
  // Weeks that belong to it wholly, as in a February of 28 days that begins on a Monday.
  ['2027-02-14', 1, 4, '2027-02-01', '2027-02-28'],
  ['2026-11-28', 1, 6, '2026-10-26', '2026-12-06'],
  ['2026-11-28', 0, 5, '2026-11-01', '2026-12-05'],
])('the month of %s has, from weekday %d, %d weeks from %s to %s', (day, weekday, count, first, last) => {
  const weeks = weeksOfMonth(day, weekday)
  expect([weeks.length, weeks[0]?.[0], weeks.at(-1)?.at(-1)]).toEqual([count, first, last])
})
