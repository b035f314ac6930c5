import { expect, it } from 'vitest'
import { niceTop, pathOf } from './chart.tsx'

it.each([
  [0, 1],
  [1, 1],
  [3, 3],
  [22, 30],
  [5, 6],
  [9, 10],
  [41, 60],
  [840, 1000],
  [0.35, 0.4],
])('a scale for %f ends with %f', (most, top) => {
  expect(niceTop(most)).toBeCloseTo(top, 10)
})

it('a line breaks where nothing was measured, and a lonely point can be seen', () => {
  expect(pathOf([null, 0, 10, null, 5], 10)).toBe('M1.5 100.00L2.5 0.00M4.14 50.00h0.72')
})
