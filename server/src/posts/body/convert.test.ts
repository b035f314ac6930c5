import { describe, expect, it } from 'vitest'
import { convertBody, type DocNode, emptyBody } from './convert.ts'
import { cell, embedSrc, image, node, p, paragraph, row, text } from './test-documents.ts'

const link = { type: 'link', attrs: { href: 'https://a.b/c?d=e&f', title: 'T "q"' } }
const iframe = `<iframe src="${embedSrc}" width="560" height="315" loading="lazy" allowfullscreen></iframe>`

/** Each node and mark in each form. */
const fixtures: [name: string, block: DocNode, html: string, markdown: string][] = [
  ['paragraph', p('a'), '<p>a</p>', 'a\n'],
  ['heading', { type: 'heading', attrs: { level: 3 }, content: [text('A b')] }, '<h3 id="a-b">A b</h3>', '### A b\n'],
  [
    'bulletList',
    node('bulletList', node('listItem', p('a')), node('listItem', p('b'))),
    '<ul><li>a</li><li>b</li></ul>',
    '- a\n- b\n',
  ],
  [
    'nested list',
    node('bulletList', node('listItem', p('a'), node('bulletList', node('listItem', p('b'))))),
    '<ul><li>a<ul><li>b</li></ul></li></ul>',
    '- a\n  - b\n',
  ],
  [
    'loose list',
    node('bulletList', node('listItem', p('a'), p('b'))),
    '<ul><li><p>a</p><p>b</p></li></ul>',
    '- a\n\n  b\n',
  ],
  [
    'orderedList',
    { type: 'orderedList', attrs: { start: 3 }, content: [node('listItem', p('a')), node('listItem', p('b'))] },
    '<ol start="3"><li>a</li><li>b</li></ol>',
    '3. a\n4. b\n',
  ],
  [
    'taskList',
    node(
      'taskList',
      { type: 'taskItem', attrs: { checked: true }, content: [p('a')] },
      { type: 'taskItem', attrs: { checked: false }, content: [p('b')] },
    ),
    '<ul class="contains-task-list"><li class="task-list-item"><input type="checkbox" checked disabled> a</li>' +
      '<li class="task-list-item"><input type="checkbox" disabled> b</li></ul>',
    '- [x] a\n- [ ] b\n',
  ],
  ['blockquote', node('blockquote', p('a'), p('b')), '<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b\n'],
  [
    'codeBlock',
    { type: 'codeBlock', attrs: { language: 'c++' }, content: [text('a <b>\n\n  c')] },
    '<pre><code class="language-c++">a &lt;b>\n\n  c\n</code></pre>',
    '```c++\na <b>\n\n  c\n```\n',
  ],
  ['codeBlock without language', node('codeBlock', text('a')), '<pre><code>a\n</code></pre>', '```\na\n```\n'],
  ['horizontalRule', { type: 'horizontalRule' }, '<hr>', '---\n'],
  ['image', paragraph(image), '<p><img src="/a.png" alt="alt" title="t"></p>', '![alt](/a.png "t")\n'],
  [
    'table',
    node(
      'table',
      row(cell('tableHeader', p('a')), cell('tableHeader', p('b'), { align: 'right' })),
      row(cell('tableCell', p('c|d')), cell('tableCell', paragraph(), { align: 'right' })),
    ),
    '<table><thead><tr><th>a</th><th align="right">b</th></tr></thead><tbody><tr><td>c|d</td><td align="right"></td></tr></tbody></table>',
    '| a | b |\n| - | -: |\n| c\\|d | |\n',
  ],
  [
    'table that Markdown has no syntax for',
    node(
      'table',
      row(cell('tableCell', p('a'), { colspan: 2 })),
      row(cell('tableCell', p('b')), cell('tableCell', p('c'))),
    ),
    '<table><tbody><tr><td colspan="2">a</td></tr><tr><td>b</td><td>c</td></tr></tbody></table>',
    '<table><tbody><tr><td colspan="2">a</td></tr><tr><td>b</td><td>c</td></tr></tbody></table>\n',
  ],
  [
    'figure',
    node('figure', paragraph(image), node('figcaption', text('a '), text('b', 'italic'))),
    '<figure><img src="/a.png" alt="alt" title="t"><figcaption>a <em>b</em></figcaption></figure>',
    '<figure><img src="/a.png" alt="alt" title="t"><figcaption>a <em>b</em></figcaption></figure>\n',
  ],
  ['embed', { type: 'embed', attrs: { provider: 'youtube', src: embedSrc } }, iframe, `${iframe}\n`],
  ['hardBreak', paragraph(text('a'), { type: 'hardBreak' }, text('b')), '<p>a<br>b</p>', 'a\\\nb\n'],
  [
    'link',
    paragraph({ type: 'text', marks: [link], text: 'a' }),
    '<p><a href="https://a.b/c?d=e&amp;f" title="T &quot;q&quot;">a</a></p>',
    '[a](https://a.b/c?d=e\\&f "T \\"q\\"")\n',
  ],
  [
    'linked image',
    paragraph({ ...image, marks: [link] }),
    '<p><a href="https://a.b/c?d=e&amp;f" title="T &quot;q&quot;"><img src="/a.png" alt="alt" title="t"></a></p>',
    '[![alt](/a.png "t")](https://a.b/c?d=e\\&f "T \\"q\\"")\n',
  ],
  ['bold', paragraph(text('a', 'bold')), '<p><strong>a</strong></p>', '**a**\n'],
  ['italic', paragraph(text('a', 'italic')), '<p><em>a</em></p>', '*a*\n'],
  ['strike', paragraph(text('a', 'strike')), '<p><del>a</del></p>', '~~a~~\n'],
  ['underline', paragraph(text('a', 'underline')), '<p><u>a</u></p>', '<u>a</u>\n'],
  ['highlight', paragraph(text('a', 'highlight')), '<p><mark>a</mark></p>', '<mark>a</mark>\n'],
  ['subscript', paragraph(text('a', 'subscript')), '<p><sub>a</sub></p>', '<sub>a</sub>\n'],
  ['superscript', paragraph(text('a', 'superscript')), '<p><sup>a</sup></p>', '<sup>a</sup>\n'],
  ['code', paragraph(text('a `b`', 'code')), '<p><code>a `b`</code></p>', '`` a `b` ``\n'],
  [
    'marks in marks',
    paragraph(text('a ', 'italic'), text('b', 'bold', 'italic')),
    '<p><em>a <strong>b</strong></em></p>',
    '*a __b__*\n',
  ],
  [
    'marks that Markdown cannot delimit',
    paragraph(text('a'), text(' b', 'bold'), text('c')),
    '<p>a<strong> b</strong>c</p>',
    'a<strong> b</strong>c\n',
  ],
  [
    'code with a pipe in a table',
    node('table', row(cell('tableHeader', paragraph(text('\\|', 'code'))))),
    '<table><thead><tr><th><code>\\|</code></th></tr></thead></table>',
    '| <code>\\\\\\|</code> |\n| - |\n',
  ],
  [
    'address in a link',
    paragraph({ type: 'text', marks: [{ type: 'link', attrs: { href: '/a' } }], text: '<|a@b.c>' }),
    '<p><a href="/a">&lt;|a@b.c></a></p>',
    '[\\<|a@b.c>](/a)\n',
  ],
  [
    'break before a nested list',
    node(
      'bulletList',
      node('listItem', paragraph({ type: 'hardBreak' }), node('bulletList', node('listItem', p('a')))),
    ),
    '<ul><li><br><ul><li>a</li></ul></li></ul>',
    '- <br>\n\n  - a\n',
  ],
  [
    'paragraphs of one break each',
    node('blockquote', paragraph({ type: 'hardBreak' }), paragraph({ type: 'hardBreak' })),
    '<blockquote><p><br></p><p><br></p></blockquote>',
    '> <br>\n>\n> <p><br></p>\n',
  ],
  [
    'text like Markdown',
    p('# *a* [b](c) 1. <b> a@b.c www.d.e &amp;'),
    '<p># *a* [b](c) 1. &lt;b> a@b.c www.d.e &amp;amp;</p>',
    '\\# \\*a\\* \\[b]\\(c) 1. \\<b> a\\@b.c www\\.d.e \\&amp;\n',
  ],
]

