import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import type { DeliveryStatus } from './tables.ts'

/** The newest delivery of a post for each site that was sent it. */
export type LatestDelivery = { siteId: string; status: DeliveryStatus; deliveredAt: Date | null }

/** The newest delivery of the post per site, in the order of site ids. */
export async function latestDeliveries(db: Db, accountId: string, postId: string): Promise<LatestDelivery[]> {
  const { rows } = await sql<LatestDelivery>`
    select distinct on (site_id) site_id as "siteId", status,
      case when status in ('delivered', 'delivered_retry') then finished_at end as "deliveredAt"
    from deliveries where post_id = ${postId} and account_id = ${accountId}
    order by site_id, sequence desc
  `.execute(db)
  return rows
}
