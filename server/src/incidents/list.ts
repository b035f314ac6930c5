import { endpointStates } from '../engine/index.ts'
import type { Database, Tx } from '../platform/db/database.ts'
import { findSite } from '../sites/index.ts'
import type { IncidentKindName } from './tables.ts'

const MOST_CLOSED = 20

/** An incident as people see it. */
export type ShownIncident = {
  id: string
  kind: IncidentKindName
  site: { id: string; name: string }
  opened_at: Date
  closed_at: Date | null
  reason: string | null
  failures: number
  missing: number
  not_live: number
}

/** The account's open incidents, then the last that ended; those of removed sites are left out. */
export async function incidentsOf(db: Database, accountId: string): Promise<ShownIncident[]> {
  return db.snapshot(async (tx) => {
    const mine = tx.selectFrom('incidents').selectAll().where('account_id', '=', accountId)
    const open = await mine.where('closed_at', 'is', null).orderBy('opened_at', 'desc').execute()
    const closed = await mine
      .where('closed_at', 'is not', null)
      .orderBy('opened_at', 'desc')
      .limit(MOST_CLOSED)
      .execute()
    const endpoints = await endpointStates(
      tx,
      accountId,
      open.map(({ site_id }) => site_id),
    )
    const shown: ShownIncident[] = []
    for (const incident of [...open, ...closed]) {
      const site = await findSite(tx, accountId, incident.site_id)
      if (site === undefined) continue
      const { id, kind, opened_at, closed_at, reason, failures } = incident
      const { missing = 0, notLive: not_live = 0 } = (closed_at === null && endpoints.get(site.id)) || {}
      const named = { id: site.id, name: site.name }
      shown.push({ id, kind, site: named, opened_at, closed_at, reason, failures, missing, not_live })
    }
    return shown
  })
}

/** Removes all incidents of an account. */
export async function removeIncidents(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('incidents').where('account_id', '=', accountId).execute()
}
