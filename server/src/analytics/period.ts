/** Periods as the analytics endpoints take them (decision N1), all in UTC. */
import type { Granularity, Period } from '../deliveries/index.ts'
import { plusMs } from '../platform/clock.ts'
import { invalid } from '../platform/errors.ts'
import { readEdge } from '../platform/http/period-edges.ts'

const DAY_MS = 24 * 3_600_000
const DEFAULT_DAYS = 30

/** More buckets than this are refused: nobody looks at them, and they cost memory. */
const MOST_BUCKETS = 2_000

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
