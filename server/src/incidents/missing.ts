import { failuresToRepeat, MOST_REQUEUED } from '../deliveries/index.ts'
import type { Db } from '../platform/db/database.ts'
import type { IncidentRow } from './tables.ts'

/** How many posts a site lacks: failed deliveries that can be sent again, counted up to the most that one click sends. */
export async function countMissing(
  db: Db,
  { account_id, site_id }: Pick<IncidentRow, 'account_id' | 'site_id'>,
): Promise<number> {
  const failures = await failuresToRepeat(db, account_id, { siteId: site_id, before: undefined, limit: MOST_REQUEUED })
  return failures.filter(({ overtaken }) => !overtaken).length
}
