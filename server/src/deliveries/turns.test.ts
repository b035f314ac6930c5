import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { manualClock } from '../../test/support/clock.ts'
import { lane } from '../../test/support/lane.ts'
import { randomFrom } from '../../test/support/random.ts'
import type { Flight, LaneRun } from './lane-run.ts'
import type { DueDelivery } from './lease.ts'
import { type TurnLimits, Turns } from './turns.ts'

const LARGE = 100

/** Stands for a caller's transaction or trace. */
const caller = new AsyncLocalStorage<string>()

/** Turns whose attempts are sent at once and then wait; `land` ends the one of a delivery, as answered. */
function startTurns(limits: Partial<TurnLimits> = {}) {
  const started: string[] = []
  const done: string[] = []
  /** Deliveries whose contents take long to read. */
  const reading = new Set<string>()
  const flying = new Map<string, { run: LaneRun; flight: Flight }>()
  const clock = manualClock(new Date(0))
  const turns = new Turns(
    clock,
    {
      slots: 4,
      slotsWhenBusy: 2,
      inFlight: 100,
      slotsPerSite: 2,
      perTurn: 1,
      large: { above: LARGE, waiting: 4, prompt: 2 * LARGE, suspect: 2 * LARGE },
      ...limits,
    },
    {
      mayStart: (run) => !run.halted,
      attempt(run, delivery, flight) {
        started.push(delivery.id + (caller.getStore() ?? ''))
        if (!reading.has(delivery.id)) turns.sent(flight)
        flying.set(delivery.id, { run, flight })
      },
      done: (run) => done.push(run.lease.siteId + (caller.getStore() ?? '')),
    },
  )
  const land = (id: string, answerMs = 1_000) => {
    const { run, flight } = flying.get(id) ?? expect.fail(`${id} is not in flight`)
    run.answerMs = answerMs
    turns.land(run, flight)
  }
  /** Lets time pass, and what slept until then go on. */
  const pass = async (ms: number) => {
    clock.advance(ms)
    await nextTurn()
  }
  return { turns, started, done, reading, land, pass, clock }
}

