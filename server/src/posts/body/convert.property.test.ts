import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../scripts/test/cases.ts'
import { convertBody, type DocMark, type DocNode } from './convert.ts'

/** Pieces with a meaning in HTML or Markdown. */
const pieces = [
  ...[
    'a',
    'b',
    'word',
    ' ',
    '  ',
    '\n',
    '\t',
    '\u00a0',
    'é',
    '😀',
    '。',
    '“',
    '\u200b',
    '\u0301',
    '1',
    '.',
    ',',
    ':',
    '-',
  ],
  ...[
    '*',
    '**',
    '_',
    '~',
    '~~',
    '`',
    '``',
    '[',
    ']',
    '(',
    ')',
    '![',
    '](',
    '<',
    '>',
    '</',
    '&',
    '&amp;',
    '\\',
    '|',
    '^',
  ],
  ...[
    '#',
    '# ',
    '- ',
    '+ ',
    '1. ',
    '1)',
    '=',
    '===',
    '---',
    '> ',
    '!',
    '"',
    "'",
    '[ ] ',
    '[x] ',
    '[^1]',
    '[a]: b',
    '{',
    '$',
  ],
  ...[
    'www.a.b',
    'http://a.b',
    'https://',
    'a@b.c',
    'mailto:a@b.c',
    '<b>',
    '</u>',
    '<!--',
    '-->',
    '<script>',
    '```',
    '~~~',
  ],
]
const text = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''))
const href = fc.oneof(
  fc.constantFrom(
    '/a',
    '#a',
    '#word',
    '#a-1',
    'https://a.b/c?d=e&f=g#h',
    'mailto:a@b.c',
    'tel:+1',
    'HTTP://A.B/ c',
    '//a.b',
    '?a',
    'a(b)c)',
  ),
  text.map((value) => `/${value}`),
)
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })

const flags = 'bold italic strike underline highlight subscript superscript kbd code'.split(' ')
const flag = fc.constantFrom(...flags)
const mark: fc.Arbitrary<DocMark | { type: string; attrs: object }> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('bold', 'italic', 'strike', 'code').map((type) => ({ type })) },
  { weight: 2, arbitrary: flag.map((type) => ({ type })) },
  {
    weight: 1,
    arbitrary: fc
      .record({ href, title: optional(text), rel: fc.constantFrom(null, null, 'nofollow ugc') })
      .map((attrs) => ({ type: 'link', attrs })),
  },
)
const marks = fc.array(mark, { maxLength: 3 })
const image = fc.record({
  src: href.map((value) => value.replace(/^(?:mailto|tel):/, '/')),
  alt: text,
  title: optional(text),
  width: fc.constantFrom(null, null, 20),
  height: fc.constantFrom(null, null, 10),
})
const ids = fc.constantFrom('a', 'b', 'word', 'section', 'a-1')
const labels = fc.constantFrom('1', '2', 'x')
const inline = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('text'), text, marks }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('hardBreak'), marks }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('image'), attrs: image, marks }) },
  { weight: 1, arbitrary: ids.map((id) => ({ type: 'anchor', attrs: { id }, marks: [] })) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('footnoteReference'), attrs: fc.record({ label: labels }), marks }),
  },
)
const inlines = fc.array(inline, { maxLength: 5 })

const node = <C>(type: string, content: fc.Arbitrary<C[]>, attrs: fc.Arbitrary<object> = fc.constant({})) =>
  fc.record({ type: fc.constant(type), attrs, content })
const direction = fc.record({ dir: fc.constantFrom(null, null, null, 'rtl', 'ltr') })
const paragraph = node('paragraph', inlines, direction)
const headingAttrs = fc.record({
  level: fc.integer({ min: 1, max: 6 }),
  id: optional(ids),
  dir: fc.constantFrom(null, null, null, 'rtl'),
})
const orderedAttrs = fc.record({
  start: fc.constantFrom(0, 1, 1, 7),
  type: fc.constantFrom(null, null, null, 'a', 'I'),
  reversed: fc.constantFrom(null, null, null, true),
})
const player = fc.record({
  src: fc.constantFrom('https://a.b/c.mp4', '/c?d=e&f'),
  poster: fc.constantFrom(null, '/p.png'),
  width: fc.constantFrom(null, 20),
})
const codeText = fc
  .array(fc.constantFrom(...pieces, '\n', '\n\n', '\r\n'), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(''))
const cellAttrs = fc.record({
  colspan: fc.constantFrom(1, 1, 1, 1, 2),
  rowspan: fc.constantFrom(1, 1, 1, 1, 3),
  align: fc.constantFrom(null, null, 'left', 'center', 'right'),
})

