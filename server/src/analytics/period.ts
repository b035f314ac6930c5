/** Periods as the analytics endpoints take them (decision N1), all in UTC. */
import { z } from 'zod'
import type { Granularity, Period } from '../deliveries/index.ts'
import { plusMs } from '../platform/clock.ts'
import { invalid } from '../platform/errors.ts'
import { epochMs } from '../platform/http/instant.ts'

const DAY_MS = 24 * 3_600_000
const DEFAULT_DAYS = 30

/** More buckets than this are refused: nobody looks at them, and they cost memory. */
const MOST_BUCKETS = 2_000

/** Both forms, for readers of the API document; not every text that fits is an existing day. */
const EDGE_PATTERN =
  '^2[01]\\d{2}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])([Tt]([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?([Zz]|[+-]([01]\\d|2[0-3]):?[0-5]\\d))?$'

const DATE = /^\d{4}-\d{2}-\d{2}$/
const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})$/

/** One end of a period as a query's parameter. `description` says what it means. */
export function edge(description: string) {
  return z.string().optional().openapi({ description, pattern: EDGE_PATTERN, example: '2026-11-01' })
}

/**
 * The period of `from` and `to`: ISO 8601 dates (a `to` means the end of its day), or instants with an offset. Default:
 * from 30 days ago until now, or the 30 days before `to` if `to` is earlier. Throws `invalid` on `from` or `to`.
 */
export function periodOf({ from, to }: { from?: string | undefined; to?: string | undefined }, now: Date): Period {
  const end = to === undefined ? now : readEdge('to', to)
  const usual = plusMs(now, -DEFAULT_DAYS * DAY_MS)
  const start = from !== undefined ? readEdge('from', from) : usual <= end ? usual : plusMs(end, -DEFAULT_DAYS * DAY_MS)
  if (start > end) throw invalid('from', '"from" must not be after "to".')
  return { from: start, to: end }
}

/** The given edges of a period without defaults. Throws `invalid` on `from` or `to`. */
export function edgesOf({ from, to }: { from?: string | undefined; to?: string | undefined }): Partial<Period> {
  const edges = {
    ...(from === undefined ? {} : { from: readEdge('from', from) }),
    ...(to === undefined ? {} : { to: readEdge('to', to) }),
  }
  if (edges.from !== undefined && edges.to !== undefined && edges.from > edges.to)
    throw invalid('from', '"from" must not be after "to".')
  return edges
}

function readEdge(field: 'from' | 'to', text: string): Date {
  const isDate = DATE.test(text)
  const ms = isDate || INSTANT.test(text) ? epochMs(isDate ? `${text}T00:00:00Z` : text) : Number.NaN
  if (!(ms >= Date.parse('2000-01-01T00:00:00Z') && ms < Date.parse('2200-01-01T00:00:00Z'))) {
    throw invalid(
      field,
      `"${field}" must be an ISO 8601 date like 2026-11-01, or a time with an offset, between 2000 and 2199.`,
    )
  }
  return new Date(isDate && field === 'to' ? ms + DAY_MS - 1 : ms)
}

/** The starts of all units of time that a period touches. Throws `invalid` on `from` if there are too many. */
export function bucketsOf({ from, to }: Period, granularity: Granularity): Date[] {
  const buckets: Date[] = []
  for (let start = startOf(from, granularity); start <= to; start = nextStart(start, granularity)) {
    buckets.push(start)
    if (buckets.length > MOST_BUCKETS) {
      throw invalid(
        'from',
        `The range has more than ${MOST_BUCKETS} ${granularity}s. Choose a shorter range or a coarser granularity.`,
      )
    }
  }
  return buckets
}

function startOf(at: Date, granularity: Granularity): Date {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  switch (granularity) {
    case 'hour':
      return new Date(Date.UTC(year, month, day, at.getUTCHours()))
    case 'day':
      return new Date(Date.UTC(year, month, day))
    case 'week':
      return new Date(Date.UTC(year, month, day - ((at.getUTCDay() + 6) % 7)))
    case 'month':
      return new Date(Date.UTC(year, month))
  }
}

function nextStart(start: Date, granularity: Granularity): Date {
  if (granularity === 'month') return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1))
  const days = granularity === 'week' ? 7 : 1
  return plusMs(start, granularity === 'hour' ? 3_600_000 : days * DAY_MS)
}

/** A unit's name on the wire: its date, or for hours its instant. */
export function bucketName(start: Date, granularity: Granularity): string {
  return granularity === 'hour' ? start.toISOString() : start.toISOString().slice(0, 10)
}
