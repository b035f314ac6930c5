import { describe, expect, it } from 'vitest'
import { BodyError, type BodyInput, convertBody, type DocNode } from './convert.ts'
import { maxDocNodes, maxFormBytes } from './limits.ts'
import { markdownToHtml } from './markdown.ts'
import { markdownCost } from './markdown-cost.ts'
import { node, p, refusal } from './test-documents.ts'

const filled = (piece: string) => piece.repeat(maxFormBytes / piece.length)

/** Texts that would overflow a parser's stack, make its tree explode, or take it minutes. */
const markdownBombs: [name: string, markdown: string][] = [
  ...[
    '[',
    ']',
    '![',
    '![](',
    '[a](',
    '[a][b',
    '[]',
    '[ ] ',
    '<',
    '<a ',
    '<!--',
    '<![CDATA[',
    '<a@',
    '`',
    '``a`',
    '\\',
    '&',
    '&a;',
  ],
  ...[
    '*',
    '*a',
    'a* ',
    '*a **a ',
    '*a_ ',
    '_a ',
    '~a',
    '**a *b ~c _d ',
    '*a**b',
    '_',
    '| ',
    '|a',
    '>',
    '> ',
    '- ',
    '1. ',
    '- > ',
  ],
  ...[
    '- a\n',
    '1. a\n',
    '> a\n\n',
    '- > a\n',
    '- a\n\nb\n\n',
    'a\n\n',
    'a\n',
    'a\n-\n',
    'a\n-|',
    'a | b\n',
    '# a\n',
    '---\n',
    '```\n',
  ],
  ...[
    '\n',
    '\r',
    ' ',
    '\t',
    '    a\n',
    'a  \n',
    'www.a.',
    'a@',
    'http://a',
    '[^1] ',
    '[a]: b\n',
    '<div>\n',
    '- [ ] a\n',
    ' \n',
  ],
].map((piece) => [JSON.stringify(piece), filled(piece)])
markdownBombs.push(
  ['openers and closers', filled('*a **b ').slice(0, maxFormBytes / 2) + filled('c** d*').slice(0, maxFormBytes / 2)],
  ['brackets within brackets', '['.repeat(maxFormBytes / 2) + ']'.repeat(maxFormBytes / 2)],
  ['50,000 markers', '* '.repeat(50_000)],
  ['a list deeper on each line', Array.from({ length: 1000 }, (_, depth) => `${' '.repeat(depth * 2)}- a\n`).join('')],
  ['code fences of all lengths', Array.from({ length: 1400 }, (_, length) => '`'.repeat(length)).join(' ')],
  ['100,000 tags', '<div>'.repeat(100_000)],
)

const htmlBombs: [name: string, html: string][] = [
  ...[
    '<div>',
    '<a>',
    '<b>',
    '<p>',
    '</p>',
    '<li>',
    '<ul><li>',
    '<table>',
    '<table><tr><td>',
    '<svg>',
    '<template>',
    '<button>',
    '<h1>',
  ],
  ...[
    '<b><i></b></i>',
    '<b><p></b></p>',
    '<font color=red>x',
    '<',
    '&',
    '&lt;',
    '<!--',
    '<!---->',
    '*',
    '[',
    '`',
    '\n',
    '<br>',
    'www.',
  ],
].map((piece) => [piece, filled(piece)])
const openTags = (count: number) => Array.from({ length: count }, (_, n) => `<b a=${n}>`).join('')
htmlBombs.push(
  ['divs that end', '<div>'.repeat(90_000) + '</div>'.repeat(90_000)],
  ['formatting repeated in each paragraph', `<p>${openTags(2000)}</p>${'<p>x</p>'.repeat(40_000)}`],
  ['formatting repeated after each block', `<div>${openTags(200)}</div>${'<div>x</div><p>y</p>'.repeat(40_000)}`],
  ['many children adopted many times', `${openTags(200)}<div>${'<br>'.repeat(15_000)}${'</b>'.repeat(200)}`],
  ['content fostered out of a table', `<table>${'<i>x</i>'.repeat(15_000)}`],
  ['attributes', `<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}`).join(' ')}>`],
  ['headings within headings', `${'<h1><div>'.repeat(120)}${'!a'.repeat(500_000)}`],
  ['marks in an awkward order', `<p>a${'\u0315'.repeat(260_000)}${'\u0316'.repeat(260_000)}`],
  ['long alternative text', `<img src=x alt="${'['.repeat(500_000)}">`],
  [
    'code fences of all lengths',
    `<code>${Array.from({ length: 1400 }, (_, length) => '`'.repeat(length)).join(' ')}</code>`,
  ],
  ['bold words', '<b>a</b>b'.repeat(9000)],
  ['links', `<p>${'<a href="x">a</a> '.repeat(9000)}`],
  ['list items without a list', `<ul>${'<p>x</p>'.repeat(6000)}`],
)

describe('hostile input gives a body or a BodyError', () => {
  it.each(markdownBombs)('Markdown: %s', (_name, markdown) =>
    expectBounded({ markdown: markdown.slice(0, maxFormBytes) }),
  )
  it.each(htmlBombs)('HTML: %s', (_name, html) => expectBounded({ html: html.slice(0, maxFormBytes) }))

  it('Markdown: a table cheap to read, with 6 million cells to write', () => {
    const table = `${'|a'.repeat(4000)}\n${'|-'.repeat(4000)}\n${'x\n'.repeat(1500)}`
    expect(() => markdownToHtml(table, 'markdown')).toThrow(BodyError)
  })

  const long = 'b'.repeat(700_000)
  it.each([
    ['an address that is referred to', { markdown: `[a]: http://x/${long}\n\n${'[a] b\n\n'.repeat(220)}` }],
    ['a title that is referred to', { markdown: `[a]: http://x "${long}"\n\n${'![a] b\n\n'.repeat(220)}` }],
    ['an address that goes on', { html: `<p><a href="http://x/${long}">x${'<p>x'.repeat(5_000)}` }],
    ['an attribute that goes on', { html: `<p><b title="${long}">x${'<p>x'.repeat(5_000)}` }],
  ])('copies of %s are counted before they are made', (_name, input) => {
    expect(refusal(input).message).toContain('repeats long addresses')
  })

  it('JSON: 100,000 levels', () => {
    let json: unknown = p('a')
    for (let level = 0; level < 100_000; level++) json = { type: 'blockquote', content: [json] }
    expect(refusal({ json: { type: 'doc', content: [json] } }).message).toContain('deeper')
  })

  it('JSON: text of nothing but delimiters', () => {
    expectBounded({ json: { type: 'doc', content: [p('*_[`'.repeat(250_000))] } })
  })
})

