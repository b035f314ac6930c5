/** Converts between wall times in zones and instants. Pure. */

import { LOCALE } from '../format.ts'

/** What a wall clock in that zone shows: `2026-11-30`, `09:00`, `Europe/Berlin`. */
export type WallTime = { date: string; time: string; zone: string }

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** The zone of this machine. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

/** All zones by name; this machine's first, then UTC. */
export function zones(): string[] {
  return [...new Set([OWN_ZONE, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
}

/** The wall time at an instant (milliseconds since 1970). */
export function wallTime(at: number, zone: string): WallTime {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(at)
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? ''
  return {
    date: `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`,
    time: `${part('hour')}:${part('minute')}`,
    zone,
  }
}

/**
 * The instant of a wall time, in milliseconds since 1970; the first of two when clocks are set back. Undefined for an invalid
 * time and for one that is skipped when clocks are set forward.
 */
export function instantOf({ date, time, zone }: WallTime): number | undefined {
  const guess = Date.parse(`${date}T${time}Z`)
  if (Number.isNaN(guess)) return undefined
  // No zone is further than a day from UTC, and none changes its clocks twice in two days.
  return [guess - DAY_MS, guess + DAY_MS]
    .map((near) => guess - offsetMs(near, zone))
    .sort((a, b) => a - b)
    .find((at) => {
      const shown = wallTime(at, zone)
      return shown.date === date && shown.time === time
    })
}

/** How far the zone's clocks are ahead of UTC at an instant. */
function offsetMs(at: number, zone: string): number {
  const { date, time } = wallTime(at, zone)
  return Date.parse(`${date}T${time}Z`) - Math.floor(at / MINUTE_MS) * MINUTE_MS
}

/** `Monday, 30 November 2026 at 09:00`, on a clock in that zone. */
export function longTime(at: number, zone: string): string {
  return new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full', timeStyle: 'short', timeZone: zone }).format(at)
}

/** `2026-11-30 08:00 UTC`. */
export function utcText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
