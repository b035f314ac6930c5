import { expect, it } from 'vitest'
import { EMPTY_DRAFT } from '../draft.ts'
import { checksOf } from './checks.ts'

const doc = (...content: object[]) => ({ type: 'doc', content: content as Array<{ type: string }> })
const paragraph = (text: string, mark?: string) => ({
  type: 'paragraph',
  content: [{ type: 'text', text, ...(mark === undefined ? {} : { marks: [{ type: mark }] }) }],
})
const good = { ...EMPTY_DRAFT, title: 'Peas', metaDescription: 'When to sow them.' }

it('finds nothing to say about a post that is ready', () => {
  expect(checksOf(good, doc(paragraph('Sow in March.')))).toEqual([])
  expect(checksOf(good, doc({ type: 'image', attrs: { src: 'https://a/b.png' } }))).toEqual([])
})

it('refuses only a post without a title', () => {
  const found = checksOf(EMPTY_DRAFT, doc({ type: 'paragraph' }))
  expect(found.map(({ field, blocks }) => [field, blocks])).toEqual([
    ['title', true],
    ['body', false],
    ['metaDescription', false],
  ])
})

it('names the notes of an outline that are left', () => {
  const [found] = checksOf(
    good,
    doc(paragraph('Answer:', 'bold'), paragraph('Answer:', 'bold'), paragraph('Answer: yes')),
  )
  expect(found).toMatchObject({
    blocks: false,
    title: '2 notes of the outline are left in the text',
    text: 'Readers would see “Answer:”.',
  })
})

it('repeats what the service could not keep, each thing once', () => {
  const removed = { code: 'media_removed', message: 'A frame was removed.', count: 1, field: 'body.html' } as const
  const [found] = checksOf(good, doc(paragraph('Listen.')), [removed, { ...removed, count: 2 }])
  expect(found).toMatchObject({ blocks: false, field: 'body', text: 'A frame was removed.' })
})