describe.each(fixtures)('%s', (_name, block, html, markdown) => {
  const json: DocNode = { type: 'doc', content: [block] }

  it('is derived from JSON', () => {
    const body = convertBody({ json })
    expect(body).toMatchObject({ json, html, markdown })
  })

  it('is derived from HTML', () => {
    expect(convertBody({ html })).toMatchObject({ json, html, markdown })
  })

  it('is derived from Markdown', () => {
    expect(convertBody({ markdown })).toMatchObject({ json, html, markdown })
  })
})

describe('forms', () => {
  it('takes JSON over HTML over Markdown and keeps the other given forms', () => {
    const given = { json: { type: 'doc', content: [p('json')] }, html: '<p onclick="x">html', markdown: '*  Markdown*' }
    expect(convertBody(given)).toMatchObject({
      json: given.json,
      html: '<p>html</p>',
      markdown: given.markdown,
      text: 'json',
    })
    expect(convertBody({ html: given.html, markdown: given.markdown })).toMatchObject({
      json: { type: 'doc', content: [p('html')] },
      html: '<p>html</p>',
      markdown: given.markdown,
    })
  })

  it('keeps given HTML that a document has no node for', () => {
    const html = '<div><section>a</section>b</div>'
    const body = convertBody({ html })
    expect(body.html).toBe(html)
    expect(body.json.content).toEqual([p('a'), p('b')])
  })

  it('keeps given Markdown to the letter', () => {
    const markdown = 'Setext\n===\n\n* a\n* b  \n'
    expect(convertBody({ markdown }).markdown).toBe(markdown)
  })

  it('is empty without a form, and for empty forms', () => {
    const json = { type: 'doc', content: [paragraph()] }
    const empty = { html: '', markdown: '', json, siteMarkdown: null, text: '', words: '', wordCount: 0, losses: [] }
    expect(emptyBody()).toEqual(empty)
    for (const input of [
      { html: '' },
      { markdown: '' },
      { json: { type: 'doc' } },
      { json: { type: 'doc', content: [] } },
    ]) {
      expect(convertBody(input)).toEqual(empty)
    }
  })

  it('gives plain text in lines and its number of words', () => {
    const body = convertBody({ markdown: '# Two words\n\n- one\n- **t**wo ![an image](/a)\n\n今日は\n' })
    expect(body.text).toBe('Two words\none\ntwo  an image\n今日は')
    expect(body.wordCount).toBe(8)
  })
})

