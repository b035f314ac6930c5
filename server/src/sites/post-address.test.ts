import { expect, it } from 'vitest'
import { postAddress } from './post-address.ts'

const post = { id: '01a1', slug: 'rye-bread', published_at: '2026-03-09T08:00:00.000Z' }

it.each([
  ['https://example.com/blog/{slug}', 'https://example.com/blog/rye-bread'],
  ['https://example.com/{yyyy}/{mm}/{slug}/?p={id}', 'https://example.com/2026/03/rye-bread/?p=01a1'],
  [null, undefined],
])('by the pattern %j a post is at %j', (pattern, address) => {
  expect(postAddress({ post_url: pattern }, post)).toBe(address)
})

it('a post that is not published is nowhere', () => {
  expect(postAddress({ post_url: 'https://example.com/{slug}' }, { ...post, published_at: null })).toBeUndefined()
})
