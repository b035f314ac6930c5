import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inPortions } from './portions.ts'

const MIB = 1024 * 1024

it('portions are the whole list, in order, of two MiB at most unless a post is larger', () => {
  const posts = fc.array(fc.integer({ min: 0, max: 3 * MIB }).map((bytes) => ({ id: String(bytes), bytes })))
  fc.assert(
    fc.property(posts, (list) => {
      const portions = inPortions(list)
      expect(portions.flat()).toEqual(list)
      for (const portion of portions) {
        expect(portion.length).toBeGreaterThan(0)
        const sum = portion.reduce((all, { bytes }) => all + bytes, 0)
        expect(portion.length === 1 || sum <= 2 * MIB).toBe(true)
      }
    }),
  )
  expect(inPortions([MIB, MIB, 1].map((bytes) => ({ id: '', bytes }))).map(({ length }) => length)).toEqual([2, 1])
})
