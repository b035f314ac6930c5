import { sql } from 'kysely'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/database.ts'

/** How delivery is doing. `overdueMs` is how long the longest waiting lane that is not suspect has been due; 0 when none is. */
type Backlog = { overdueMs: number; sites: number; failing: number; hosts: string[] }

/** The state of all living endpoints; `hosts` has at most `mostHosts` of the names that webhooks go to. */
export async function backlogOf(db: Db, clock: Clock, mostHosts: number): Promise<Backlog> {
  const now = clock.now()
  const { rows } = await sql<{ due: Date | null; sites: number; failing: number }>`
    select count(*) as sites, count(*) filter (where l.failing and not e.paused) as failing,
      min(l.due_at) filter (where not e.paused and not l.suspect and (l.leased_until is null or l.leased_until <= ${clock.inDatabase()})) as due
    from endpoints e join lanes l on l.site_id = e.site_id where e.deleted_at is null
  `.execute(db)
  const { rows: newest } = await sql<{ webhook_url: string }>`
    select webhook_url from endpoints where deleted_at is null order by created_at desc limit ${mostHosts}
  `.execute(db)
  const due = rows[0]?.due ?? undefined
  return {
    overdueMs: due === undefined ? 0 : Math.max(0, now.getTime() - due.getTime()),
    sites: rows[0]?.sites ?? 0,
    failing: rows[0]?.failing ?? 0,
    hosts: [...new Set(newest.map(({ webhook_url }) => new URL(webhook_url).hostname))],
  }
}
