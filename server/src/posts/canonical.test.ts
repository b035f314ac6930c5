import { describe, expect, it } from 'vitest'
import { type AddressedRow, addedCanonical, canonicalFor, type Original } from './canonical.ts'

const post: AddressedRow = { id: '01a1', slug: 'rye-bread', meta: {}, published_at: new Date('2026-03-31T23:30:00Z') }
const original: Original = {
  siteId: 'main',
  pattern: 'https://main.example.com/{yyyy}/{mm}/{slug}',
  isFor: true,
  own: {},
  live: {},
}
const byPattern = { url: 'https://main.example.com/2026/03/rye-bread', source: 'primary_pattern' }
const written = { ...post, meta: { canonical_url: 'https://ada.example.com/rye' } }
const live = { main: 'https://main.example.com/bread/rye' }
const own = { copy: 'https://copy.example.com/{id}', silent: null }

describe('the address that a copy names', () => {
  it.each<[string, AddressedRow, Partial<Original> | null, string, unknown]>([
    ['is nothing without an original', post, null, 'copy', { url: null, source: 'none' }],
    [
      'is what the author gave, even without one',
      written,
      null,
      'copy',
      { url: written.meta.canonical_url, source: 'author' },
    ],
    [
      'is what the author gave, before everything else',
      written,
      { live, own },
      'copy',
      { url: written.meta.canonical_url, source: 'author' },
    ],
    ["follows from the original's pattern", post, {}, 'copy', byPattern],
    ['is the same for the original itself', post, {}, 'main', byPattern],
    [
      'is where the original said that it is, before its pattern',
      post,
      { live },
      'copy',
      { url: live.main, source: 'primary_live' },
    ],
    [
      'is not where another site shows the post',
      post,
      { live: { other: 'https://other.example.com/' } },
      'copy',
      byPattern,
    ],
    ['is not known without either', post, { pattern: null }, 'copy', { url: null, source: 'unknown' }],
    [
      'is not known by its pattern before the post is published',
      { ...post, published_at: null },
      {},
      'copy',
      { url: null, source: 'unknown' },
    ],
    [
      'is not known if the post is not for the original',
      post,
      { isFor: false, live },
      'copy',
      { url: null, source: 'unknown' },
    ],
    [
      'is its own, if it names its own',
      post,
      { own },
      'copy',
      { url: 'https://copy.example.com/01a1', source: 'own_pattern' },
    ],
    [
      'is its own where it said that it is',
      post,
      { own, live: { copy: 'https://copy.example.com/rye' } },
      'copy',
      { url: 'https://copy.example.com/rye', source: 'own_live' },
    ],
    [
      'is its own, whether the original is there or not',
      post,
      { own, isFor: false },
      'copy',
      { url: 'https://copy.example.com/01a1', source: 'own_pattern' },
    ],
    [
      "is never the original's, if it names its own and that is not known",
      post,
      { own, live },
      'silent',
      { url: null, source: 'unknown' },
    ],
  ])('%s', (_, about, facts, siteId, expected) => {
    expect(canonicalFor(about, facts && { ...original, ...facts }, siteId)).toEqual(expected)
  })

  it('is not added to what the author gave', () => {
    expect(addedCanonical(written, { ...original, live }, 'copy')).toBeUndefined()
    expect(addedCanonical(post, { ...original, live }, 'copy')).toBe(live.main)
    expect(addedCanonical(post, null, 'copy')).toBeUndefined()
  })
})
