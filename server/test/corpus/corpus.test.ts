import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { compare } from './compare.ts'

const posts = new URL('posts/', import.meta.url)

it.each(readdirSync(posts))('%s loses nothing that readers see without a warning', (file) => {
  const { differences, losses } = compare(
    readFileSync(new URL(file, posts), 'utf8'),
    file.endsWith('.html') ? 'html' : 'markdown',
  )
  // The picture in its address; what GFM writes as text is to markdown-it a tag.
  expect([...differences.keys()].filter((kind) => kind !== 'lists')).toEqual(file.endsWith('.html') ? ['images'] : [])
  expect(losses.map(({ code }) => code)).toEqual(file.endsWith('.html') ? ['media_removed'] : [])
})
