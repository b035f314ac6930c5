/** How numbers and times read. The interface is English; the hour format is the reader's own. */
export const LOCALE = navigator.language.startsWith('en') ? navigator.language : 'en-GB'

const NUMBER = new Intl.NumberFormat(LOCALE)
const FULL = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full', timeStyle: 'medium' })
const TIME = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short' })
const DAY = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' })
const DATE_AND_TIME = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' })
const UTC_DAY = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' })

const STEPS: ReadonlyArray<[unit: Intl.RelativeTimeFormatUnit, seconds: number]> = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** Shown in place of a value that was not measured. */
const NOTHING = '—'

/** `1,234`, or a dash when nothing was measured. */
export function number(value: number | null | undefined): string {
  return value == null ? NOTHING : NUMBER.format(value)
}

/** `98.7%`, or a dash. */
export function percent(value: number | null | undefined): string {
  return value == null ? NOTHING : `${NUMBER.format(value)}%`
}

/** `840 ms` or `1.2 s`, or a dash. */
export function duration(ms: number | null | undefined): string {
  if (ms == null) return NOTHING
  return ms < 1_000 ? `${Math.round(ms)}\u2009ms` : `${NUMBER.format(Math.round(ms / 100) / 10)}\u2009s`
}

/** `3 posts`, `1 post`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${NUMBER.format(count)} ${count === 1 ? one : many}`
}

/** `21 Nov`, of a date in UTC. */
export function utcDay(date: string): string {
  return UTC_DAY.format(new Date(date))
}

/** The whole date and time of an instant, in the reader's zone. */
export function clock(at: string): string {
  return FULL.format(new Date(at))
}

/** `23 Nov 2026, 09:00`, in the reader's zone. */
export function dateAndTime(at: string): string {
  return DATE_AND_TIME.format(new Date(at))
}

/** `12:03` of today, `2 Nov 2026` of another day; both are milliseconds since 1970. */
export function timeOrDay(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString()
  return (isToday ? TIME : DAY).format(at)
}

/** `3 minutes ago`, `tomorrow`, `just now`. */
export function ago(at: string, now: number): string {
  const seconds = (new Date(at).getTime() - now) / 1_000
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) < size) continue
    return RELATIVE.format(unit === 'day' ? dayOf(at) - dayOf(now) : Math.trunc(seconds / size), unit)
  }
  return seconds > 5 ? RELATIVE.format(Math.round(seconds), 'second') : 'just now'
}

/** What is done within this time is in time. */
const LATE_SECONDS = 60

/** Whether something that should have been done at a time was done late. */
export function isLate(seconds: number | null): seconds is number {
  return seconds !== null && seconds >= LATE_SECONDS
}

/** `3 min`, `2 h`, `4 days`: how late something is. */
export function lateness(seconds: number): string {
  if (seconds < 3_600) return `${NUMBER.format(Math.floor(seconds / 60))}\u2009min`
  if (seconds < 2 * 86_400) return `${NUMBER.format(Math.floor(seconds / 3_600))}\u2009h`
  return counted(Math.floor(seconds / 86_400), 'day')
}

/** The day of an instant in the reader's calendar, as a number: the day after tomorrow may begin in less than two days. */
function dayOf(at: string | number): number {
  const here = new Date(at)
  return Date.UTC(here.getFullYear(), here.getMonth(), here.getDate()) / 86_400_000
}

/** `0:42`, `4:59`, `1:00:00`; `now` once the time has passed. */
export function until(at: string, now: number): string {
  const seconds = Math.ceil((new Date(at).getTime() - now) / 1_000)
  if (seconds <= 0) return 'now'
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const hours = Math.floor(seconds / 3_600)
  const minutes = (seconds % 3_600) / 60
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${Math.floor(minutes)}:${two(seconds % 60)}`
}
