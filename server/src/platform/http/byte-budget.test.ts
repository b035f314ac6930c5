import { expect, it } from 'vitest'
import { ByteBudget } from './byte-budget.ts'

it('is reserved up to its bound, in all and by each, and again once it is returned', () => {
  const budget = new ByteBudget({ all: 100, ofOne: 60 })
  expect(budget.reserve('a', 60)).toBe(true)
  expect(budget.reserve('a', 1)).toBe(false)
  expect(budget.reserve('b', 40)).toBe(true)
  expect(budget.reserve('b', 1)).toBe(false)
  budget.return('a', 30)
  expect(budget.reserve('b', 20)).toBe(true)
  expect(budget.reserve('a', 11)).toBe(false)
  expect(budget.reserve('a', 10)).toBe(true)
})
