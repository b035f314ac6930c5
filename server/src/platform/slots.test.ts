import { describe, expect, it } from 'vitest'
import { Slots } from './slots.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Takes, and notes when it has. */
function taking(slots: Slots, taken: string[], name: string, weight: number) {
  return slots.take(weight).then((slot) => {
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
