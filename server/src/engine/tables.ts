import type { ColumnType, Generated } from 'kysely'

/** The kinds of events (specification, section 6); `site.test` is sent on request and leaves no event. */
export const EVENT_KINDS = ['post.published', 'post.updated', 'post.deleted'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** Specification, section 2: delivery status values. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'delivered_retry', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/**
 * One attempt in a delivery's history. `code` is null when no answer came. `response` is the beginning of what the site said
 * about a failure. Entries of earlier versions lack the last two.
 */
export type HistoryEntry = {
  attempt: number
  at: string
  code: number | null
  error: string | null
  took_ms?: number
  response?: string
}

/**
 * What came of looking at the page of a delivered post. `state` is null if it could not be looked at; then `problem` says why, in a sentence,
 * as it does for what is wrong or gone. `at`: when.
 */
export type LiveCheck = {
  state: 'verified' | 'wrong' | 'gone' | null
  url: string | null
  at: string
  problem: string | null
}

/** Where and how to reach a site. Outlives the site, so that history keeps its name. */
type EndpointsTable = {
  site_id: string
  account_id: string
  site_name: string
  /** The kind of destination, whose channel reads `config`: where events go. */
  kind: string
  config: ColumnType<unknown, string, string>
  /** The endpoint's secret, sealed; null once the site is deleted. */
  secret_sealed: Buffer | null
  paused: Generated<boolean>
  /** Null where each delivery gets attempts of its own (`debounce.ts`). */
  debounce_seconds: number | null
  /** What failed is sent again by itself once the site accepts requests (`deliveries/recovery.ts`). */
  recovers: Generated<boolean>
  /** The pages of delivered posts are looked at (`deliveries/receipts.ts`). */
  verifies: Generated<boolean>
  deleted_at: Date | null
  created_at: Date
}

/** One per endpoint: when it is due, who holds it, and how it has been doing. See README.md. */
type LanesTable = {
  site_id: string
  account_id: string
  due_at: Date | null
  leased_until: Date | null
  /** The worker that holds it (`workers.id`). */
  leased_by: string | null
  fence: Generated<number>
  /** When the last attempt of a debounced endpoint ended. */
  attempted_at: Date | null
  /** When it was last found abandoned: attempts before that may have no record. */
  unrecorded_at: Date | null
  suspect: Generated<boolean>
  failing: Generated<boolean>
  failures_in_a_row: Generated<number>
  /** Deliveries that ended as failed since `takeTroubles` was last called (`health.ts`). */
  unseen_failures: Generated<number>
  delivered: Generated<number>
  failed: Generated<number>
  last_delivered_at: Date | null
}

/** The workers of a PostgreSQL database that live, each of which renews its row every second (`workers.ts`). */
type WorkersTable = {
  id: string
  /** Since when it has renewed its row without a gap. */
  since: Date
  seen_at: Date
}

type EventsTable = {
  id: string
  account_id: string
  post_id: string
  /** Orders the events of one post. */
  sequence: number
  kind: EventKind
  previous_version: number | null
  /** Of the post; 0 for events of a preview, which did not keep it. */
  version: Generated<number>
  occurred_at: Date
  /** When it should have happened, if that was planned. */
  due_at: Generated<Date | null>
  /** The post as JSON text at the moment of the event; written once, sent to every site. */
  payload: string
  payload_bytes: number
}

type DeliveriesTable = {
  id: string
  account_id: string
  site_id: string
  post_id: string
  event_id: string
  sequence: number
  status: DeliveryStatus
  attempts: Generated<number>
  /** Attempts since the last manual retry, or since creation. */
  attempts_in_round: Generated<number>
  next_attempt_at: Date | null
  created_at: Date
  finished_at: Date | null
  response_code: number | null
  response_time_ms: number | null
  last_error: string | null
  history: Generated<HistoryEntry[]>
  /** Where the site said that it shows the post; an http or https address. */
  live_url: Generated<string | null>
  /** What came of looking at that page; null until something did. */
  live_check: ColumnType<LiveCheck | null, string | null | undefined, string | null>
  /** Free-form, from the site's confirmation. */
  metadata: ColumnType<object | null, string | null | undefined, string | null>
}

/** Posts that were published while the site was paused, and that it was not sent since. */
type SkippedPostsTable = { account_id: string; site_id: string; post_id: string }

type Outcomes = {
  account_id: string
  site_id: string
  delivered: number
  failed: number
  retried: number
  delivered_ms: Generated<number>
  /** Those of the delivered that a site confirmed itself; they have no response time. */
  confirmed: Generated<number>
}

type DeliveryHoursTable = Outcomes & { hour: Date }

/** The same by day (UTC), always written together with the hours. */
type DeliveryDaysTable = Outcomes & { day: Date }

declare module '../platform/changes/kinds.ts' {
  interface ChangeKinds {
    delivery: true
    /** Announced here too: an endpoint's health is the site's. */
    site: true
  }
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    endpoints: EndpointsTable
    lanes: LanesTable
    workers: WorkersTable
    events: EventsTable
    deliveries: DeliveriesTable
    skipped_posts: SkippedPostsTable
    delivery_hours: DeliveryHoursTable
    delivery_days: DeliveryDaysTable
  }
}
