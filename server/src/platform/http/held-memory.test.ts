import { describe, expect, it } from 'vitest'
import { HeldMemory } from './held-memory.ts'

/** Memory of 100 bytes; `hold` notes in `lost` what is given up. */
function heldMemory() {
  const memory = new HeldMemory(100)
  const lost: string[] = []
  const hold = (name: string, bytes: number) => memory.hold(name[0] ?? '', bytes, () => lost.push(name))
  return { hold, lost }
}

describe('memory that clients keep', () => {
  it('is kept up to its bound, and again when it is free', () => {
    const { hold, lost } = heldMemory()
    const first = hold('a1', 60)
    hold('b1', 40)
    first.free()
    first.free()
    hold('c1', 60)
    expect(lost).toEqual([])
    hold('d1', 1)
    expect(lost).toEqual(['c1'])
  })

  it('is lost by whoever keeps most, the oldest part first', () => {
    const { hold, lost } = heldMemory()
    hold('b1', 30)
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8']) hold(name, 10)
    expect(lost).toEqual(['a1'])
    hold('c1', 15)
    expect(lost).toEqual(['a1', 'a2', 'a3'])
  })

  it('is counted as it grows, and no more once it is lost', () => {
    const { hold, lost } = heldMemory()
    const growing = hold('a1', 0)
    const other = hold('b1', 50)
    growing.grow(50)
    expect(lost).toEqual([])
    growing.grow(30)
    expect(lost).toEqual(['a1'])
    growing.grow(1_000)
    growing.free()
    other.grow(50)
    expect(lost).toEqual(['a1'])
  })

  it('may be given up where it is kept, when it is more than all may keep', () => {
    const { hold, lost } = heldMemory()
    hold('b1', 10)
    hold('a1', 101)
    expect(lost).toEqual(['a1'])
  })
})
