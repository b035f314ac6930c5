/** The period of the analytics, read from the address. All of it in UTC, as the service counts. */

/** The ranges, shortest first; `own` is from one day to another. */
export const RANGES = ['24h', '7d', '30d', '90d', '12m', 'own'] as const
type Range = (typeof RANGES)[number]

/** The ranges' names in the list. */
export const RANGE_NAMES: Record<Range, string> = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '12m': 'Last 12 months',
  own: 'Custom dates',
}

/** The units of time that numbers are counted by. */
export const UNITS = ['hour', 'day', 'week', 'month'] as const
type Unit = (typeof UNITS)[number]

/** The search parameters of the address; any of them may be wrong. */
export type SpanSearch = {
  range?: string | undefined
  unit?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** A period. `from` and `to` are as the API takes them; without `to`, until now. `lastDay` is always a date. */
export type Span = { range: Range; unit: Unit; from: string; to?: string; lastDay: string; days: number }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DAYS: Record<Exclude<Range, 'own'>, number> = { '24h': 1, '7d': 7, '30d': 30, '90d': 90, '12m': 365 }
const USUAL_UNIT: Record<Exclude<Range, 'own'>, Unit> = {
  '24h': 'hour',
  '7d': 'day',
  '30d': 'day',
  '90d': 'week',
  '12m': 'month',
}

/** For each unit, the least and most days whose columns can still be told apart. */
const FITS: Record<Unit, [least: number, most: number]> = {
  hour: [0, 7],
  day: [2, 120],
  week: [14, 800],
  month: [60, 3_700],
}

/** Whether this unit suits a range of so many days. */
export function fitting(unit: Unit, days: number): boolean {
  const [least, most] = FITS[unit]
  return days >= least && days <= most
}

/** The period that the address means, with defaults for missing or wrong parameters. */
export function spanOf(search: SpanSearch, now: number): Span {
  const range = RANGES.find((one) => one === search.range) ?? '30d'
  const { days, ...edges } = range === 'own' ? ownEdges(search, now) : edgesOf(range, now)
  const wanted = UNITS.find((unit) => unit === search.unit && fitting(unit, days))
  const usual = range === 'own' ? undefined : USUAL_UNIT[range]
  const unit = wanted ?? usual ?? UNITS.find((one) => fitting(one, days)) ?? 'month'
  return { range, unit, days, ...edges }
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Whole hours or days, so that the same question keeps the same query key as long as possible. */
function edgesOf(range: Exclude<Range, 'own'>, now: number) {
  const days = DAYS[range]
  const from =
    range === '24h'
      ? new Date(Math.floor(now / HOUR_MS) * HOUR_MS - 23 * HOUR_MS).toISOString()
      : dayOf(now - (days - 1) * DAY_MS)
  return { from, lastDay: dayOf(now), days }
}

function ownEdges({ from, to }: SpanSearch, now: number) {
  const end = isDay(to) ? to : dayOf(now)
  const start = isDay(from) && from <= end ? from : dayOf(Date.parse(end) - 29 * DAY_MS)
  return { from: start, to: end, lastDay: end, days: (Date.parse(end) - Date.parse(start)) / DAY_MS + 1 }
}

function isDay(text: string | undefined): text is string {
  return text !== undefined && /^20\d\d-\d\d-\d\d$/.test(text) && dayOf(Date.parse(text) || 0) === text
}

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
const DAY = format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
const SHORT_DAY = format({ day: 'numeric', month: 'short' })
const MONTH = format({ month: 'long', year: 'numeric' })
const SHORT_MONTH = format({ month: 'short' })
const TIME = format({ hour: '2-digit', minute: '2-digit' })

/** The units' names in a chart. */
export function unitsOf(data: readonly { date: string }[], unit: Unit): { name: string; short: string }[] {
  return data.map(({ date }) => nameOf(new Date(date), unit))
}

function nameOf(at: Date, unit: Unit): { name: string; short: string } {
  switch (unit) {
    case 'hour':
      return { name: `${DAY.format(at)}, ${TIME.format(at)} UTC`, short: TIME.format(at) }
    case 'day':
      return { name: DAY.format(at), short: SHORT_DAY.format(at) }
    case 'week':
      return { name: `Week from ${DAY.format(at)}`, short: SHORT_DAY.format(at) }
    case 'month':
      return { name: MONTH.format(at), short: SHORT_MONTH.format(at) }
  }
}
