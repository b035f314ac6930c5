/** Writes events and their deliveries, inside the transaction that causes them. */
import { sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import { plainArray } from '../platform/db/arrays.ts'
import type { Tx } from '../platform/db/database.ts'
import { prepared } from '../platform/db/statements.ts'
import { deliveryChanges } from './changes.ts'
import { lockLanes } from './lanes.ts'
import type { EventKind } from './tables.ts'

/** Something that happened to a post, and the sites that must be told. */
export type NewEvent = {
  accountId: string
  postId: string
  /** Rises with every event of the post; taken while its row is locked. */
  sequence: number
  kind: EventKind
  /** What the event tells of, and what it follows. */
  version: number
  previousVersion: number | null
  /** When it should have happened, if that was planned. */
  dueAt?: Date | null
  /** What every site is sent: an object that becomes JSON once. */
  payload: object
  siteIds: readonly string[]
}

/**
 * Records events with one pending delivery for each of their living sites, and makes the sites' lanes due. The commit nudges the
 * dispatchers; a lost signal costs a poll interval, never a delivery. Events without a living site are not recorded.
 */
export async function enqueueEvents(
  ctx: Pick<Context, 'changes' | 'clock' | 'ids' | 'signals'>,
  tx: Tx,
  events: readonly NewEvent[],
  now: Date,
): Promise<void> {
  const siteIds = [...new Set(events.flatMap((event) => event.siteIds))]
  if (siteIds.length === 0) return
  await lockLanes(tx, siteIds)
  const rows = events.map((event) => ({ ...event, id: ctx.ids.next(), payload: JSON.stringify(event.payload) }))
  const deliveries = rows.flatMap((event) =>
    event.siteIds.map((siteId) => ({ id: ctx.ids.next(), eventId: event.id, accountId: event.accountId, siteId })),
  )
  const event = (pick: (row: (typeof rows)[number]) => string | number | null) => plainArray(rows.map(pick))
  // One statement for everything, since publishing waits for each round trip. It runs after the lanes are locked, and so sees every
  // deletion and pause of a site before that.
  await prepared(sql`
    with asked as (
      select d.id, d.event_id, d.site_id, e.paused
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
        ${event(({ version }) => version)}::int[],
        ${event(({ dueAt }) => dueAt?.toISOString() ?? null)}::timestamptz[],
        ${rows.map(({ payload }) => payload)}::text[]
      ) as e (id, account_id, post_id, sequence, kind, previous_version, version, due_at, payload)
      where id in (select event_id from asked)
    ), recorded as (
      insert into events (id, account_id, post_id, sequence, kind, previous_version, version, due_at, occurred_at, payload, payload_bytes)
      select id, account_id, post_id, sequence, kind, previous_version, version, due_at, ${now}::timestamptz, payload, octet_length(payload)
      from happened
    ), queued as (
      insert into deliveries (id, account_id, site_id, post_id, event_id, sequence, status, next_attempt_at, created_at)
      select a.id, e.account_id, a.site_id, e.post_id, e.id, e.sequence, 'pending', ${ctx.clock.inDatabase()}, ${now}::timestamptz
      from asked a join happened e on e.id = a.event_id
    ), caught_up as (
      delete from skipped_posts s using asked a join happened e on e.id = a.event_id
      where s.site_id = a.site_id and s.post_id = e.post_id
    )
    update lanes l set due_at = least(l.due_at, ${ctx.clock.inDatabase()})
    where l.site_id in (select site_id from asked where not paused)
  `).execute(tx)
  await ctx.signals.send(tx, 'deliver')
  ctx.changes.note(tx, deliveryChanges(deliveries))
}

/** Records one event without deliveries; returns its id. */
export async function recordEvent(
  ctx: Pick<Context, 'ids'>,
  tx: Tx,
  { at, ...event }: Omit<NewEvent, 'siteIds'> & { at: Date },
): Promise<string> {
  const id = ctx.ids.next()
  const payload = JSON.stringify(event.payload)
  await tx
    .insertInto('events')
    .values({
      id,
      account_id: event.accountId,
      post_id: event.postId,
      sequence: event.sequence,
      kind: event.kind,
      previous_version: event.previousVersion,
      version: event.version,
      occurred_at: at,
      payload,
      payload_bytes: Buffer.byteLength(payload),
    })
    .execute()
  return id
}
