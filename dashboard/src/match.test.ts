import { expect, it } from 'vitest'
import { bestFirst, matchOf } from './match.ts'

it.each([
  ['new post', 'New post', '', 3],
  ['post', 'New post', '', 2],
  ['post new', 'New post', '', 2],
  ['write', 'New post', 'write', 1],
  ['n p', 'New post', '', 2],
  ['cafe', 'Café Łódź', '', 3],
  ['example', 'Kitchen', 'https://kitchen.example/', 1],
  ['https://kitch', 'Kitchen', 'https://kitchen.example/', 1],
  ['tomat', 'Automatic drafts', '', 0],
  ['post x', 'New post', '', 0],
  ['', 'New post', '', 0],
])('%s and %s (%s): %i', (words, name, alsoFoundBy, expected) => {
  expect(matchOf(words, name, alsoFoundBy)).toBe(expected)
})

it('lists the best first, and equals in their order', () => {
  const all = ['Search posts', 'New post', 'Posts', 'Sites']
  expect(bestFirst(all, (name) => matchOf('post', name))).toEqual(['Posts', 'Search posts', 'New post'])
})
