/** Single deliveries: the account's log of them, the details of one, and the failures that can be sent again. */
import { type RawBuilder, sql } from 'kysely'
import { createChannels, type SentRequest, shownAddressOf } from '../destinations/index.ts'
import {
  type DeliveryStatus,
  type EventKind,
  type HistoryEntry,
  IS_NOT_LIVE,
  type LiveCheck,
  NEXT_ATTEMPT,
} from '../engine/index.ts'
import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db } from '../platform/db/database.ts'
import { firstIdAt } from '../platform/ids.ts'
import { judged, lastTitle } from './history.ts'

/**
 * The filters of the log. `before`: only deliveries older than the one with this id; `from` and `to`: when they were created.
 * `repeatable`: failures that may be sent again unless they are `overtaken` or their post is deleted. `notLive`: what sites accepted and do not
 * show.
 */
export type LogFilter = {
  status?: DeliveryStatus | undefined
  siteId?: string | undefined
  postId?: string | undefined
  before?: string | undefined
  from?: Date | undefined
  to?: Date | undefined
  repeatable?: boolean | undefined
  notLive?: boolean | undefined
}

/** A delivery as the log shows it. `overtaken`: a newer event of the post was delivered or removes it, so this must not be sent again. */
export type LoggedDelivery = {
  id: string
  postId: string
  siteId: string
  siteName: string
  siteDeleted: boolean
  event: EventKind
  status: DeliveryStatus
  attempts: number
  createdAt: Date
  finishedAt: Date | null
  nextAttemptAt: Date | null
  responseCode: number | null
  responseTimeMs: number | null
  lastError: string | null
  /** Where the site said that it shows the post. */
  liveUrl: string | null
  /** What came of looking there. */
  liveCheck: LiveCheck | null
  overtaken: boolean
  /** For when its publication was planned; null if it was not, and for what was superseded before it was sent. */
  dueAt: Date | null
  /** When the first attempt was made, or the site confirmed before; null before that. */
  firstTriedAt: Date | null
}

/** Of a delivery `d` with its endpoint `e` and its event `v`, judged as `j` if it has failed. */
const COLUMNS = sql`d.id, d.post_id as "postId", d.site_id as "siteId", e.site_name as "siteName",
  e.deleted_at is not null as "siteDeleted", v.kind as event, d.status, d.attempts, d.created_at as "createdAt",
  d.finished_at as "finishedAt", ${NEXT_ATTEMPT} as "nextAttemptAt", d.response_code as "responseCode",
  d.response_time_ms as "responseTimeMs", d.last_error as "lastError", d.live_url as "liveUrl", d.live_check as "liveCheck", d.status = 'failed' and j.overtaken as overtaken, case when d.attempts > 0 or d.last_error is distinct from 'superseded' then v.due_at end as "dueAt",
  case when v.due_at is not null then coalesce(
    (d.history -> 0 ->> 'at')::timestamptz,
    case when d.status <> 'pending' then d.finished_at - coalesce(d.response_time_ms, 0) * interval '1 millisecond' end
  ) end as "firstTriedAt"`

/**
 * The account's deliveries, newest first, at most `limit`. Read site by site, each by its index, and merged: a page costs
 * at most `limit` rows of each site, wherever in the log it lies and whether a site has a dozen deliveries or millions.
 */
export async function deliveryLog(
  db: Db,
  accountId: string,
  { siteId, limit, ...filter }: LogFilter & { limit: number },
): Promise<LoggedDelivery[]> {
  const narrowed = narrowing(filter)
  const { rows } = await sql<LoggedDelivery>`
    with page as materialized (
      select found.id, found.status, found.post_id, found.site_id from endpoints e
      cross join lateral (
        select d.id, d.status, d.post_id, d.site_id from deliveries d
        where d.site_id = e.site_id and ${narrowed} order by d.id desc limit ${limit}
      ) found
      where e.account_id = ${accountId} and (${siteId ?? null}::uuid is null or e.site_id = ${siteId ?? null}::uuid)
      order by found.id desc limit ${limit}
    ),
    judged as materialized (${judged(sql`page where status = 'failed'`)})
    select ${COLUMNS} from page
    join deliveries d on d.id = page.id
    left join judged j on j.id = page.id
    join endpoints e on e.site_id = d.site_id
    join events v on v.id = d.event_id
    order by d.id desc
  `.execute(db)
  return rows
}

