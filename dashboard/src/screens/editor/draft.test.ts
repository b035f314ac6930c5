import { describe, expect, it } from 'vitest'
import {
  changesOf,
  EMPTY_DRAFT,
  inputOf,
  isSame,
  isSlugOfTitle,
  merge,
  newPostOf,
  otherTitle,
  tidyDoc,
} from './draft.ts'

const was = { ...EMPTY_DRAFT, title: 'Old', excerpt: 'Short', tags: ['a'] }

describe('two versions of a post', () => {
  it('come together where one side changed something', () => {
    const mine = changesOf(was, { ...was, title: 'Mine' })
    expect(merge(was, mine, { ...was, excerpt: 'Theirs' })).toEqual({
      draft: { ...was, title: 'Mine', excerpt: 'Theirs' },
      conflicts: [],
    })
  })

  it('conflict where both did, unless they did the same', () => {
    const mine = { title: 'Mine', tags: ['a', 'b'] }
    const { draft, conflicts } = merge(was, mine, { ...was, title: 'Theirs', tags: ['a', 'b'] })
    expect(conflicts).toEqual(['title'])
    expect(draft.title).toBe('Mine')
  })

  it('compare by what they say, whatever the order of names', () => {
    expect(isSame({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 })).toBe(true)
    for (const other of [{ a: 1 }, { a: 1, b: [{ c: 0 }] }, { a: 1, b: { 0: { c: null } } }, null, 'a'])
      expect(isSame({ a: 1, b: [{ c: null }] }, other)).toBe(false)
  })
})

describe('requests', () => {
  it('carry what was changed, and take away what was emptied', () => {
    const mine = {
      ...was,
      metaTitle: '',
      slug: '',
      canonicalUrl: ' https://example.com/ ',
      body: { form: 'html', value: '' },
    } as const
    expect(inputOf(changesOf({ ...was, metaTitle: 'x', slug: 'old' }, mine))).toEqual({
      body: { html: '' },
      slug: null,
      meta: { title: '', canonical_url: 'https://example.com/' },
    })
    expect(inputOf({ title: '  ' })).toEqual({})
    expect(newPostOf({ ...EMPTY_DRAFT, title: 'New' })).toEqual({ title: 'New' })
  })
})

it.each([
  ['growing-tomatoes', 'Growing tomatoes', true],
  ['growing-tomatoes-2', 'Growing tomatoes', true],
  ['uber-cafe', 'Über Café', true],
  ['dont-panic', 'Don’t panic', true],
  ['growing', 'Growing tomatoes', false],
  ['growing-tomatoes-too', 'Growing tomatoes', false],
  ['post', '🎉', true],
])('the slug %s is made from %j: %s', (slug, title, made) => {
  expect(isSlugOfTitle(slug, title)).toBe(made)
})

it('the title of the other version is cut between two letters, never within one', () => {
  expect(otherTitle('Bread')).toBe('Bread (other version)')
  const cut = otherTitle(`a${'🎉'.repeat(298)}b`)
  expect([cut.isWellFormed(), [...cut].length]).toEqual([true, 300])
  expect(cut.endsWith('🎉b (other version)')).toBe(true)
  expect(otherTitle(`a${'🎉'.repeat(149)}b`).isWellFormed()).toBe(true)
})

it('a document is compared without attributes that say nothing', () => {
  const image = (title: string | null) => ({
    type: 'image',
    attrs: { src: 'https://a/b.png', title },
    marks: [{ type: 'bold' }],
  })
  const doc = (title: string | null) => ({
    type: 'doc',
    content: [{ type: 'paragraph', attrs: {}, content: [image(title)] }],
  })
  expect(tidyDoc(doc(null))).toEqual({
    type: 'doc',
    content: [
      {
        type: 'paragraph',
        content: [{ type: 'image', attrs: { src: 'https://a/b.png' }, marks: [{ type: 'bold' }] }],
      },
    ],
  })
  expect(tidyDoc(doc('Peas')).content?.[0]?.content?.[0]?.attrs).toEqual({ src: 'https://a/b.png', title: 'Peas' })
})