const { doc } = fc.letrec((tie) => {
  const block = tie('block')
  const blocks = fc.array(block, { minLength: 1, maxLength: 3 })
  const itemContent = fc.tuple(paragraph, fc.array(block, { maxLength: 2 })).map(([first, rest]) => [first, ...rest])
  const items = (type: string, attrs?: fc.Arbitrary<object>) =>
    fc.array(node(type, itemContent, attrs), { minLength: 1, maxLength: 3 })
  const cell = (type: string) =>
    node(type, fc.oneof({ weight: 4, arbitrary: paragraph.map((p) => [p]) }, blocks), cellAttrs)
  const row = fc.array(fc.oneof(cell('tableCell'), cell('tableHeader')), { maxLength: 3 })
  const notes = node(
    'footnotes',
    fc.array(node('footnote', blocks, fc.record({ label: labels })), { minLength: 1, maxLength: 3 }),
  )
  const pipeTable = fc.integer({ min: 1, max: 3 }).chain((columns) => {
    const attrs = fc.constant({ align: null })
    const cells = (type: string) =>
      fc.array(
        node(
          type,
          paragraph.map((p) => [p]),
          attrs,
        ),
        { minLength: columns, maxLength: columns },
      )
    return fc
      .tuple(node('tableRow', cells('tableHeader')), fc.array(node('tableRow', cells('tableCell')), { maxLength: 2 }))
      .map(([head, body]) => ({ type: 'table', content: [head, ...body] }))
  })
  return {
    doc: node(
      'doc',
      fc
        .tuple(fc.array(block, { minLength: 1, maxLength: 5 }), fc.array(notes, { maxLength: 1 }))
        .map((parts) => parts.flat()),
    ),
    block: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 6, arbitrary: paragraph },
      node('heading', inlines, headingAttrs),
      node(
        'codeBlock',
        codeText.map((value) => [{ type: 'text', text: value }]),
        fc.record({ language: fc.constantFrom(null, 'ts', 'c++') }),
      ),
      fc.constant({ type: 'horizontalRule' }),
      fc.constant({ type: 'embed', attrs: { provider: 'youtube', src: 'https://youtu.be/dQw4w9WgXcQ?t=3' } }),
      fc.constant({
        type: 'embed',
        attrs: { provider: 'spotify', src: 'https://open.spotify.com/embed/a?b=c&d', height: 152 },
      }),
      player.map((attrs) => ({ type: 'video', attrs })),
      player.map(({ src }) => ({ type: 'audio', attrs: { src } })),
      node(
        'details',
        fc.tuple(node('detailsSummary', inlines), node('detailsContent', blocks)),
        fc.record({ open: fc.boolean() }),
      ),
      node(
        'definitionList',
        fc.array(fc.oneof(node('definitionTerm', inlines), node('definitionDescription', blocks)), {
          minLength: 1,
          maxLength: 3,
        }),
      ),
      node('bulletList', items('listItem'), direction),
      node('orderedList', items('listItem', fc.record({ value: fc.constantFrom(null, null, null, 5) })), orderedAttrs),
      node('taskList', items('taskItem', fc.record({ checked: fc.boolean() }))),
      node('blockquote', blocks, direction),
      node('table', fc.array(node('tableRow', row), { minLength: 1, maxLength: 3 })),
      pipeTable,
      node(
        'figure',
        fc.tuple(blocks, fc.array(node('figcaption', inlines), { maxLength: 1 })).map((parts) => parts.flat()),
      ),
    ),
  }
})

/** Empty paragraphs are the one thing Markdown cannot express. */
function withoutEmptyParagraphs(given: DocNode): DocNode {
  if (given.content === undefined) return given
  const content = given.content.filter(({ type, content }) => type !== 'paragraph' || content !== undefined)
  return { ...given, content: content.map(withoutEmptyParagraphs) }
}

/** The same documents in every run; another seed, and more of them, are worth trying after a change of the conversion. */
const runs = { numRuns: cases(200), seed: 20_261_127 }

describe('any document the schema allows', () => {
  it('is the same after HTML, and its HTML is a fixed point', () => {
    fc.assert(
      fc.property(doc, (json) => {
        const body = convertBody({ json })
        const again = convertBody({ html: body.html })
        expect(again.json).toEqual(body.json)
        expect(again.html).toBe(body.html)
      }),
      runs,
    )
  })

  it('is the same after Markdown, empty paragraphs aside', () => {
    fc.assert(
      fc.property(doc, (json) => {
        const body = convertBody({ json })
        const again = convertBody({ markdown: body.markdown })
        expect(withoutEmptyParagraphs(again.json)).toEqual(withoutEmptyParagraphs(body.json))
      }),
      runs,
    )
  })

  it('is unchanged once canonical', () => {
    fc.assert(
      fc.property(doc, (json) => {
        const body = convertBody({ json })
        expect(convertBody({ json: body.json })).toEqual(body)
      }),
      runs,
    )
  })
})
