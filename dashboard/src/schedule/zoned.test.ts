import { expect, it } from 'vitest'
import { instantOf, utcText, wallTime, zones } from './zoned.ts'

it.each([
  ['2026-11-30', '09:00', 'UTC', '2026-11-30 09:00 UTC'],
  ['2026-11-30', '09:00', 'Europe/Berlin', '2026-11-30 08:00 UTC'],
  ['2026-07-01', '09:00', 'Europe/Berlin', '2026-07-01 07:00 UTC'],
  ['2026-07-01', '00:15', 'Asia/Kathmandu', '2026-06-30 18:30 UTC'],
  ['2026-12-31', '23:30', 'Pacific/Kiritimati', '2026-12-31 09:30 UTC'],
  ['2026-01-01', '00:00', 'America/Los_Angeles', '2026-01-01 08:00 UTC'],
  // The day before clocks change, and the day after.
  ['2026-03-28', '23:59', 'Europe/Berlin', '2026-03-28 22:59 UTC'],
  ['2026-03-29', '03:00', 'Europe/Berlin', '2026-03-29 01:00 UTC'],
  // A wall time that occurs twice: the first instant.
  ['2026-10-25', '02:30', 'Europe/Berlin', '2026-10-25 00:30 UTC'],
])('%s %s in %s is %s', (date, time, zone, utc) => {
  const at = instantOf({ date, time, zone })
  expect(at).toBeDefined()
  expect(utcText(at ?? 0)).toBe(utc)
  expect(wallTime(at ?? 0, zone)).toEqual({ date, time, zone })
})

it('knows no instant for a time that clocks leave out, nor for what is none', () => {
  expect(instantOf({ date: '2026-03-29', time: '02:30', zone: 'Europe/Berlin' })).toBeUndefined()
  expect(instantOf({ date: '', time: '09:00', zone: 'UTC' })).toBeUndefined()
  expect(instantOf({ date: '2026-02-30', time: '09:00', zone: 'UTC' })).toBeUndefined()
})

it('lists zones once each, with UTC among them', () => {
  expect(zones()).toContain('UTC')
  expect(new Set(zones()).size).toBe(zones().length)
})
