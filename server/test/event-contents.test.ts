/** How the dispatcher comes by the contents of events. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { EventContents } from '../src/engine/contents.ts'
import type { DueDelivery } from '../src/engine/lease.ts'
import type { Database } from '../src/platform/db/database.ts'
import { freshDatabase } from './support/database.ts'

let db: Database
let drop: () => Promise<void>
let contents: EventContents
let statements: number

beforeAll(async () => {
  const opened = await freshDatabase()
  db = opened.db
  drop = opened.drop
  db.observe((text) => {
    if (text.includes('from events')) statements += 1
  })
})
beforeEach(() => {
  contents = new EventContents(db.root)
  statements = 0
})
afterAll(async () => {
  await db.close()
  await drop()
})

/** Deliveries of new events with contents of so many bytes. */
async function waiting(count: number, payloadBytes: number): Promise<DueDelivery[]> {
  const deliveries = Array.from({ length: count }, () => {
    const [id, siteId, postId, eventId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    return { id, siteId, postId, eventId, sequence: 1, attempts: 0, attemptsInRound: 0, payloadBytes }
  })
  await sql`
    insert into events (id, account_id, post_id, sequence, kind, occurred_at, payload, payload_bytes)
    select id, id, id, 1, 'post.published', now(), repeat('x', ${payloadBytes}::int), ${payloadBytes}
    from unnest(${deliveries.map(({ eventId }) => eventId)}::uuid[]) as e (id)
  `.execute(db.root)
  return deliveries
}

const read = ({ eventId }: DueDelivery, next: readonly DueDelivery[] = []) => contents.read(eventId, () => next)

it('reads what a lane needs next with the same statement, and nothing twice', async () => {
  const [first, ...next] = await waiting(9, 100)
  if (first === undefined) throw new Error('no deliveries')
  expect((await read(first, next))?.payload.length).toBe(100)
  for (const one of next) expect((await read(one))?.payload.length).toBe(100)
  expect(statements).toBe(1)
})

it('shares a statement between lanes that ask at the same time', async () => {
  const deliveries = await waiting(3, 100)
  await Promise.all(deliveries.map((one) => read(one, deliveries)))
  expect(statements).toBe(1)
})

it('reads nothing large ahead, whose lane may wait for memory', async () => {
  const [small, large] = [await waiting(1, 100), await waiting(1, 100_000)]
  await Promise.all(small.map((one) => read(one, large)))
  await Promise.all(large.map((one) => read(one)))
  expect(statements).toBe(2)
})

it('knows nothing of an event that has been purged', async () => {
  expect(await contents.read(randomUUID(), () => [])).toBeUndefined()
})

it('tells whoever needs a content that the database does not answer', async () => {
  const opened = await freshDatabase()
  const cut = new EventContents(opened.db.root)
  await opened.cut()
  await expect(cut.read(randomUUID(), () => [])).rejects.toThrow()
  await opened.drop()
})
