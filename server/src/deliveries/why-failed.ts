import { sql } from 'kysely'
import { BUILD_HOOK } from '../destinations/index.ts'
import type { Db } from '../platform/db/database.ts'
import { troubleshoot, troubleshootHook } from './troubleshooting.ts'

/** What the last attempt to reach a site that failed says, in words for the site's owner; null if none is on record. */
export async function whyLastFailed(db: Db, siteId: string): Promise<string | null> {
  const { rows } = await sql<{ kind: string; code: number | null; error: string }>`
    select e.kind, d.response_code as code, d.last_error as error
    from endpoints e cross join lateral (
      select response_code, last_error, status from deliveries where site_id = e.site_id order by id desc limit 200
    ) d
    where e.site_id = ${siteId} and d.last_error is not null and d.last_error <> all('{superseded,site_deleted}')
      and d.status in ('pending', 'failed') limit 1
  `.execute(db)
  const last = rows[0]
  if (last === undefined) return null
  return last.kind === BUILD_HOOK ? troubleshootHook(last) : troubleshoot(last)
}
