/** What became of deliveries, as analytics show it. Sums come from the roll-ups, never from the deliveries. */
import { type RawBuilder, sql } from 'kysely'
import { type DeliveryStatus, type EventKind, type HistoryEntry, HOUR_MS, hourOf } from '../engine/index.ts'
import type { Db } from '../platform/db/database.ts'

/** A span of full hours: from the beginning of the hour of `from` to the end of the hour of `to`. */
export type Period = { from: Date; to: Date }

const DAY_MS = 24 * HOUR_MS

/**
 * The rows that make up a period of the endpoint `e`, each with its `start`: the roll-ups' days that lie in it completely and
 * hours at its ends, or hours only.
 */
function outcomes(accountId: string, { from, to }: Period, unit: 'hour' | 'day'): RawBuilder<unknown> {
  const begin = hourOf(from).getTime()
  const end = hourOf(to).getTime() + HOUR_MS
  const rows = (of: 'hour' | 'day', since: number, until: number) => sql`
    select ${sql.id(of)} as start, delivered, failed, retried, confirmed, delivered_ms from ${sql.id(`delivery_${of}s`)}
    where account_id = ${accountId} and site_id = e.site_id and ${sql.id(of)} >= ${new Date(since)} and ${sql.id(of)} < ${new Date(until)}`
  const firstDay = Math.ceil(begin / DAY_MS) * DAY_MS
  const lastDay = Math.floor(end / DAY_MS) * DAY_MS
  const rolledUp =
    unit === 'hour' || firstDay >= lastDay
      ? [rows('hour', begin, end)]
      : [rows('hour', begin, firstDay), rows('day', firstDay, lastDay), rows('hour', lastDay, end)]
  return sql.join(rolledUp, sql` union all `)
}

/** Finished deliveries. `timed`: the delivered ones with a response time; `deliveredMs`: the sum of these times. */
export type Sums = { delivered: number; failed: number; retried: number; timed: number; deliveredMs: number }

/** Sums per site with the site's name; living sites without deliveries and deleted ones with some are included. */
export async function sumBySite(
  db: Db,
  accountId: string,
  period: Period,
  siteId?: string,
): Promise<Array<Sums & { siteId: string; siteName: string }>> {
  const { rows } = await sql<Sums & { siteId: string; siteName: string }>`
    select e.site_id as "siteId", e.site_name as "siteName", coalesce(h.delivered, 0)::int as delivered,
      coalesce(h.failed, 0)::int as failed, coalesce(h.retried, 0)::int as retried,
      coalesce(h.timed, 0)::int as timed, coalesce(h.delivered_ms, 0)::bigint as "deliveredMs"
    from endpoints e
    cross join lateral (
      select sum(delivered) as delivered, sum(failed) as failed, sum(retried) as retried, sum(delivered - confirmed) as timed,
        sum(delivered_ms) as delivered_ms
      from (${outcomes(accountId, period, 'day')}) as o
    ) as h
    where e.account_id = ${accountId} and (${siteId ?? null}::uuid is null or e.site_id = ${siteId ?? null}::uuid)
      and (e.deleted_at is null or h.delivered + h.failed > 0)
    order by e.created_at, e.site_id
  `.execute(db)
  return rows
}

/** The units that sums are shown by. Weeks begin on Monday; all of it in UTC. */
export type Granularity = 'hour' | 'day' | 'week' | 'month'

/** Sums per unit of time, for the units in which something finished. */
export async function sumByTime(
  db: Db,
  accountId: string,
  period: Period,
  granularity: Granularity,
  siteId?: string,
): Promise<Array<Sums & { start: Date }>> {
  const { rows } = await sql<Sums & { start: Date }>`
    select date_trunc(${granularity}, start, 'UTC') as start, sum(delivered)::int as delivered, sum(failed)::int as failed,
      sum(retried)::int as retried, sum(delivered - confirmed)::int as timed, sum(delivered_ms)::bigint as "deliveredMs"
    from endpoints e
    cross join lateral (${outcomes(accountId, period, granularity === 'hour' ? 'hour' : 'day')}) as o
    where e.account_id = ${accountId} and (${siteId ?? null}::uuid is null or e.site_id = ${siteId ?? null}::uuid)
    group by 1 order by 1
  `.execute(db)
  return rows
}

