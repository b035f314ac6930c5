/** Writes events and their deliveries, inside the transaction that causes them. */
import { sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import { lockLanes } from './lanes.ts'
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
  post: object
  siteIds: readonly string[]
}

/**
 * Records events with one pending delivery for each of their living sites, and makes the sites' lanes due. The engine
 * hears of it with the commit; a signal that is lost costs a poll interval, never a delivery.
 */
export async function enqueueEvents(
  ctx: Pick<Context, 'ids' | 'signals'>,
  tx: Tx,
  events: readonly NewEvent[],
  now: Date,
): Promise<void> {
  const asked = [...new Set(events.flatMap((event) => event.siteIds))]
  if (asked.length === 0) return
  await lockLanes(tx, asked)
  const living = new Set(await livingSites(tx, asked))
  const wanted = events
    .map((event) => ({ ...event, id: ctx.ids.next(), siteIds: event.siteIds.filter((id) => living.has(id)) }))
    .filter((event) => event.siteIds.length > 0)
  if (wanted.length === 0) return
  const siteIds = [...living]
  await insertEvents(tx, wanted, now)
  const deliveries = wanted.flatMap((event) =>
    event.siteIds.map((siteId) => ({ id: ctx.ids.next(), eventId: event.id, siteId })),
  )
  await sql`
    insert into deliveries (id, account_id, site_id, post_id, event_id, sequence, status, next_attempt_at, created_at)
    select d.id, e.account_id, d.site_id, e.post_id, e.id, e.sequence, 'pending', ${now}::timestamptz, ${now}::timestamptz
    from unnest(
      ${deliveries.map((delivery) => delivery.id)}::uuid[],
      ${deliveries.map((delivery) => delivery.eventId)}::uuid[],
      ${deliveries.map((delivery) => delivery.siteId)}::uuid[]
    ) as d (id, event_id, site_id)
    join events e on e.id = d.event_id
  `.execute(tx)
  await sql`update lanes set due_at = least(due_at, ${now}::timestamptz) where site_id = any(${siteIds}::uuid[])`.execute(
    tx,
  )
  await ctx.signals.send(tx, 'deliver')
}

async function livingSites(tx: Tx, siteIds: readonly string[]): Promise<string[]> {
  const rows = await tx
    .selectFrom('endpoints')
    .select('site_id')
    .where('site_id', 'in', siteIds)
    .where('deleted_at', 'is', null)
    .execute()
  return rows.map((row) => row.site_id)
}

/** Records one event without deliveries; returns its id. */
export async function recordEvent(
  ctx: Pick<Context, 'ids'>,
  tx: Tx,
  { at, ...event }: Omit<NewEvent, 'siteIds'> & { at: Date },
): Promise<string> {
  const id = ctx.ids.next()
  await insertEvents(tx, [{ ...event, id }], at)
  return id
}

async function insertEvents(
  tx: Tx,
  events: ReadonlyArray<Omit<NewEvent, 'siteIds'> & { id: string }>,
  at: Date,
): Promise<void> {
  const rows = events.map((event) => {
    const payload = JSON.stringify(event.post)
    return {
      id: event.id,
      account_id: event.accountId,
      post_id: event.postId,
      sequence: event.sequence,
      kind: event.kind,
      previous_version: event.previousVersion,
      occurred_at: at,
      payload,
      payload_bytes: Buffer.byteLength(payload),
    }
  })
  await tx.insertInto('events').values(rows).execute()
}
