/** Writes events and their deliveries, inside the transaction that causes them. */
import { type RawBuilder, sql } from 'kysely'
import { type Clock, endIn, nextFence } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { plainArray } from '../platform/db/arrays.ts'
import { afterCommit, type Tx } from '../platform/db/database.ts'
import { sendAhead } from '../platform/db/statements.ts'
import { deliveryChanges } from './changes.ts'
import { type FilledLane, handover } from './handover.ts'
import { lockLanes } from './lanes.ts'
import type { DueDelivery, EventContent, LaneLease, Target, Term } from './lease.ts'
import type { EventPost } from './payload.ts'
import type { EventKind } from './tables.ts'

/** Larger contents are read when they are sent: a transaction may make a hundred of them, which would all wait for its commit. */
const MOST_HANDED_OVER_BYTES = 64 * 1024

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
 * Records events with one pending delivery for each of their living sites, and makes the sites' lanes due, or hands them over
 * (handover.ts). The commit signals the dispatchers; a lost signal costs a poll interval, never a delivery.
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
  const rows = events.map(({ post, ...event }) => {
    const payload = JSON.stringify(post)
    return { ...event, id: ctx.ids.next(), payload, payloadBytes: Buffer.byteLength(payload) }
  })
  const deliveries = rows.flatMap((event) =>
    event.siteIds.map((siteId) => {
      const { id: eventId, accountId, postId, sequence, payloadBytes } = event
      return { id: ctx.ids.next(), accountId, siteId, eventId, postId, sequence, payloadBytes }
    }),
  )
  const { taker } = handover(ctx)
  const promised = taker?.promise(siteIds.length, now)
  const leasing = await sendAhead(
    tx,
    insertAll(rows, deliveries, { clock: ctx.clock, now, ms: promised?.term.ms ?? null }),
  )
  if (taker === undefined || promised === undefined) await ctx.signals.send(tx, 'deliver')
  else {
    const contents = contentsOf(
      rows.filter(({ payloadBytes }) => payloadBytes <= MOST_HANDED_OVER_BYTES),
      now,
    )
    afterCommit(async () => {
      const lanes = filledLanes(await leasing.rows, promised.term, deliveries)
      taker.take({ promised, lanes, contents, others: lanes.length < siteIds.length })
    })
  }
  ctx.changes.note(tx, deliveryChanges(deliveries))
}

type EventRow = Omit<NewEvent, 'post'> & { id: string; payload: string; payloadBytes: number }
type NewDelivery = Pick<DueDelivery, 'id' | 'siteId' | 'eventId' | 'postId' | 'sequence' | 'payloadBytes'>
type LeasedAndTarget = Omit<LaneLease, keyof Term> & Target

/**
 * One statement for everything, since publishing waits for each round trip. It runs after the lanes are locked, and so sees
 * every deletion of a site before that. Events without a living site are not recorded. Unless `ms` is null, it leases idle lanes for
 * `ms`, and returns them.
 */
function insertAll(
  events: readonly EventRow[],
  deliveries: readonly NewDelivery[],
  { clock, now, ms }: { clock: Clock; now: Date; ms: number | null },
): RawBuilder<LeasedAndTarget> {
  const end = endIn(clock, ms)
  const event = (pick: (row: EventRow) => string | number | null) => plainArray(events.map(pick))
  return sql`
    with asked as (
      select d.id, d.event_id, d.site_id, e.site_name, e.webhook_url, e.secret_sealed, e.paused
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
    ), before as (
      select distinct on (l.site_id) l.site_id, a.site_name, a.webhook_url, a.secret_sealed,
        ${end} is not null and l.leased_until is null and l.due_at is null
          and not l.suspect and not l.recovering and not a.paused as idle
      from lanes l join asked a on a.site_id = l.site_id
    ), filled as (
      update lanes l
      set due_at = case when b.idle then ${end} else least(l.due_at, ${now}::timestamptz) end,
        leased_until = case when b.idle then ${end} else l.leased_until end,
        read_until = case when b.idle then ${now}::timestamptz else l.read_until end,
        fence = case when b.idle then ${nextFence(clock, sql`l.fence`)} else l.fence end
      from before b where l.site_id = b.site_id
      returning l.site_id, l.account_id, l.fence, b.site_name, b.webhook_url, b.secret_sealed, b.idle
    )
    select site_id as "siteId", account_id as "accountId", fence, false as recovering, false as suspect,
      site_name as "siteName", webhook_url as "webhookUrl", secret_sealed as "secretSealed"
    from filled where idle
  `
}

/** The lanes that were leased, with what was enqueued in them: all of it is due, and was never attempted. */
function filledLanes(leased: readonly LeasedAndTarget[], term: Term, deliveries: readonly NewDelivery[]): FilledLane[] {
  const bySite = Map.groupBy(deliveries, ({ siteId }) => siteId)
  return leased.map(({ siteId, accountId, fence, recovering, suspect, ...target }) => ({
    lease: { siteId, accountId, fence, recovering, suspect, ...term },
    target: { siteId, ...target },
    due: (bySite.get(siteId) ?? []).map(({ id, eventId, postId, sequence, payloadBytes }) => ({
      id,
      siteId,
      eventId,
      postId,
      sequence,
      payloadBytes,
      attempts: 0,
      attemptsInRound: 0,
      uncertain: false,
    })),
  }))
}

function contentsOf(events: readonly EventRow[], occurredAt: Date): Map<string, EventContent> {
  return new Map(
    events.map(({ id, kind, previousVersion, payload }) => [
      id,
      { kind, previousVersion, occurredAt, post: new TextEncoder().encode(payload) },
    ]),
  )
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