/** A delivery with all that is known of it. */
export type DeliveryRecord = {
  id: string
  siteId: string
  siteName: string
  event: EventKind
  status: DeliveryStatus
  attempts: number
  createdAt: Date
  finishedAt: Date | null
  nextAttemptAt: Date | null
  responseCode: number | null
  responseTimeMs: number | null
  lastError: string | null
  history: HistoryEntry[]
  metadata: Record<string, unknown> | null
}

/** The deliveries of a post, newest first, at most `limit`. */
export async function deliveriesOfPost(
  db: Db,
  accountId: string,
  postId: string,
  limit: number,
): Promise<DeliveryRecord[]> {
  const { rows } = await sql<DeliveryRecord>`
    with newest as (
      select id from deliveries where account_id = ${accountId} and post_id = ${postId} order by sequence desc, id desc limit ${limit}
    )
    select d.id, d.site_id as "siteId", e.site_name as "siteName", v.kind as event, d.status, d.attempts,
      d.created_at as "createdAt", d.finished_at as "finishedAt", d.next_attempt_at as "nextAttemptAt",
      d.response_code as "responseCode", d.response_time_ms as "responseTimeMs", d.last_error as "lastError", d.history, d.metadata
    from newest
    join deliveries d on d.id = newest.id
    join endpoints e on e.site_id = d.site_id
    join events v on v.id = d.event_id
    order by d.sequence desc, d.id desc
  `.execute(db)
  return rows
}

/** A delivery that ended as failed. `siteDeleted`: nothing can be sent any more. */
export type FailedDelivery = {
  postId: string
  siteId: string
  failedAt: Date
  attempts: number
  lastError: string | null
  responseCode: number | null
  siteDeleted: boolean
  overtaken: boolean
}

/**
 * Deliveries that failed since `from`, newest first, at most `limit`. `overtaken`: there is a newer event of the post for the
 * site, so this one must not be sent any more.
 */
export async function failedDeliveries(
  db: Db,
  accountId: string,
  { from, siteId, limit }: { from: Date; siteId: string | undefined; limit: number },
): Promise<FailedDelivery[]> {
  const { rows } = await sql<FailedDelivery>`
    with page as materialized (
      select d.* from deliveries d
      where d.account_id = ${accountId} and d.status = 'failed' and d.finished_at >= ${from}
        and (${siteId ?? null}::uuid is null or d.site_id = ${siteId ?? null}::uuid)
      order by d.finished_at desc limit ${limit}
    ),
    judged as materialized (${judged(sql`page`)})
    select d.post_id as "postId", d.site_id as "siteId", d.finished_at as "failedAt",
      d.attempts, d.last_error as "lastError", d.response_code as "responseCode", e.deleted_at is not null as "siteDeleted",
      j.overtaken
    from page d
    join endpoints e on e.site_id = d.site_id
    join judged j on j.id = d.id
    order by d.finished_at desc
  `.execute(db)
  return rows
}

/** The title of the post of `d` in its newest event that has one. The event is found first, so that of all contents one is read. */
export const lastTitle = sql<string | null>`(
  select shown.payload::jsonb ->> 'title' from events shown where shown.id = (
    select other.event_id from deliveries other join events v on v.id = other.event_id
    where other.post_id = d.post_id and v.kind <> 'post.deleted' order by other.sequence desc limit 1
  )
)`

/**
 * The deliveries (`id`) of the posts and sites that `rows` (what follows "from") name by `post_id` and `site_id`, each with whether it
 * has been `overtaken` by a newer one, whatever became of that: the site may have it, and must not be sent anything older. Each is looked at once, however many of one post have failed at a site that was away for a week.
 */
export function judged(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select d.id, d.overtaken from (select distinct post_id, site_id from ${rows}) as pair
    cross join lateral (
      select newer.id, newer.sequence < max(newer.sequence) over () as overtaken
      from deliveries newer where newer.post_id = pair.post_id and newer.site_id = pair.site_id
    ) as d`
}
