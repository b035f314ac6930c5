/** What the paragraphs of a classic text are, as WordPress 6.1 itself says: its `wpautop` made the HTML of the fixture. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { convertBody } from '../../../posts/index.ts'
import { withParagraphs } from './paragraphs.ts'
import { wordPressHtml } from './wordpress-text.ts'

const cases = JSON.parse(readFileSync(new URL('./paragraphs.fixture.json', import.meta.url), 'utf8')) as Array<{
  text: string
  html: string
}>

it.each(cases)('$text', ({ text, html }) => {
  expect(convertBody({ html: withParagraphs(text) }).json).toEqual(convertBody({ html }).json)
})

it.each([
  '[code]',
  '<pre>',
  '<!--',
  '<!-- wp:a {',
  '<a "',
  '[caption]x',
  '[embed ',
  '[gallery',
  '[x a=b]',
  '<div>',
  '\n \n',
])('reads a megabyte of %j, in proportion to its length', (piece) => {
  const html = (characters: number) => wordPressHtml(piece.repeat(Math.floor(characters / piece.length)), new Map())
  const costOf = (characters: number) => {
    const before = process.cpuUsage()
    html(characters)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  costOf(100_000)
  // Sixteen times as long: quadratic would be 256 times the cost.
  expect(costOf(1_000_000)).toBeLessThan(100 * Math.max(costOf(62_500), 20_000))
})
