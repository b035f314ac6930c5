import { describe, expect, it } from 'vitest'
import { partMarkdown, readPart } from './read-text.ts'

const markdownOf = (markdown: string, heading = 'How to water', allowed: string[] = []) =>
  partMarkdown(readPart(markdown, heading, allowed)).trim()

describe('the text of a part', () => {
  it.each([
    ['a remark before it', 'Sure! Here is the section you asked for:\n\nWater in the morning.'],
    ['its heading once more', '## How to water\n\nWater in the morning.'],
    ['its heading with a number', '### 2. How to Water Well\n\nWater in the morning.'],
    ['its heading in bold', '**How to water**\n\nWater in the morning.'],
    ['a fence around it', '```markdown\nWater in the morning.\n```'],
    ['a count after it', 'Water in the morning.\n\n(Word count: 152)'],
    ['a remark, a heading and a rule', 'Here is the text:\n\n---\n\n## How to water\n\nWater in the morning.\n\n---'],
  ])('is without %s', (_what, markdown) => {
    expect(markdownOf(markdown)).toBe('Water in the morning.')
  })

  it.each([
    'Here is what matters: the root, not the leaf. Water it in the morning and leave the rest of the day to the sun, and to the wind that dries the leaves.',
    'Sure signs of thirst are limp leaves.\n\nWater then.',
    'Words 20 to 30 are the ones that count.',
    '```sh\nls\n```',
    '```\nnpm i\n```\n\nThen run it:\n\n```\nnpm start\n```',
  ])('keeps what belongs to it: %s', (markdown) => {
    expect(markdownOf(markdown)).toBe(markdown)
  })

  it('has its headings below that of the section', () => {
    expect(markdownOf('First.\n\n# Morning\n\nA.\n\n###### Evening\n\nB.')).toBe(
      'First.\n\n### Morning\n\nA.\n\n#### Evening\n\nB.',
    )
  })

  it('has no heading before the introduction', () => {
    expect(markdownOf('# Watering tomatoes\n\nIt is hot.', '')).toBe('It is hot.')
  })

  it('links to what is allowed and nothing else, and counts the rest', () => {
    const read = readPart('[pots](https://a.example/pots) [x](https://b.example/) ![i](https://c.example/i.png)', 'x', [
      'https://a.example/pots',
    ])
    expect(partMarkdown(read).trim()).toBe('[pots](https://a.example/pots) x')
    expect(read).toMatchObject({ links: ['https://a.example/pots'], dropped: 2 })
  })

  it('counts words in any script', () => {
    expect(readPart('Water in the **morning**.', 'x', []).words).toBe(4)
    expect(readPart('朝に水をやります。', 'x', []).words).toBeGreaterThan(3)
  })
})
