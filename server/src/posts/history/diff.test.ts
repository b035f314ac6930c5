import { expect, it } from 'vitest'
import { convertBody } from '../body/convert.ts'
import { diffDocuments } from './diff.ts'

const diff = (from: string, to: string) =>
  diffDocuments(convertBody({ markdown: from }).json, convertBody({ markdown: to }).json).map((block) => {
    const signs = { same: ' ', added: '+', removed: '-', changed: '~' }
    if (block.change !== 'changed') return `${signs[block.change]}${block.type}: ${block.text}`
    return `~${block.type}: ${block.words.map(({ change, text }) => `${signs[change]}[${text}]`).join('')}`
  })

it.each([
  ['nothing', 'One.\n\nTwo.', 'One.\n\nTwo.', [' paragraph: One.', ' paragraph: Two.']],
  ['a word', 'Mix flour well.', 'Mix flour and water well.', ['~paragraph:  [Mix flour ]+[and water ] [well.]']],
  [
    'a block that came',
    'One.\n\nThree.',
    'One.\n\nTwo.\n\nThree.',
    [' paragraph: One.', '+paragraph: Two.', ' paragraph: Three.'],
  ],
  ['a block that went', 'One.\n\nTwo.', 'One.', [' paragraph: One.', '-paragraph: Two.']],
  [
    'a block of another type',
    'Title\n\nText.',
    '## Title\n\nText.',
    ['-paragraph: Title', '+heading: Title', ' paragraph: Text.'],
  ],
  ['formatting alone', 'Some words.', 'Some **words**.', ['~paragraph:  [Some words.]']],
  [
    'another text',
    'The old story of bread.',
    'Cheese: a new tale.',
    ['-paragraph: The old story of bread.', '+paragraph: Cheese: a new tale.'],
  ],
  ['everything', '', 'One.', ['+paragraph: One.']],
  [
    'a heading before a changed text',
    'Mix flour well.',
    '# Begin\n\nMix all flour well.',
    ['+heading: Begin', '~paragraph:  [Mix ]+[all ] [flour well.]'],
  ],
])('%s', (_, from, to, expected) => {
  expect(diff(from, to)).toEqual(expected)
})

it('ends in time whatever is compared', () => {
  const words = (seed: number) => Array.from({ length: 30_000 }, (_, index) => `w${(index * seed) % 7919}`).join(' ')
  const lines = diff(words(3), words(5)).map((line) => line.slice(0, 10))
  expect(lines).toEqual(['-paragraph', '+paragraph'])
})
