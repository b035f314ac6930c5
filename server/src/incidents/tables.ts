import type { Generated, Selectable } from 'kysely'

/** What an incident is about: the site does not accept posts, or accepts and does not show them. */
export const INCIDENT_KIND_NAMES = ['failing', 'not_live'] as const
export type IncidentKindName = (typeof INCIDENT_KIND_NAMES)[number]

/** A time in which something was wrong with a site. A site has one open incident of a kind at most. */
type IncidentsTable = {
  id: string
  account_id: string
  site_id: string
  kind: IncidentKindName
  opened_at: Date
  /** What went wrong, and what to check: a sentence or two. */
  reason: string | null
  /** Deliveries that ended as failed meanwhile, and how many of them somebody was told of. */
  failures: Generated<number>
  told_failures: Generated<number>
  next_summary_at: Date
  /** The site was in trouble again soon after it had recovered. */
  reopened: Generated<boolean>
  /** Since when the site is fine again; null while it is not. */
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
