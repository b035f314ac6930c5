/** How the dispatcher comes by the contents of events. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { EventContents } from '../src/deliveries/event-contents.ts'
import type { DueDelivery } from '../src/deliveries/lease.ts'
import type { Database } from '../src/platform/db/database.ts'
import { freshDatabase } from './support/database.ts'

const MIB = 1024 * 1024

let db: Database
let drop: () => Promise<void>
let contents: EventContents
let statements: number

beforeAll(async () => {
  const opened = await freshDatabase()
  db = opened.db
  drop = opened.drop
  db.observe((text) => {
    if (text.includes('"events"')) statements += 1
  })
})
beforeEach(() => {
  contents = new EventContents(db.root, MIB)
  statements = 0
})
afterAll(async () => {
  await db.close()
  await drop()
})

/** A delivery whose event was purged. */
function purged(payloadBytes: number): DueDelivery {
  const [id, siteId, postId, eventId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  return { id, siteId, postId, eventId, sequence: 1, attempts: 0, attemptsInRound: 0, uncertain: false, payloadBytes }
}

/** Deliveries of new events with contents of so many bytes. */
async function waiting(count: number, bytes: number): Promise<DueDelivery[]> {
  const deliveries = Array.from({ length: count }, () => purged(bytes))
  await sql`
    insert into events (id, account_id, post_id, sequence, kind, occurred_at, payload, payload_bytes)
    select id, id, id, 1, 'post.published', now(), repeat('x', ${bytes}::int), ${bytes}
    from unnest(${deliveries.map(({ eventId }) => eventId)}::uuid[]) as e (id)
  `.execute(db.root)
  return deliveries
}

const kept = (deliveries: readonly DueDelivery[]) =>
  deliveries.map(({ eventId }) => contents.known(eventId) !== undefined)

it('reads what a lane needs next in one statement, before it is asked for', async () => {
  const deliveries = await waiting(9, 100)
  contents.readAhead(deliveries)
  await expect.poll(() => kept(deliveries)).toEqual([...Array(8).fill(true), false])
  contents.readAhead(deliveries)
  expect(statements).toBe(1)
})

it('shares a statement between what is read ahead and what is asked for', async () => {
  const deliveries = await waiting(3, 100)
  contents.readAhead(deliveries)
  expect((await contents.read(deliveries[1]?.eventId ?? ''))?.post.length).toBe(100)
  expect(statements).toBe(1)
})

it('has an attempt wait for the statement that is reading its content already', async () => {
  const deliveries = await waiting(3, 100)
  contents.readAhead(deliveries)
  await new Promise(setImmediate) // now the statement has begun
  const first = deliveries[0]?.eventId ?? ''
  expect(contents.known(first)).toBeUndefined()
  expect((await contents.read(first))?.post.length).toBe(100)
  expect(statements).toBe(1)
})

it('reads so few small ones ahead that they are still kept when they are needed', async () => {
  const lanes = await Promise.all(Array.from({ length: 600 }, () => waiting(8, 10)))
  for (const lane of lanes) contents.readAhead(lane)
  await expect.poll(() => lanes.filter((lane) => kept(lane.slice(0, 1))[0]).length).toBe(256)
  expect(lanes.slice(0, 256).every((lane) => kept(lane).every(Boolean))).toBe(true)
})

it('reads no more ahead than is still kept when it is needed', async () => {
  const deliveries = await waiting(4, MIB)
  contents.readAhead(deliveries)
  await expect.poll(() => kept(deliveries)).toEqual([true, true, false, false]) // and now they have been asked for
  contents.readAhead(deliveries.slice(2))
  await expect.poll(() => kept(deliveries)).toEqual([true, true, true, true])
})

it('reads nothing large ahead, whose lane may wait for long', async () => {
  const large = await waiting(2, MIB + 1)
  const small = await waiting(1, 100)
  contents.readAhead([...small, ...large])
  contents.readAhead(large)
  await expect.poll(() => kept(small)).toEqual([true])
  expect(kept(large)).toEqual([false, false])
  expect(statements).toBe(1)
})

it('goes on reading ahead after contents that have been purged', async () => {
  for (let round = 0; round < 2; round += 1) {
    contents.readAhead([purged(MIB), purged(MIB)])
    await expect.poll(() => statements).toBe(round + 1)
  }
  const deliveries = await waiting(1, MIB)
  await expect
    .poll(() => {
      contents.readAhead(deliveries)
      return kept(deliveries)
    })
    .toEqual([true])
})

it('leaves an error to the attempt that needs the content', async () => {
  const deliveries = await waiting(1, 100)
  const opened = await freshDatabase()
  const cut = new EventContents(opened.db.root, MIB)
  await opened.cut()
  cut.readAhead(deliveries)
  await expect(cut.read(deliveries[0]?.eventId ?? '')).rejects.toThrow()
  await opened.drop()
})
