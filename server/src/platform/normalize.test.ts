import { expect, it } from 'vitest'
import { normalized } from './normalize.ts'

it('is that of Unicode for what anybody writes', () => {
  for (const text of [
    'Café',
    'Cafe\u0301',
    'ệ',
    'กี่',
    'ﬁ',
    'á̧'.repeat(100),
    `a${'\u0315'.repeat(15)}${'\u0316'.repeat(15)}`,
  ])
    for (const form of ['NFC', 'NFD', 'NFKC'] as const) expect(normalized(text, form)).toBe(text.normalize(form))
})

it('keeps thirty marks of a letter', () => {
  expect(normalized(`a${'\u0315'.repeat(500_000)}${'\u0316'.repeat(500_000)}b`, 'NFD')).toBe(`a${'\u0315'.repeat(30)}b`)
})
