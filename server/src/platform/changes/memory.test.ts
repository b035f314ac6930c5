import { describe, expect, it } from 'vitest'
import { Memory } from './memory.ts'

describe('the memory of an owner', () => {
  it('has what was heard after a mark, each thing once', () => {
    const memory = new Memory(1_000)
    memory.note(['a', 'b'], 1_010)
    const mark = memory.mark(1_020)
    expect(memory.since(mark)).toEqual([])
    memory.note(['c', 'a'], 1_030)
    memory.note(['c'], 1_040)
    expect(memory.since(mark)).toEqual(['a', 'c'])
  })

  it('tells before from after within one millisecond, and when the clock goes back', () => {
    const memory = new Memory(1_000)
    const start = memory.mark(1_000)
    memory.note(['a'], 1_000)
    const middle = memory.mark(1_000)
    memory.note(['b'], 1_000)
    const end = memory.mark(400)
    memory.note(['c'], 300)
    expect([start, middle, end].map((mark) => memory.since(mark))).toEqual([['a', 'b', 'c'], ['b', 'c'], ['c']])
  })

  it('knows what it cannot know: what was before it, what it forgot, and what is to come', () => {
    const memory = new Memory(1_000)
    expect(memory.since(999)).toBeUndefined()
    expect(memory.since(1_000)).toEqual([])
    expect(memory.since(5_000)).toBeUndefined()
    const early = memory.mark(1_000)
    memory.note(['first', ...Array.from({ length: 499 }, (_, index) => `thing ${index}`)], 1_010)
    expect(memory.since(early)).toHaveLength(500)
    const late = memory.mark(1_020)
    memory.note(['one more'], 1_030)
    expect(memory.since(early)).toBeUndefined()
    expect(memory.since(late)).toEqual(['one more'])
    memory.restart(1_040)
    expect(memory.since(late)).toBeUndefined()
    expect(memory.since(memory.mark(1_050))).toEqual([])
  })
})
