import { sql } from 'kysely'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/database.ts'

/** How delivery is doing. `overdueMs` is how long the longest waiting lane that is not suspect has been due; 0 when none is. */
type Backlog = { overdueMs: number; sites: number; failing: number; hosts: string[] }

/** The state of all living endpoints; `hosts` has at most `mostHosts` of the names that webhooks go to. */
export async function backlogOf(db: Db, clock: Clock, mostHosts: number): Promise<Backlog> {
  const now = clock.inDatabase()
  const { rows } = await sql<{ overdueMs: number | null; sites: number; failing: number }>`
    select count(*) as sites, count(*) filter (where l.failing and not e.paused) as failing,
      (extract(epoch from ${now} - min(l.due_at) filter (
        where not e.paused and not l.suspect and (l.leased_until is null or l.leased_until <= ${now})
      )) * 1000)::float8 as "overdueMs"
    from endpoints e join lanes l on l.site_id = e.site_id where e.deleted_at is null
  `.execute(db)
  const { rows: newest } = await sql<{ url: string }>`
    select config ->> 'url' as url from endpoints where deleted_at is null and config ->> 'url' is not null order by created_at desc limit ${mostHosts}
  `.execute(db)
  return {
    overdueMs: Math.max(0, rows[0]?.overdueMs ?? 0),
    sites: rows[0]?.sites ?? 0,
    failing: rows[0]?.failing ?? 0,
    hosts: [...new Set(newest.map(({ url }) => new URL(url).hostname))],
  }
}
