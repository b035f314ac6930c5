/** Who is told of changes, and who is not bothered. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Change, Changes, WATCH_MS } from '../src/platform/changes/changes.ts'
import { createSignals } from '../src/platform/signals.ts'
import { manualClock } from './support/clock.ts'
import { freshDatabase } from './support/database.ts'

const OWNER = '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11'
const OTHER = '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a12'
const change = (id: string, owner = OWNER): Change => ({ owner, kind: 'post', id })

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

/** A process's changes, and what it hears. On the embedded database there is one process. */
async function join() {
  const signals = createSignals(database.signalsUrl, clock, log)
  const changes = new Changes({ clock, db: database.db, log, signals })
  const heard: string[] = []
  const watches: string[] = []
  changes.listen({
    changed: (owner, kind, ids) =>
      heard.push(...ids.map((id) => `${owner === OWNER ? 'owner' : 'other'} ${kind} ${id}`)),
    anythingChanged: (owner) =>
      heard.push(owner === undefined ? 'anything' : `${owner === OWNER ? 'owner' : 'other'} anything`),
    watched: (owner) => watches.push(owner),
  })
  await signals.ready
  closers.push(async () => {
    await changes.close()
    await signals.close()
  })
  return { changes, heard, watches }
}

/** Waits until what is heard ends like this, while time passes. */
async function hears(heard: readonly string[], ...last: string[]): Promise<void> {
  while (JSON.stringify(heard.slice(-last.length)) !== JSON.stringify(last)) await pass(100)
}

/** Waits, without letting time pass, until a process knows that these owners are watched. */
async function knows({ watches }: { watches: readonly string[] }, ...owners: string[]): Promise<void> {
  await expect.poll(() => watches, { timeout: 30_000 }).toEqual(expect.arrayContaining(owners))
}

async function pass(ms: number): Promise<void> {
  clock.advance(ms)
  await new Promise((resolve) => setTimeout(resolve, 2))
}

/** Until everybody knows who is watched. */
async function settle(): Promise<void> {
  for (let count = 0; count < 10; count += 1) await pass(10_000)
}

describe('changes', () => {
  it('are told of owners who are watched, for as long as that is said again', async () => {
    const { changes, heard } = await join()
    await settle()
    changes.tell([change('unheard'), change('unheard', OTHER)])
    await settle()
    await changes.watch([OWNER])
    changes.tell([change('a'), change('a', OTHER)])
    await hears(heard, 'owner post a')
    for (let count = 0; count < 6; count += 1) {
      await pass(20_000)
      await changes.watch([OWNER])
    }
    changes.tell([change('b')])
    await hears(heard, 'owner post b')
    await pass(66_000)
    changes.tell([change('c')])
    await settle()
    expect(heard.filter((text) => !text.includes('anything'))).toEqual(['owner post a', 'owner post b'])
  })

  it('of one owner in great number are told as a whole', async () => {
    const { changes, heard } = await join()
    await settle()
    await changes.watch([OWNER, OTHER])
    changes.tell([...Array.from({ length: 501 }, (_, index) => change(String(index))), change('a', OTHER)])
    await hears(heard, 'owner anything', 'other post a')
  })

  it('are told after the commit only', async () => {
    const { changes, heard } = await join()
    await settle()
    await changes.watch([OWNER])
    const { db } = database
    await expect(
      db.tx(async (tx) => {
        changes.note(tx, [change('undone')])
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await db.tx(async (tx) => changes.note(tx, [change('done')]))
    await hears(heard, 'owner post done')
    expect(heard).not.toContain('owner post undone')
  })
})

describe.runIf(inject('database').kind === 'postgres')('between processes', () => {
  it('changes reach whoever watches, once, and also those that were made while the watch was on its way', async () => {
    const [here, there] = [await join(), await join()]
    await settle()
    here.changes.tell([change('early')])
    await pass(3_001)
    here.changes.tell([change('late')])
    await there.changes.watch([OWNER])
    await knows(here, OWNER)
    await hears(there.heard, 'owner post late')
    here.changes.tell([change('after')])
    await hears(there.heard, 'owner post after')
    await settle()
    for (const { heard } of [here, there])
      expect(heard.filter((text) => text !== 'anything')).toEqual(['owner post late', 'owner post after'])
  })

  it('changes of an owner who had no others since are not told later than a watch takes', async () => {
    const [here, there] = [await join(), await join()]
    await settle()
    here.changes.tell([change('early')])
    await pass(3_001)
    await there.changes.watch([OWNER])
    await knows(here, OWNER)
    await pass(100)
    here.changes.tell([change('after')])
    await hears(there.heard, 'owner post after')
    expect(there.heard.filter((text) => text !== 'anything')).toEqual(['owner post after'])
  })

  it('changes of a process that has just begun reach a watch that was not renewed since', async () => {
    const there = await join()
    await settle()
    await there.changes.watch([OWNER])
    await pass(10_000)
    const here = await join()
    // The first renewal fails; as long as the watch lasts, its changes are told.
    for (let count = 1; count <= 4; count += 1) {
      await pass(10_000)
      here.changes.tell([change(`after-${count}0-s`)])
      await hears(there.heard, `owner post after-${count}0-s`)
    }
  })

  it('changes made before the clock was set back are told late too', async () => {
    const [here, there] = [await join(), await join()]
    await settle()
    here.changes.tell([change('late')])
    clock.advance(-1_000)
    await there.changes.watch([OWNER])
    await knows(here, OWNER)
    await hears(there.heard, 'owner post late')
    clock.advance(1_000)
  })

  it('a watch is heard by the process whose clock was set forward as long as by any other', async () => {
    const [here, there] = [await join(), await join()]
    await settle()
    await there.changes.watch([OWNER])
    await knows(here, OWNER)
    await pass(100)
    clock.suspend(WATCH_MS + 1_000)
    here.changes.tell([change('later')])
    await hears(there.heard, 'owner post later')
  })

  it('of many changes made while the watch was on its way it is told whose they are', async () => {
    const [here, there] = [await join(), await join()]
    await settle()
    here.changes.tell(Array.from({ length: 20 }, (_, index) => change(String(index))))
    here.changes.tell([...Array.from({ length: 20 }, (_, index) => change(String(index))), change('few', OTHER)])
    await there.changes.watch([OWNER, OTHER])
    await knows(here, OWNER, OTHER)
    await hears(there.heard, 'owner anything', 'other post few')
    expect(there.heard.filter((text) => text !== 'anything')).toEqual(['owner anything', 'other post few'])
  })

  it('many ids are told in several signals', async () => {
    const [here, there] = [await join(), await join()]
    await settle()
    await there.changes.watch([OWNER])
    await knows(here, OWNER)
    await pass(100)
    const ids = Array.from({ length: 450 }, (_, index) => `${OWNER.slice(0, -4)}${String(index).padStart(4, '0')}`)
    here.changes.tell(ids.map((id) => change(id)))
    await hears(there.heard, ...ids.map((id) => `owner post ${id}`))
  })

  it('nothing is sent while nobody watches', async () => {
    const { changes } = await join()
    await settle()
    const ear = new pg.Client({ connectionString: database.signalsUrl })
    await ear.connect()
    await ear.query('listen postrider')
    const sent: string[] = []
    ear.on('notification', ({ payload = '' }) => sent.push(payload))
    for (let count = 0; count < 100; count += 1) {
      changes.tell([change(String(count)), change(String(count), OTHER)])
      await pass(50)
    }
    await ear.query('select 1')
    await ear.end()
    expect(sent).toEqual([])
  })
})
