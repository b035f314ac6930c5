import { expect, it } from 'vitest'
import { proposedOriginal } from './original.ts'

const [a, b, c] = [
  { id: 'a', post_url: null },
  { id: 'b', post_url: 'https://b.example.com/{slug}' },
  { id: 'c', post_url: null },
]

it.each([
  ['the usual site', [a, b, c], 'c', c],
  ['one whose addresses are known, if the usual one does not get the post', [a, b], 'c', b],
  ['one whose addresses are known, if there is no usual one', [a, b], null, b],
  ['the first, if no addresses are known', [a, c], null, a],
  ['none, if no site gets the post', [], 'a', undefined],
])('%s is proposed', (_, sites, usual, proposed) => {
  expect(proposedOriginal(sites, usual)).toBe(proposed)
})
