/** Who is notified of changes, when, and of how many. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Change, Changes } from '../src/platform/changes/changes.ts'
import { createSignals } from '../src/platform/signals.ts'
import { manualClock } from './support/clock.ts'
import { freshDatabase } from './support/database.ts'

const OWNER = '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11'
const OTHER = '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a12'
const change = (id: string, owner = OWNER): Change => ({ owner, kind: 'post', id })
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => change(`${OWNER.slice(0, -5)}${String(index).padStart(5, '0')}`))

let database: Awaited<ReturnType<typeof freshDatabase>>
const closers: Array<() => Promise<void>> = []

beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(async () => {
  for (const close of closers) await close()
  await database.db.close()
  await database.drop()
})

const clock = manualClock(new Date('2026-11-02T08:00:00.000Z'))
const log = { debug() {}, info() {}, warn() {}, error() {} }

/** A process's changes, and what it receives. On the embedded database there is one process. */
async function join() {
  const signals = createSignals(database.signalsUrl, clock, log)
  const changes = new Changes({ clock, db: database.db, log, signals })
  const received: string[] = []
  changes.listen((owner, changed) => {
    const name = owner === undefined ? 'everybody' : owner === OWNER ? 'owner' : 'other'
    if (changed === 'anything') received.push(`${name} anything`)
    else for (const [kind, ids] of changed) for (const id of ids) received.push(`${name} ${kind} ${id}`)
  })
  await signals.ready
  closers.push(async () => {
    await changes.close()
    await signals.close()
  })
  // A process that begins says so to everybody.
  await receives(received, 'everybody anything')
  const own = () => received.filter((text) => !text.startsWith('everybody'))
  return { changes, received, own }
}

/** Waits until what is received ends like this, while time passes. */
async function receives(received: readonly string[], ...last: string[]): Promise<void> {
  while (JSON.stringify(received.slice(-last.length)) !== JSON.stringify(last)) await pass(100)
}

async function pass(ms: number): Promise<void> {
  clock.advance(ms)
  await new Promise((resolve) => setTimeout(resolve, 2))
}

describe('changes', () => {
  it('within half a second are received together, each once', async () => {
    const { changes, received, own } = await join()
    await pass(500)
    changes.announce([change('a')])
    await receives(received, 'owner post a')
    for (let count = 0; count < 3; count += 1) changes.announce([change('b'), change('c', OTHER)])
    await receives(received, 'owner post b', 'other post c')
    expect(own()).toEqual(['owner post a', 'owner post b', 'other post c'])
  })

  it('of one owner in great number are received as "anything", those of others are not', async () => {
    const { changes, own, received } = await join()
    await pass(500)
    changes.announce([...many(10_000), change('a', OTHER)])
    await receives(received, 'owner anything', 'other post a')
    expect(own()).toHaveLength(2)
  })

  it('are received after the commit only', async () => {
    const { changes, received } = await join()
    const { db } = database
    await expect(
      db.tx(async (tx) => {
        changes.note(tx, [change('undone')])
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await db.tx(async (tx) => changes.note(tx, [change('done')]))
    await receives(received, 'owner post done')
    expect(received).not.toContain('owner post undone')
  })
})

describe.runIf(inject('database').kind === 'postgres')('between processes', () => {
  it('changes are received once, and by all', async () => {
    const [here, there] = [await join(), await join()]
    here.changes.announce([change('a')])
    for (const { received } of [here, there]) await receives(received, 'owner post a')
    await pass(1_000)
    for (const { own } of [here, there]) expect(own()).toEqual(['owner post a'])
  })

  it('as many ids as are sent of an owner fit into a signal', async () => {
    const [here, there] = [await join(), await join()]
    await pass(500)
    const changes = many(200)
    here.changes.announce(changes)
    await receives(there.received, ...changes.map(({ id }) => `owner post ${id}`))
  })

  it('a burst of 10,000 is one short signal', async () => {
    const { changes, received } = await join()
    await pass(500)
    const ear = new pg.Client({ connectionString: database.signalsUrl })
    await ear.connect()
    await ear.query('listen postrider')
    const sent: string[] = []
    ear.on('notification', ({ payload = '' }) => sent.push(payload))
    for (const one of many(10_000)) changes.announce([one])
    await receives(received, 'owner anything')
    await ear.query('select 1')
    await ear.end()
    expect(sent.map((payload) => payload.split(' ').slice(1))).toEqual([['changed', OWNER]])
  })
})
