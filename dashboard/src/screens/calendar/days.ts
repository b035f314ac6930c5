/** Days of a calendar, written as `2026-11-30`, without hours or zones. Pure. */
import { LOCALE } from '../../format.ts'

/** A day of the calendar. */
export type Day = string

const DAY_MS = 24 * 3_600_000

const number = (day: Day) => Date.parse(`${day}T00:00:00Z`) / DAY_MS
const dayOf = (days: number): Day => new Date(days * DAY_MS).toISOString().slice(0, 10)

/** The day so many days later, or earlier. */
export function addDays(day: Day, days: number): Day {
  return dayOf(number(day) + days)
}

/** The first day of the month that is so many months later, or earlier. */
export function addMonths(day: Day, months: number): Day {
  const first = new Date(`${day.slice(0, 7)}-01T00:00:00Z`)
  first.setUTCMonth(first.getUTCMonth() + months)
  return first.toISOString().slice(0, 10)
}

/** 0 for Sunday to 6 for Saturday. */
export function weekdayOf(day: Day): number {
  return (((number(day) + 4) % 7) + 7) % 7
}

/** The seven days of the week of a day; `firstWeekday` as in `weekdayOf`. */
export function weekOf(day: Day, firstWeekday: number): Day[] {
  const first = addDays(day, -((weekdayOf(day) - firstWeekday + 7) % 7))
  return Array.from({ length: 7 }, (_, index) => addDays(first, index))
}

/** The weeks that a month touches. */
export function weeksOfMonth(day: Day, firstWeekday: number): Day[][] {
  const next = addMonths(day, 1)
  const weeks: Day[][] = []
  for (
    let week = weekOf(addMonths(day, 0), firstWeekday);
    (week[0] ?? next) < next;
    week = week.map((one) => addDays(one, 7))
  )
    weeks.push(week)
  return weeks
}

/** On which day weeks begin for these readers, as in `weekdayOf`; Monday where the browser does not know. */
export function firstWeekdayOf(locale: string): number {
  const here = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo?: () => { firstDay: number } }
  return (here.getWeekInfo?.().firstDay ?? 1) % 7
}

const at = (day: Day) => new Date(`${day}T12:00:00Z`)
const format = (options: Intl.DateTimeFormatOptions) => {
  const formatter = new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: 'UTC' })
  return (day: Day) => formatter.format(at(day))
}

/** `Monday, 30 November 2026`. */
export const longDay = format({ dateStyle: 'full' })
/** `Mon`. */
export const weekdayName = format({ weekday: 'short' })
/** `November 2026`. */
export const monthName = format({ month: 'long', year: 'numeric' })
/** `Mon, 30 Nov`. */
export const shortDay = format({ weekday: 'short', day: 'numeric', month: 'short' })

const RANGE = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' })

/** `30 Nov – 6 Dec 2026`. */
export function rangeName(first: Day, last: Day): string {
  return RANGE.formatRange(at(first), at(last))
}

const TIME = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short' })

/** `09:00`, on the reader's clock. */
export function timeOfDay(at: number): string {
  return TIME.format(at)
}