describe('caps', () => {
  const nested = (levels: number): DocNode => (levels === 1 ? p('a') : node('blockquote', nested(levels - 1)))
  const doc = (...content: DocNode[]) => ({ type: 'doc', content })
  const paragraphs = (count: number) => doc(...Array.from({ length: count }, () => ({ type: 'paragraph' })))

  it('allows 64 levels in every form', () => {
    // The text node is the last level.
    const body = convertBody({ json: doc(nested(63)) })
    expect(convertBody({ html: body.html }).json).toEqual(body.json)
    expect(convertBody({ markdown: body.markdown }).json).toEqual(body.json)
    const path = `json${'.content.0'.repeat(65)}`
    expect(refusal({ json: doc(nested(64)) }).path).toBe(path)
    expect(refusal({ html: `${'<blockquote>'.repeat(63)}a` }).path).toBe('html')
    expect(refusal({ markdown: `${'>'.repeat(63)}a` }).path).toBe('markdown')
  })

  it('allows 20,000 nodes in every form', () => {
    expect(convertBody({ json: paragraphs(maxDocNodes) }).json.content).toHaveLength(maxDocNodes)
    expect(refusal({ json: paragraphs(maxDocNodes + 1) }).path).toBe('json')
    expect(refusal({ html: '<p></p>'.repeat(maxDocNodes + 1) }).path).toBe('html')
    expect(refusal({ markdown: '---\n'.repeat(maxDocNodes + 1) }).path).toBe('markdown')
  })

  it('allows 1 MiB of UTF-8 in every form, given or derived', () => {
    const fits = 'ä'.repeat(maxFormBytes / 2 - 100)
    expect(convertBody({ json: doc(p(fits)) }).text).toBe(fits)
    const tooLong = `${fits}${'ä'.repeat(101)}`
    expect(refusal({ json: doc(p(tooLong)) })).toMatchObject({ path: 'json', message: 'must be at most 1 MiB' })
    expect(refusal({ html: tooLong })).toMatchObject({ path: 'html', message: 'must be at most 1 MiB' })
    expect(refusal({ markdown: tooLong })).toMatchObject({ path: 'markdown', message: 'must be at most 1 MiB' })
    expect(refusal({ json: doc(p('*'.repeat(700_000))) }).message).toBe('would be larger than 1 MiB as markdown')
  })

  it('leaves room for large honest posts', () => {
    const sentence = 'Some **bold** and *emphasised* words, `code_with_names` and [a link](https://a.b/c).'
    const honest = [
      `## Heading\n\n${sentence} ${sentence}\n\n- ${sentence}\n- b\n\n`.repeat(300),
      `| a | b | c |\n| - | - | - |\n${'| **x** | [y](/z) | 1 |\n'.repeat(400)}`,
      `\`\`\`c\n${'  if (a[i] && *b_c < d->e) { f_g(&h); } // "x"\n'.repeat(1000)}\`\`\`\n`,
      `- ${sentence}\n`.repeat(400),
    ]
    for (const markdown of honest) expect(convertBody({ markdown }).wordCount).toBeGreaterThan(1000)
  })
})

it.each(['<!--', '<?', '<![CDATA[', '<!A '])('refuses a text that is searched for the end of each %s', (start) => {
  const searched = `a ${start.repeat(2_000)}\n${'b'.repeat(500_000)}`
  expect(markdownCost(searched).micros).toBeGreaterThan(10_000_000)
  expect(refusal({ markdown: searched }).path).toBe('markdown')
  const closed = `a ${start}b?>-->]]>\n`.repeat(2_000)
  expect(markdownCost(closed).micros).toBeLessThan(1_200_000)
})

it('refuses a text that is searched for the end of code spans with fences of many lengths', () => {
  const fences = Array.from({ length: 150 }, (_, length) => '`'.repeat(length + 1)).join(' ')
  expect(refusal({ markdown: `${fences}\n${'b'.repeat(500_000)}` }).path).toBe('markdown')
})

it('estimates the cost of Markdown above what honest text can reach only for bombs', () => {
  expect(markdownCost('Some *words*.\n\n'.repeat(100)).micros).toBeLessThan(50_000)
  expect(markdownCost('a* '.repeat(10_000)).micros).toBeGreaterThan(5_000_000)
  expect(markdownCost(`${'> '.repeat(9)}- 1. a`).markers).toBe(11)
})

function expectBounded(input: BodyInput): void {
  try {
    const body = convertBody(input)
    expect(Buffer.byteLength(body.html)).toBeLessThanOrEqual(maxFormBytes)
  } catch (error) {
    expect(error).toBeInstanceOf(BodyError)
    // Refused by a bound, not by a stack overflow.
    expect(error).not.toHaveProperty('cause', expect.any(RangeError))
  }
}