describe('reading HTML', () => {
  const docOf = (html: string) => convertBody({ html }).json.content

  it('shows white space as a browser does', () => {
    expect(docOf('\n<p>\n a \n <b> b</b>\n<i> </i>c\u00a0 <br> d </p>\n')).toEqual([
      paragraph(text('a '), text('b', 'bold'), text(' c\u00a0'), { type: 'hardBreak' }, text('d')),
    ])
  })

  it('gives text between blocks a paragraph of its own', () => {
    expect(docOf('a<p>b</p><b>c<p>d</p></b>')).toEqual([
      p('a'),
      p('b'),
      paragraph(text('c', 'bold')),
      paragraph(text('d', 'bold')),
    ])
  })

  it('adds nested lists that old editors put between items to the item before', () => {
    expect(docOf('<ul><li>a</li><ul><li>b</li></ul></ul>')).toEqual([
      node('bulletList', node('listItem', p('a'), node('bulletList', node('listItem', p('b'))))),
    ])
  })

  it('reads tasks as Tiptap and GitHub write them', () => {
    const task = { type: 'taskItem', attrs: { checked: true }, content: [p('a')] }
    const tiptap =
      '<ul data-type="taskList"><li data-checked="true"><label><input type="checkbox" checked><span></span></label><div><p>a</p></div></li></ul>'
    expect(docOf(tiptap)).toEqual([node('taskList', task)])
    expect(docOf('<ul><li><p><input type="checkbox" checked> a</p></li></ul>')).toEqual([node('taskList', task)])
  })

  it('splits a list where items with and without a box meet', () => {
    const types = docOf('<ol><li>a<li><input type="checkbox">b<li>c</ol>')?.map(({ type, attrs }) => [
      type,
      attrs?.start,
    ])
    expect(types).toEqual([
      ['orderedList', 1],
      ['taskList', undefined],
      ['orderedList', 3],
    ])
  })

  it('puts the caption of a table before it and reads all its sections', () => {
    const html =
      '<table><caption>x</caption><thead><tr><th>a</th></tr></thead><tfoot><tr><td>b</td></tr></tfoot></table>'
    expect(docOf(html)).toEqual([
      p('x'),
      node('table', row(cell('tableHeader', p('a'))), row(cell('tableCell', p('b')))),
    ])
  })
})

describe('reading Markdown', () => {
  it('links bare addresses, unless they are escaped', () => {
    const { html } = convertBody({ markdown: 'www.a.b and a\\@b.c' })
    expect(html).toBe('<p><a href="http://www.a.b">www.a.b</a> and a@b.c</p>')
  })
})

it('keeps the direction of an empty footnote', () => {
  const reference = { type: 'footnoteReference', attrs: { label: '1' } }
  const footnote = { type: 'footnote', attrs: { label: '1' }, content: [{ type: 'paragraph', attrs: { dir: 'ltr' } }] }
  const content = [
    { type: 'paragraph', content: [reference] },
    { type: 'footnotes', content: [footnote] },
  ]
  const { html, json } = convertBody({ json: { type: 'doc', content } })
  expect(convertBody({ html }).json).toEqual(json)
  expect(JSON.stringify(json)).toContain('ltr')
})