function narrowing({
  status,
  postId,
  before,
  from,
  to,
  repeatable = false,
  notLive = false,
}: LogFilter): RawBuilder<boolean> {
  const conditions = [sql<boolean>`true`]
  // A literal, so that the planner sees which partial index holds all of them.
  if (status !== undefined) conditions.push(sql`d.status = ${sql.lit(status)}`)
  if (before !== undefined) conditions.push(sql`d.id < ${before}::uuid`)
  if (postId !== undefined) conditions.push(sql`d.post_id = ${postId}::uuid`)
  // Ids begin with the time at which they were made, so the log's index serves here too.
  if (from !== undefined) conditions.push(sql`d.id >= ${firstIdAt(from)}::uuid`)
  if (to !== undefined) conditions.push(sql`d.id < ${firstIdAt(plusMs(to, 1))}::uuid`)
  if (repeatable)
    conditions.push(sql`d.status = 'failed' and d.last_error is distinct from 'superseded' and e.deleted_at is null`)
  if (notLive) conditions.push(IS_NOT_LIVE)
  return sql`(${sql.join(conditions, sql` and `)})`
}

/** A delivery with its attempts. `request` is what an attempt made now would send; null when the site is deleted. */
export type DeliveryDetails = LoggedDelivery & {
  history: HistoryEntry[]
  metadata: Record<string, unknown> | null
  webhookUrl: string
  request: SentRequest | null
}

type DetailsRow = Omit<DeliveryDetails, 'request' | 'webhookUrl'> & {
  kind: string
  config: unknown
  secretSealed: Buffer | null
  previousVersion: number | null
  occurredAt: Date
  payload: string
}

/** One delivery of the account, if there is one. */
export async function deliveryDetails(
  ctx: Context,
  accountId: string,
  id: string,
): Promise<DeliveryDetails | undefined> {
  const { rows } = await sql<DetailsRow>`
    with judged as materialized (
      ${judged(sql`deliveries where account_id = ${accountId} and id = ${id} and status = 'failed'`)}
    )
    select ${COLUMNS}, d.history, d.metadata, e.kind, e.config, e.secret_sealed as "secretSealed",
      v.previous_version as "previousVersion", v.occurred_at as "occurredAt", v.payload
    from deliveries d
    left join judged j on j.id = d.id
    join endpoints e on e.site_id = d.site_id
    join events v on v.id = d.event_id
    where d.account_id = ${accountId} and d.id = ${id}
  `.execute(ctx.db.root)
  const [row] = rows
  if (row === undefined) return undefined
  const { kind, config, secretSealed, previousVersion, occurredAt, payload, ...rest } = row
  const details = { ...rest, webhookUrl: shownAddressOf({ kind, config }) }
  if (secretSealed === null) return { ...details, request: null }
  const { siteId, siteName } = row
  const content = { kind: row.event, previousVersion, occurredAt, payload: Buffer.from(payload) }
  const event = { deliveryId: row.id, attempt: row.attempts + 1, content }
  const request = createChannels(ctx).preview({ siteId, siteName, kind, config, secretSealed }, event)
  return { ...details, request }
}

/** The titles of posts in their newest event that has one; for posts that are gone. */
export async function lastTitles(db: Db, postIds: readonly string[]): Promise<Map<string, string>> {
  if (postIds.length === 0) return new Map()
  const { rows } = await sql<{ postId: string; title: string | null }>`
    select d.post_id as "postId", ${lastTitle} as title from unnest(${plainArray(postIds)}::uuid[]) as d (post_id)
  `.execute(db)
  return new Map(rows.map(({ postId, title }) => [postId, title ?? '']))
}

/**
 * The failed deliveries of connected sites, newest first, at most `limit`, each with whether a newer event keeps it from being sent
 * again; of these ids, if they are given. Those that ended as superseded are left out.
 */
export async function failuresToRepeat(
  db: Db,
  accountId: string,
  { ids, siteId, before, limit }: Pick<LogFilter, 'siteId' | 'before'> & { ids?: readonly string[]; limit: number },
): Promise<Array<Pick<LoggedDelivery, 'id' | 'postId' | 'event' | 'overtaken'>>> {
  const failure = sql`
    select d.id, d.post_id, d.site_id, d.event_id from deliveries d
    where d.site_id = e.site_id and d.status = 'failed' and d.last_error is distinct from 'superseded'
      and (${before ?? null}::uuid is null or d.id < ${before ?? null}::uuid)`
  const found =
    ids === undefined
      ? sql`${failure} order by d.id desc limit ${limit}`
      : sql`${failure} and d.id = any(${plainArray(ids)}::uuid[])`
  const { rows } = await sql<Pick<LoggedDelivery, 'id' | 'postId' | 'event' | 'overtaken'>>`
    with failures as materialized (
      select found.* from endpoints e cross join lateral (${found}) as found
      where e.account_id = ${accountId} and e.deleted_at is null
        and (${siteId ?? null}::uuid is null or e.site_id = ${siteId ?? null}::uuid)
      order by found.id desc limit ${limit}
    ),
    judged as materialized (${judged(sql`failures`)})
    select f.id, f.post_id as "postId", v.kind as event, j.overtaken
    from failures f join judged j on j.id = f.id join events v on v.id = f.event_id
    order by f.id desc
  `.execute(db)
  return rows
}
