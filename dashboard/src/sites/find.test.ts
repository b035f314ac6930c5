import type { Site } from '@postrider/sdk'
import { expect, it } from 'vitest'
import { findSites } from './find.ts'

const sites = ['Café Zürich', 'Garden', 'Кухня'].map((name, index) => {
  return { name, url: `https://site-${index}.example.com`, platform: index === 1 ? 'wordpress' : 'custom' } as Site
})

it.each([
  ['cafe', ['Café Zürich']],
  ['ZURICH CAFE\u0301', ['Café Zürich']],
  ['кухня', ['Кухня']],
  ['wordpress garden', ['Garden']],
  ['site-1', ['Garden']],
  [' ', ['Café Zürich', 'Garden', 'Кухня']],
  ['garden café', []],
])('%j finds %j', (words, names) => {
  expect(findSites(sites, words).map(({ name }) => name)).toEqual(names)
})
