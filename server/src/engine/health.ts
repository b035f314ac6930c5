/** How endpoints have been doing since somebody last asked. */
import { sql } from 'kysely'
import type { Tx } from '../platform/db/database.ts'

/** An endpoint that fails now, or whose deliveries have failed: `failures` ended as failed since it was last asked for. */
export type Trouble = { siteId: string; accountId: string; siteName: string; isFailing: boolean; failures: number }

/**
 * Every endpoint in trouble, whose failures count as seen once the transaction commits. The lane keeps what the transaction that recorded an
 * attempt wrote, so a crash between the two loses nothing. Paused and deleted endpoints are not in trouble: their owners know.
 * A lane that another transaction has locked is left for the next time.
 */
export async function takeTroubles(tx: Tx): Promise<Trouble[]> {
  const { rows } = await sql<Trouble>`
    with troubled as (
      select l.site_id, l.unseen_failures from lanes l join endpoints e on e.site_id = l.site_id
      where (l.failing or l.unseen_failures > 0) and e.deleted_at is null and not e.paused
      for update of l skip locked
    ), seen as (
      update lanes l set unseen_failures = 0 from troubled t where t.site_id = l.site_id and t.unseen_failures > 0
    )
    select t.site_id as "siteId", l.account_id as "accountId", e.site_name as "siteName", l.failing as "isFailing",
      t.unseen_failures as failures
    from troubled t join lanes l on l.site_id = t.site_id join endpoints e on e.site_id = t.site_id
  `.execute(tx)
  return rows
}
