import { expect, it } from 'vitest'
import { PostUrl } from './post-url.ts'

it.each([
  'https://blog.example.com/{slug}',
  ' http://localhost:4000/posts/{id} ',
  'https://example.com/{yyyy}/{mm}/{slug}/?a=b',
])('%j is the pattern of an address', (pattern) => {
  expect(PostUrl.parse(pattern)).toBe(pattern.trim())
})

it.each([
  ['https://example.com/blog', 'must contain {slug} or {id}'],
  ['https://example.com/{title}/{slug}', 'no other braces'],
  ['https://{slug}.example.com/', 'the host has no placeholder'],
  ['https://{slug}', 'the host has no placeholder'],
  ['/blog/{slug}', 'absolute http or https'],
  ['javascript://x/{slug}', 'absolute http or https'],
  ['https://example.com/a b/{slug}', 'absolute http or https'],
  ['https://example.com/}{slug}', 'absolute http or https'],
  [`https://example.com/{slug}/${'x'.repeat(2_048)}`, 'at most 2048'],
])('%.60j is not: it %s', (pattern, message) => {
  expect(PostUrl.safeParse(pattern).error?.message).toContain(message)
})
