import { sql } from 'kysely'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db } from '../platform/db/database.ts'
import type { DeliveryStatus, EventKind, LiveCheck } from './tables.ts'

/** The newest delivery of a post for each site that was sent it. */
export type LatestDelivery = { siteId: string; status: DeliveryStatus; deliveredAt: Date | null }

/** Whether a delivery was superseded before anything was sent: its site knows nothing of it. */
const WAS_NEVER_SENT = sql<boolean>`(attempts = 0 and last_error is not distinct from 'superseded')`

/** The newest delivery of the post per site, in the order of site ids. Of each site one is read, however often the post was changed. */
export async function latestDeliveries(db: Db, accountId: string, postId: string): Promise<LatestDelivery[]> {
  const { rows } = await sql<LatestDelivery>`
    select e.site_id as "siteId", latest.status, latest."deliveredAt"
    from endpoints e cross join lateral (
      select status, case when status in ('delivered', 'delivered_retry') then finished_at end as "deliveredAt"
      from deliveries where post_id = ${postId} and site_id = e.site_id and not ${WAS_NEVER_SENT}
      order by sequence desc limit 1
    ) as latest
    where e.account_id = ${accountId} order by e.site_id
  `.execute(db)
  return rows
}

/** How a post stands at a site: its newest delivery there. */
export type StandingDelivery = LatestDelivery & {
  postId: string
  event: EventKind
  attempts: number
  lastError: string | null
  liveUrl: string | null
  liveCheck: LiveCheck | null
  nextAttemptAt: Date | null
}

/** The newest delivery of each of these posts to each site that is still connected, by post id. */
export async function standingsOf(
  db: Db,
  accountId: string,
  postIds: readonly string[],
): Promise<Map<string, StandingDelivery[]>> {
  const { rows } = await sql<StandingDelivery>`
    select d.*, v.kind as event from (
      select distinct on (post_id, site_id) post_id as "postId", site_id as "siteId", event_id, status, attempts,
        last_error as "lastError", live_url as "liveUrl", live_check as "liveCheck", next_attempt_at as "nextAttemptAt",
        case when status in ('delivered', 'delivered_retry') then finished_at end as "deliveredAt"
      from deliveries where post_id = any(${plainArray(postIds)}::uuid[]) and account_id = ${accountId} and not ${WAS_NEVER_SENT}
      order by post_id, site_id, sequence desc
    ) d
    join endpoints e on e.site_id = d."siteId" and e.deleted_at is null
    join events v on v.id = d.event_id
    order by d."siteId"
  `.execute(db)
  return Map.groupBy(rows, ({ postId }) => postId)
}