describe('turns', () => {
  it('begin with one attempt per lane, and go round once the sites have answered', () => {
    const { turns, started, land } = startTurns()
    for (const name of ['a', 'b']) turns.join(lane(name, 5))
    expect(started).toEqual(['a1', 'b1'])
    land('a1')
    expect(started).toEqual(['a1', 'b1', 'a2', 'a3'])
    land('b1')
    expect(started).toEqual(['a1', 'b1', 'a2', 'a3', 'b2', 'b3'])
  })

  it('are one attempt each, however much a lane holds', () => {
    const { turns, started, land } = startTurns({ slots: 1, slotsPerSite: 8 })
    for (const name of ['a', 'b', 'c']) turns.join(lane(name, 3))
    for (const id of ['a1', 'b1', 'c1', 'a2', 'b2']) land(id)
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2'])
  })

  it('are several attempts on the one connection, while they are answered promptly', async () => {
    const { turns, started, land, pass } = startTurns({ slots: 1, perTurn: 3 })
    for (const name of ['a', 'b']) turns.join(lane(name, 9))
    for (const id of ['a1', 'a2', 'a3']) land(id)
    expect(started).toEqual(['a1', 'a2', 'a3', 'b1'])
    await pass(150)
    land('b1')
    await pass(50)
    land('b2')
    expect(started.slice(4)).toEqual(['b2', 'a4'])
  })

  it('take no second connection for what one sends in time', () => {
    const { turns, started, land } = startTurns({ slotsPerSite: 8 })
    turns.join(lane('a', 7))
    land('a1', 30)
    expect(started).toEqual(['a1', 'a2'])
    land('a2', 60)
    expect(started).toEqual(['a1', 'a2', 'a3', 'a4'])
  })

  it('widen a lane while its turn lasts', () => {
    const { turns, started, land } = startTurns({ perTurn: 9, slotsPerSite: 3 })
    turns.join(lane('a', 9))
    land('a1', 100)
    expect(started).toEqual(['a1', 'a2', 'a3', 'a4'])
  })

  it('end with a slot that was given to others', async () => {
    const { turns, started, land, pass } = startTurns({ slots: 1, perTurn: 3 })
    for (const name of ['a', 'b', 'c']) turns.join(lane(name, 9))
    await pass(200)
    land('a1')
    expect(started).toEqual(['a1', 'b1'])
    land('b1')
    expect(started).toEqual(['a1', 'b1', 'b2'])
  })

  it('go to others a fifth of a second later if a site does not answer, and the slots come back once', async () => {
    const { turns, started, land, pass } = startTurns({ slots: 1 })
    for (const name of ['a', 'b', 'c']) turns.join(lane(name, 1))
    await pass(199)
    expect(started).toEqual(['a1'])
    await pass(1)
    expect(started).toEqual(['a1', 'b1'])
    land('a1')
    expect(started).toEqual(['a1', 'b1'])
    land('b1')
    expect(started).toEqual(['a1', 'b1', 'c1'])
    land('c1')
    expect(turns.free()).toBe(1)
  })

  it('become fewer while the process has no time to spare, and more again', async () => {
    const { turns, started, land, pass, clock } = startTurns()
    clock.busy = true
    await pass(100)
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) turns.join(lane(name, 1))
    expect(started).toEqual(['a1', 'b1'])
    land('a1')
    expect(started).toEqual(['a1', 'b1', 'c1'])
    clock.busy = false
    await pass(10)
    expect(started).toHaveLength(3)
    for (let passed = 10; passed < 100; passed += 10) await pass(10)
    expect(started).toEqual(['a1', 'b1', 'c1', 'd1', 'e1'])
    clock.busy = true
    await pass(10)
    land('b1')
    expect(started).toHaveLength(5)
    clock.busy = false
    await pass(100)
    expect(started).toEqual(['a1', 'b1', 'c1', 'd1', 'e1', 'f1'])
  })

  it('are given away by sites that do not answer, busy or not', async () => {
    const { turns, started, pass, clock } = startTurns()
    clock.busy = true
    await pass(100)
    for (const name of ['a', 'b', 'c', 'd', 'e']) turns.join(lane(name, 1))
    for (let passed = 0; passed < 200; passed += 10) {
      expect(started).toEqual(['a1', 'b1'])
      await pass(10)
    }
    expect(started).toEqual(['a1', 'b1', 'c1', 'd1'])
  })

  it('wait for a second where many are in flight', async () => {
    const { turns, started, pass } = startTurns({ slots: 1, inFlight: 2 })
    for (const name of ['a', 'b', 'c']) turns.join(lane(name, 1))
    await pass(200)
    await pass(999)
    expect(started).toEqual(['a1', 'b1'])
    await pass(1)
    expect(started).toEqual(['a1', 'b1', 'c1'])
  })

  it('go on although the clock was set back', async () => {
    const { turns, started, pass } = startTurns({ slots: 2 })
    for (const name of ['a', 'b', 'c', 'd']) turns.join(lane(name, 1))
    await pass(-3_600_000)
    turns.join(lane('e', 1))
    await pass(200)
    expect(started).toEqual(['a1', 'b1', 'c1', 'd1'])
  })

  it('do not wait for a second any more when fewer are in flight', async () => {
    const { turns, started, land, pass } = startTurns({ slots: 2, inFlight: 3 })
    for (const name of ['a', 'b', 'c', 'd']) turns.join(lane(name, 1))
    await pass(200)
    expect(started).toEqual(['a1', 'b1', 'c1', 'd1'])
    turns.join(lane('e', 1))
    land('a1')
    land('b1')
    await pass(200)
    expect(started).toEqual(['a1', 'b1', 'c1', 'd1', 'e1'])
  })

  it('stay with attempts that wait for the database', async () => {
    const { turns, started, reading, land, pass } = startTurns({ slots: 1 })
    reading.add('a1')
    for (const name of ['a', 'b']) turns.join(lane(name, 1))
    await pass(10_000)
    expect(started).toEqual(['a1'])
    land('a1')
    expect(started).toEqual(['a1', 'b1'])
  })

  it('belong to nobody: not to the transaction or the trace in which somebody asks or fills a lane', async () => {
    const { turns, started, done, land, pass } = startTurns({ slots: 1 })
    turns.join(lane('a', 1))
    await pass(100)
    await caller.run(' of a caller', async () => {
      expect(turns.free()).toBe(0)
      for (const name of ['b', 'c']) turns.join(lane(name, 1))
      turns.join(lane('d', 0))
    })
    await pass(100)
    land('b1')
    expect({ started, done }).toEqual({ started: ['a1', 'b1', 'c1'], done: ['d', 'b'] })
  })

  it('end a lane once: when it has nothing left, and when it was halted in line', () => {
    const { turns, started, done, land } = startTurns({ slots: 1 })
    const halted = lane('b', 2)
    turns.join(lane('a', 1))
    turns.join(halted)
    turns.join(lane('c', 0))
    halted.halt()
    expect(done).toEqual(['c'])
    land('a1')
    expect({ started, done }).toEqual({ started: ['a1'], done: ['c', 'a', 'b'] })
    expect(turns.free()).toBe(1)
  })

  it('let large contents wait for room without a slot, while small ones go on', async () => {
    const { turns, started, done, land } = startTurns()
    for (const name of ['a', 'b']) turns.join(lane(name, 1, { bytes: 2 * LARGE }))
    await nextTurn()
    turns.join(lane('c', 1))
    expect({ started, free: turns.free() }).toEqual({ started: ['a1', 'c1'], free: 2 })
    land('a1')
    await nextTurn()
    expect(started).toEqual(['a1', 'c1', 'b1'])
    land('b1')
    land('c1')
    expect(done).toEqual(['a', 'b', 'c'])
  })

  it('are not waited for by more lanes with large contents than allowed: the others end, to come back later', () => {
    const { turns, started, done, land } = startTurns()
    const lanes = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => lane(name, 1, { bytes: 2 * LARGE }))
    for (const run of lanes) turns.join(run)
    expect({ started, done, waiting: turns.waitingForRoom() }).toEqual({
      started: ['a1'],
      done: ['f', 'g'],
      waiting: 4,
    })
    expect(lanes.map(({ postponed }) => postponed)).toEqual([false, false, false, false, false, true, true])
    land('a1')
    turns.join(lane('h', 1, { bytes: 2 * LARGE }))
    expect({ started, done, waiting: turns.waitingForRoom() }).toEqual({
      started: ['a1', 'b1'],
      done: ['f', 'g', 'a'],
      waiting: 4,
    })
  })

  it('are given up by a lane that finds too many others waiting, once its attempts have ended', () => {
    const { turns, started, done, land } = startTurns({
      large: { above: LARGE, waiting: 1, prompt: LARGE, suspect: LARGE },
    })
    const mixed = lane('m', 4)
    mixed.waiting[1] = { ...mixed.waiting[1], payloadBytes: 2 * LARGE } as DueDelivery
    for (const name of ['a', 'b']) turns.join(lane(name, 1, { bytes: 2 * LARGE }))
    turns.join(mixed)
    land('m1')
    // Small ones go first.
    expect(started).toEqual(['a1', 'm1', 'm3', 'm4'])
    land('m3')
    expect(done).toEqual([])
    land('m4')
    // Of the post of a small one, the next may be due.
    expect({ done, postponed: mixed.postponed }).toEqual({ done: ['m'], postponed: false })
  })

  it('are not waited for by a lane that has become narrower', () => {
    const { turns, started, land } = startTurns({ slots: 9, slotsPerSite: 3 })
    const wide = lane('w', 4)
    wide.waiting = wide.waiting.map((one, index) => ({ ...one, payloadBytes: index < 3 ? 1 : 2 * LARGE }))
    turns.join(lane('a', 1, { bytes: 2 * LARGE }))
    turns.join(wide)
    land('w1', 1_000)
    turns.join(lane('b', 1, { bytes: 2 * LARGE }))
    expect(started).toEqual(['a1', 'w1', 'w2', 'w3'])
    land('w2', 1)
    land('a1')
    expect(started.slice(4)).toEqual(['b1'])
    land('w3', 1)
    land('b1')
    expect(started.slice(5)).toEqual(['w4'])
  })

  it('are not waited for by lanes that may start nothing any more', () => {
    const { turns, started, done, land } = startTurns()
    const [a, b, c] = ['a', 'b', 'c'].map((name) => lane(name, 1, { bytes: 2 * LARGE })) as [LaneRun, LaneRun, LaneRun]
    for (const run of [a, b, c]) turns.join(run)
    b.halt()
    turns.tidy()
    expect({ started, done, postponed: b.postponed }).toEqual({ started: ['a1'], done: ['b'], postponed: false })
    land('a1')
    expect(started).toEqual(['a1', 'c1'])
  })

  it('are as many for lanes with large contents as for others', async () => {
    const { turns, started, land } = startTurns({ slots: 1, slotsPerSite: 1 })
    turns.join(lane('l', 9, { bytes: LARGE + 1 }))
    for (const name of ['a', 'b']) turns.join(lane(name, 9))
    for (let count = 0; count < 9; count += 1) {
      await nextTurn()
      land(started.at(-1) ?? '')
    }
    for (const name of ['l', 'a', 'b'])
      expect(started.filter((id) => id.startsWith(name)).length).toBeGreaterThanOrEqual(3)
  })

  it('give back room that is not needed any more', async () => {
    const { turns, started, done, land } = startTurns()
    const waiting = lane('b', 1, { bytes: 2 * LARGE })
    turns.join(lane('a', 1, { bytes: 2 * LARGE }))
    await nextTurn()
    turns.join(waiting)
    waiting.end('b1')
    land('a1')
    turns.join(lane('c', 1, { bytes: 2 * LARGE }))
    await nextTurn()
    expect({ started, done }).toEqual({ started: ['a1', 'c1'], done: ['a', 'b'] })
  })

  it('start nothing large before there is room for it, though its lane goes on', async () => {
    const { turns, started, land } = startTurns({ slots: 8, slotsPerSite: 4, perTurn: 8 })
    turns.join(lane('a', 1, { bytes: 2 * LARGE }))
    await nextTurn()
    const mixed = lane('b', 4)
    mixed.waiting[3] = { ...mixed.waiting[3], payloadBytes: 2 * LARGE } as DueDelivery
    turns.join(mixed)
    land('b1')
    expect(started).toEqual(['a1', 'b1', 'b2', 'b3'])
    land('b2')
    await nextTurn()
    expect(started).toEqual(['a1', 'b1', 'b2', 'b3'])
    land('a1')
    await nextTurn()
    expect(started.at(-1)).toBe('b4')
    land('b4')
    turns.join(lane('c', 1, { bytes: 2 * LARGE }))
    await nextTurn()
    expect(started.at(-1)).toBe('c1')
  })

  it('never have more large contents in flight than fit, and in the end have started everything', async () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const random = randomFrom(seed)
      const pick = (from: readonly number[]) => from[Math.floor(random() * from.length)] ?? 0
      const { turns, started, done, land, pass } = startTurns({ slots: 6, slotsPerSite: 3, perTurn: 3 })
      const bytes = new Map<string, number>()
      const landed = new Set<string>()
      const flying = () => started.filter((id) => !landed.has(id))
      const names = ['a', 'b', 'c', 'd']
      for (const name of names) {
        const run = lane(name, 8)
        run.waiting = run.waiting.map((one) => ({
          ...one,
          payloadBytes: pick([1, 1, LARGE + 1, 2 * LARGE, 3 * LARGE]),
        }))
        for (const one of run.waiting) bytes.set(one.id, one.payloadBytes)
        turns.join(run)
      }
      for (let step = 0; done.length < names.length && step < 200; step += 1) {
        await pass(pick([0, 0, 100]))
        const large = flying().filter((id) => (bytes.get(id) ?? 0) > LARGE)
        const together = large.reduce((sum, id) => sum + (bytes.get(id) ?? 0), 0)
        expect(large.length <= 1 || together <= 2 * LARGE, `seed ${seed}: ${large}`).toBe(true)
        for (const id of flying().filter(() => random() < 0.5)) {
          landed.add(id)
          land(id, pick([10, 100, 1_000]))
        }
      }
      expect(done.toSorted(), `seed ${seed}`).toEqual(names)
      expect(landed.size).toBe(bytes.size)
    }
  })
})
