/** Writes events and their deliveries, inside the transaction that causes them. */
import { sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import { plainArray } from '../platform/db/arrays.ts'
import type { Tx } from '../platform/db/database.ts'
import { prepared } from '../platform/db/prepared.ts'
import { deliveryChanges } from './changes.ts'
import { lockLanes } from './lanes.ts'
import type { EventPost } from './payload.ts'
import type { EventKind } from './tables.ts'

/** Something that happened to a post, and the sites that must hear of it. */
export type NewEvent = {
  accountId: string
  postId: string
  /** Rises with every event of the post; taken while its row is locked. */
  sequence: number
  kind: EventKind
  previousVersion: number | null
  /** The post as the webhook shows it. */
  post: EventPost
  siteIds: readonly string[]
}

/**
 * Records events with one pending delivery for each of their living sites, and makes the sites' lanes due. The engine
 * hears of it with the commit; a signal that is lost costs a poll interval, never a delivery.
 */
export async function enqueueEvents(
  ctx: Pick<Context, 'changes' | 'ids' | 'signals'>,
  tx: Tx,
  events: readonly NewEvent[],
  now: Date,
): Promise<void> {
  const siteIds = [...new Set(events.flatMap((event) => event.siteIds))]
  if (siteIds.length === 0) return
  await lockLanes(tx, siteIds)
  const rows = events.map((event) => ({ ...event, id: ctx.ids.next(), payload: JSON.stringify(event.post) }))
  const deliveries = rows.flatMap((event) =>
    event.siteIds.map((siteId) => ({ id: ctx.ids.next(), accountId: event.accountId, eventId: event.id, siteId })),
  )
  await insertAll(tx, rows, deliveries, now)
  await ctx.signals.send(tx, 'deliver')
  ctx.changes.note(tx, deliveryChanges(deliveries))
}

type EventRow = NewEvent & { id: string; payload: string }

/**
 * One statement for everything: publishing waits for each of its round trips. It comes after the lanes are locked, and so
 * sees every site that was deleted before. Events that nobody is left to hear are not recorded.
 */
async function insertAll(
  tx: Tx,
  events: readonly EventRow[],
  deliveries: ReadonlyArray<{ id: string; eventId: string; siteId: string }>,
  now: Date,
): Promise<void> {
  const event = (pick: (row: EventRow) => string | number | null) => plainArray(events.map(pick))
  await prepared(sql`
    with asked as (
      select d.id, d.event_id, d.site_id
      from unnest(
        ${plainArray(deliveries.map(({ id }) => id))}::uuid[],
        ${plainArray(deliveries.map(({ eventId }) => eventId))}::uuid[],
        ${plainArray(deliveries.map(({ siteId }) => siteId))}::uuid[]
      ) as d (id, event_id, site_id)
      join endpoints e on e.site_id = d.site_id and e.deleted_at is null
    ), happened as (
      select * from unnest(
        ${event(({ id }) => id)}::uuid[],
        ${event(({ accountId }) => accountId)}::uuid[],
        ${event(({ postId }) => postId)}::uuid[],
        ${event(({ sequence }) => sequence)}::int[],
        ${event(({ kind }) => kind)}::text[],
        ${event(({ previousVersion }) => previousVersion)}::int[],
        ${events.map(({ payload }) => payload)}::text[]
      ) as e (id, account_id, post_id, sequence, kind, previous_version, payload)
      where id in (select event_id from asked)
    ), recorded as (
      insert into events (id, account_id, post_id, sequence, kind, previous_version, occurred_at, payload, payload_bytes)
      select id, account_id, post_id, sequence, kind, previous_version, ${now}::timestamptz, payload, octet_length(payload)
      from happened
    ), queued as (
      insert into deliveries (id, account_id, site_id, post_id, event_id, sequence, status, next_attempt_at, created_at)
      select a.id, e.account_id, a.site_id, e.post_id, e.id, e.sequence, 'pending', ${now}::timestamptz, ${now}::timestamptz
      from asked a join happened e on e.id = a.event_id
    )
    update lanes set due_at = least(due_at, ${now}::timestamptz) where site_id in (select site_id from asked)
  `).execute(tx)
}

/** Records one event without deliveries; returns its id. */
export async function recordEvent(
  ctx: Pick<Context, 'ids'>,
  tx: Tx,
  { at, ...event }: Omit<NewEvent, 'siteIds'> & { at: Date },
): Promise<string> {
  const id = ctx.ids.next()
  const payload = JSON.stringify(event.post)
  await tx
    .insertInto('events')
    .values({
      id,
      account_id: event.accountId,
      post_id: event.postId,
      sequence: event.sequence,
      kind: event.kind,
      previous_version: event.previousVersion,
      occurred_at: at,
      payload,
      payload_bytes: Buffer.byteLength(payload),
    })
    .execute()
  return id
}
