/** The search parameters of lists, read from addresses that anybody may have typed. */

type Given = Record<string, unknown>

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.slice(0, 500) : undefined

const oneOf = <Name extends string>(names: readonly Name[], value: unknown): Name | undefined =>
  names.find((name) => name === value)

const date = (value: unknown): string | undefined =>
  typeof value === 'string' && /^20\d\d-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined

/** The statuses that posts can be filtered by. */
export const POST_STATUSES = ['draft', 'scheduled', 'published', 'trash'] as const
const POST_ORDERS = ['updated_at', 'scheduled_at'] as const

/** A list of posts. Without a `sort` the newest come first. */
export type PostsSearch = {
  search?: string | undefined
  status?: (typeof POST_STATUSES)[number] | undefined
  tag?: string | undefined
  site?: string | undefined
  sort?: (typeof POST_ORDERS)[number] | undefined
  /** From 1; undefined for the first. */
  page?: number | undefined
}

export function postsSearch(given: Given): PostsSearch {
  const page = Number(given.page)
  return {
    search: text(given.search),
    status: oneOf(POST_STATUSES, given.status),
    tag: text(given.tag),
    site: text(given.site),
    sort: oneOf(POST_ORDERS, given.sort),
    page: Number.isInteger(page) && page > 1 && page < 1_000_000 ? page : undefined,
  }
}

/** The calendar: a month unless it is a week, around a day; without one, around today. */
export type CalendarSearch = { view?: 'week' | undefined; date?: string | undefined; site?: string | undefined }

export function calendarSearch(given: Given): CalendarSearch {
  return { view: oneOf(['week'] as const, given.view), date: date(given.date), site: text(given.site) }
}

/** The states that sites can be filtered by: `missing` ones accept posts, but lack some, `not-live` ones have some that they do not show; in `new` and `broken` ones nothing has arrived yet, and the last test of the latter failed. */
export const SITE_STATES = ['receiving', 'error', 'missing', 'not-live', 'broken', 'paused', 'new'] as const
export type SiteState = (typeof SITE_STATES)[number]

/** The sites in this state that are found by these words. */
export type SitesSearch = { search?: string | undefined; state?: SiteState | undefined }

export function sitesSearch(given: Given): SitesSearch {
  return { search: text(given.search), state: oneOf(SITE_STATES, given.state) }
}

/** The filters of deliveries: a status, `action` for failures that can be sent again, or `not_live` for what was accepted and is not shown. */
export const DELIVERY_STATUSES = ['action', 'not_live', 'pending', 'delivered', 'delivered_retry', 'failed'] as const
/** Periods up to now, in hours. */
export const PERIODS = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 } as const
const PERIOD_NAMES = ['24h', '7d', '30d', 'dates'] as const

/** The log of deliveries. `period`: `dates` goes with `from` and `to`, which are days of the reader's calendar. */
export type DeliveriesSearch = {
  status?: (typeof DELIVERY_STATUSES)[number] | undefined
  site?: string | undefined
  post?: string | undefined
  period?: (typeof PERIOD_NAMES)[number] | undefined
  from?: string | undefined
  to?: string | undefined
  /** Only deliveries older than this one. */
  before?: string | undefined
}

export function deliveriesSearch(given: Given): DeliveriesSearch {
  const period = oneOf(PERIOD_NAMES, given.period)
  return {
    status: oneOf(DELIVERY_STATUSES, given.status),
    site: text(given.site),
    post: text(given.post),
    period,
    from: period === 'dates' ? date(given.from) : undefined,
    to: period === 'dates' ? date(given.to) : undefined,
    before: text(given.before),
  }
}
