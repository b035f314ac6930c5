import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_SLUG, slugify } from './slug.ts'

describe('slugs', () => {
  it.each([
    ['Hello, world!', 'hello-world'],
    ['  --Ünïcödé  Straße--  ', 'unicode-strasse'],
    ['STRAẞE', 'strasse'],
    ["Don't stop", 'dont-stop'],
    ['Привет мир', 'privet-mir'],
    ['日本語', expect.stringMatching(/^[a-z0-9-]+$/)],
    ['C++ & C#', 'c-c'],
    ['🎉', ''],
  ])('%j becomes %j', (title, slug) => {
    expect(slugify(title)).toEqual(slug)
  })

  it('are words joined by single hyphens, or nothing, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const slug = slugify(text)
        expect(slug === '' || /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug)).toBe(true)
        expect(slug.length).toBeLessThanOrEqual(MAX_SLUG)
        expect(slugify(slug)).toBe(slug)
      }),
    )
  })
})
