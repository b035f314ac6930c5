import { expect, it } from 'vitest'
import { tagsIn } from './tags-input.tsx'

it('tags are cut between two letters, never within one', () => {
  expect(tagsIn(' bread,, sourdough ,', 64)).toEqual(['bread', 'sourdough'])
  const [tag = ''] = tagsIn(`${'a'.repeat(63)}🎉🎉`, 64)
  expect(tag).toBe(`${'a'.repeat(63)}🎉`)
  expect(tag.isWellFormed()).toBe(true)
})
