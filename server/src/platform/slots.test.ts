import { describe, expect, it } from 'vitest'
import { Slots } from './slots.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Takes, and notes when it has. */
function taking(slots: Slots, taken: string[], name: string, weight: number, whose?: string) {
  return slots.take(weight, whose).then((slot) => {
    taken.push(name)
    return slot
  })
}

describe('slots', () => {
  it('go to whoever came first, even when a later one would fit', async () => {
    const slots = new Slots(4)
    const taken: string[] = []
    const first = await taking(slots, taken, 'first', 3)
    const large = taking(slots, taken, 'large', 2)
    const small = taking(slots, taken, 'small', 1)
    await turn()
    expect(taken).toEqual(['first'])
    expect(slots.waiting).toBe(3)
    first.free()
    await Promise.all([large, small])
    expect(taken).toEqual(['first', 'large', 'small'])
    expect(slots).toMatchObject({ free: 1, waiting: 0 })
  })

  it('go to each in turn, however many one has asked for', async () => {
    const slots = new Slots(1)
    const taken: string[] = []
    const first = await slots.take()
    const all = [
      ...['a1', 'a2', 'a3', 'a4'].map((name) => taking(slots, taken, name, 1, 'a')),
      ...['b1', 'b2'].map((name) => taking(slots, taken, name, 1, 'b')),
      taking(slots, taken, 'c1', 1, 'c'),
    ]
    expect([slots.waitingOf('a'), slots.waitingOf('b'), slots.waitingOf('d')]).toEqual([4, 2, 0])
    first.free()
    await Promise.all(all.map(async (one) => (await one).free()))
    expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
    expect(slots).toMatchObject({ free: 1, waiting: 0 })
  })

  it('are not given to others before one that needs many of them', async () => {
    const slots = new Slots(4)
    const taken: string[] = []
    const [one, other] = [await slots.take(2, 'a'), await slots.take(2, 'b')]
    const large = taking(slots, taken, 'large', 4, 'a')
    const small = taking(slots, taken, 'small', 1, 'b')
    one.free()
    await turn()
    expect(taken).toEqual([])
    other.free()
    ;(await large).free()
    await small
    expect(taken).toEqual(['large', 'small'])
  })

  it('are all taken by what weighs more than there are', async () => {
    const slots = new Slots(4)
    const one = await slots.take()
    const taken: string[] = []
    const huge = taking(slots, taken, 'huge', 100)
    await turn()
    expect(taken).toEqual([])
    one.free()
    expect((await huge) && slots.free).toBe(0)
  })

  it('are given back once, however often', async () => {
    const slots = new Slots(4)
    const slot = await slots.take(3)
    slot.free()
    slot.free()
    expect(slots.free).toBe(4)
  })
})
