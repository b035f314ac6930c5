import type { Generated, Selectable } from 'kysely'

/** A time in which a site did not accept posts. A site has one open incident at most. */
type IncidentsTable = {
  id: string
  account_id: string
  site_id: string
  opened_at: Date
  /** What went wrong, and what to check: a sentence or two. */
  reason: string | null
  /** Deliveries that ended as failed meanwhile, and how many of them somebody was told of. */
  failures: Generated<number>
  told_failures: Generated<number>
  next_summary_at: Date
  /** The site was in trouble again soon after it had recovered. */
  reopened: Generated<boolean>
  /** Since when the site accepts posts again; null while it does not. */
  accepting_since: Date | null
  closed_at: Date | null
}

export type IncidentRow = Selectable<IncidentsTable>

declare module '../platform/db/tables.ts' {
  interface Tables {
    incidents: IncidentsTable
  }
}

declare module '../platform/changes/kinds.ts' {
  interface ChangeKinds {
    incident: true
  }
}
