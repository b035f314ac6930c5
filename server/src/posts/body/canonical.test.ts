import { describe, expect, it } from 'vitest'
import { convertBody } from './convert.ts'
import { embedSrc, image, node, p, paragraph, refusal, text } from './test-documents.ts'

describe('canonical JSON', () => {
  const canonical = (...content: unknown[]) => convertBody({ json: { type: 'doc', content } }).json.content

  it('accepts what Tiptap writes and leaves out what has no place', () => {
    const tiptap = {
      type: 'paragraph',
      attrs: { textAlign: null },
      content: [
        {
          type: 'text',
          marks: [
            { type: 'bold' },
            { type: 'link', attrs: { href: '/a', target: '_blank', rel: 'x', class: null, title: null } },
          ],
          text: 'a',
        },
      ],
    }
    expect(canonical(tiptap)).toEqual([
      paragraph({ type: 'text', marks: [{ type: 'link', attrs: { href: '/a' } }, { type: 'bold' }], text: 'a' }),
    ])
  })

  it('gives an image among blocks a paragraph, and empty containers too', () => {
    expect(canonical(image, { type: 'blockquote' })).toEqual([paragraph(image), node('blockquote', paragraph())])
  })

  it('joins equal neighbours and collapses white space', () => {
    expect(canonical(paragraph(text(' a '), text(' b'), text('c', 'bold'), text('\u0001 \r\n')))).toEqual([
      paragraph(text('a b'), text('c', 'bold')),
    ])
  })
})

describe('refused JSON', () => {
  const doc = (...content: unknown[]) => ({ type: 'doc', content })
  const inParagraph = (item: unknown) => doc(p('a'), { type: 'paragraph', content: [text('b'), item] })
  const cases: [why: string, json: unknown, path: string][] = [
    ['not an object', 'x', 'json'],
    ['null', null, 'json'],
    ['an array', [], 'json'],
    ['another root', p('a'), 'json.type'],
    ['no type', {}, 'json.type'],
    ['unknown node type', doc(p('a'), { type: 'toString' }), 'json.content.1.type'],
    ['unknown field', doc({ type: 'paragraph', marked: 1 }), 'json.content.0.marked'],
    ['content of another type', { type: 'doc', content: {} }, 'json.content'],
    ['block in a paragraph', inParagraph(p('c')), 'json.content.1.content.1.type'],
    ['text among blocks', doc(text('a')), 'json.content.0.type'],
    ['item outside of a list', doc({ type: 'listItem' }), 'json.content.0.type'],
    ['list without items', doc({ type: 'bulletList' }), 'json.content.0.content'],
    [
      'item without a paragraph first',
      doc(node('bulletList', node('listItem', node('blockquote', p('a'))))),
      'json.content.0.content.0.content.0.type',
    ],
    ['text of another type', inParagraph({ type: 'text', text: 1 }), 'json.content.1.content.1.text'],
    ['empty text', inParagraph({ type: 'text', text: '' }), 'json.content.1.content.1.text'],
    ['U+0000', inParagraph(text('a\0')), 'json.content.1.content.1.text'],
    ['lone surrogate', inParagraph(text('a\ud800')), 'json.content.1.content.1.text'],
    ['text on another node', doc({ type: 'paragraph', text: 'a' }), 'json.content.0.text'],
    [
      'unknown mark',
      inParagraph({ ...text('a'), marks: [{ type: 'bold' }, { type: 'blink' }] }),
      'json.content.1.content.1.marks.1.type',
    ],
    ['mark in a code block', doc(node('codeBlock', text('a', 'bold'))), 'json.content.0.content.0.marks.0.type'],
    ['mark on a block', doc({ ...p('a'), marks: [{ type: 'bold' }] }), 'json.content.0.marks.0.type'],
    ['unknown attribute', doc({ type: 'paragraph', attrs: { onclick: 'x' } }), 'json.content.0.attrs.onclick'],
    [
      'attribute named like a method',
      doc({ type: 'paragraph', attrs: { constructor: 'x' } }),
      'json.content.0.attrs.constructor',
    ],
    ['attribute out of range', doc({ type: 'heading', attrs: { level: 7 } }), 'json.content.0.attrs.level'],
    ['attribute of another type', doc({ type: 'heading', attrs: { level: '1' } }), 'json.content.0.attrs.level'],
    ['missing attribute', inParagraph({ type: 'image', attrs: { alt: '' } }), 'json.content.1.content.1.attrs.src'],
    ['language with a space', doc({ type: 'codeBlock', attrs: { language: 'a b' } }), 'json.content.0.attrs.language'],
    [
      'script link',
      inParagraph({ ...text('a'), marks: [{ type: 'link', attrs: { href: 'java\nscript:x' } }] }),
      'json.content.1.content.1.marks.0.attrs.href',
    ],
    [
      'data image',
      inParagraph({ type: 'image', attrs: { src: 'data:image/png;base64,AA' } }),
      'json.content.1.content.1.attrs.src',
    ],
    [
      'embed of another site',
      doc({ type: 'embed', attrs: { provider: 'youtube', src: 'https://evil.example/embed/dQw4w9WgXcQ' } }),
      'json.content.0.attrs.src',
    ],
    [
      'embed of another provider',
      doc({ type: 'embed', attrs: { provider: 'vimeo', src: embedSrc } }),
      'json.content.0.attrs.src',
    ],
  ]

  it.each(cases)('%s', (_why, json, path) => {
    expect(refusal({ json }).path).toBe(path)
  })
})

it.each(['html', 'markdown'])('refuses U+0000 and lone surrogates in %s', (form) => {
  expect(refusal({ [form]: 'a\0' }).path).toBe(form)
  expect(refusal({ [form]: 'a\udc00' }).path).toBe(form)
})
