import type { PhrasingContent } from 'mdast'
import { leafToHast, linkProperties, markTag } from './doc-to-hast.ts'
import { printHtml } from './html.ts'
import { type Inline, nestMarks } from './inline.ts'
import type { DocMark, DocNode } from './schema.ts'

/** The class of a character next to a delimiter. */
type Edge = 'space' | 'punctuation' | 'word'

const delimited = { bold: 'strong', italic: 'emphasis', strike: 'delete' } as const
type Delimited = keyof typeof delimited

/**
 * Inline content in Markdown. It uses delimiters (`**`) where every reader recognises them, and tags (`<strong>`) elsewhere:
 * inside punctuation, around white space. `room`: whether a break may end the line.
 */
export function inlineToMdast(nodes: readonly DocNode[], room: 'line' | 'lines'): PhrasingContent[] {
  const write = (spans: readonly Inline[], before: Edge, after: Edge): PhrasingContent[] =>
    spans.flatMap((span, index) => {
      const left = index === 0 ? before : edgeOf(spans[index - 1], 'end')
      const right = index === spans.length - 1 ? after : edgeOf(spans[index + 1], 'start')
      if ('leaf' in span) return leafToMdast(span.leaf, room === 'lines' && isBetweenText(spans, index))
      const { mark, children } = span
      if (mark.type === 'link' && mark.attrs?.rel === undefined)
        return [link(mark, write(children, 'punctuation', 'punctuation'))]
      if (mark.type === 'code') return code(children) ?? tagged(mark, write(children, 'punctuation', 'punctuation'))
      if (!isDelimited(mark.type) || !canDelimit(left, span, right)) {
        return tagged(mark, write(children, 'punctuation', 'punctuation'))
      }
      // Readers take adjacent asterisks of bold and italic as one run, so what is outside of both decides for both.
      const [first, last] = mark.type === 'strike' ? (['punctuation', 'punctuation'] as const) : [left, right]
      return [{ type: delimited[mark.type], children: write(children, first, last) }]
    })
  return write(nestMarks(nodes), 'space', 'space')
}

function leafToMdast({ type, text = '', attrs = {} }: DocNode, canBreakLine: boolean): PhrasingContent {
  if (type === 'text') return { type: 'text', value: text }
  if (type === 'hardBreak') return canBreakLine ? { type: 'break' } : { type: 'html', value: '<br>' }
  if (type === 'footnoteReference') {
    const label = String(attrs.label)
    return { type: 'footnoteReference', identifier: label, label }
  }
  if (type === 'anchor' || attrs.width !== undefined || attrs.height !== undefined)
    return tag(printHtml(leafToHast({ type, attrs })))
  return { type: 'image', url: String(attrs.src), alt: String(attrs.alt), title: titleOf(attrs.title) }
}

function link({ attrs = {} }: DocMark, children: PhrasingContent[]): PhrasingContent {
  return { type: 'link', url: String(attrs.href), title: titleOf(attrs.title), children }
}

function titleOf(title: unknown): string | null {
  return typeof title === 'string' ? title : null
}

/** A code span; undefined if one cannot hold the content. */
function code(children: readonly Inline[]): PhrasingContent[] | undefined {
  const value = children.map((child) => ('leaf' in child ? (child.leaf.text ?? '``') : '``')).join('')
  // A table cell has no way to write `\|`. For a text with many backticks the library tries longer and longer fences,
  // which takes seconds in the worst case.
  return /``|\\\|/.test(value) ? undefined : [{ type: 'inlineCode', value }]
}

function tagged(mark: DocMark, children: PhrasingContent[]): PhrasingContent[] {
  const tagName = markTag(mark.type)
  const empty = printHtml({ type: 'element', tagName, properties: linkProperties(mark), children: [] })
  const end = `</${tagName}>`
  return [tag(empty.slice(0, -end.length)), ...children, tag(end)]
}

/** A tag within a line. Its attributes may hold what ends a table's cell or a line, wherever the tag stands. */
function tag(html: string): PhrasingContent {
  return { type: 'html', value: html.replaceAll('|', '&#124;').replaceAll('\n', '&#10;') }
}

function isDelimited(type: string): type is Delimited {
  return Object.hasOwn(delimited, type)
}

/** Whether CommonMark's flanking rules hold on both sides, whichever way the content is written. */
function canDelimit(left: Edge, { children }: { children: readonly Inline[] }, right: Edge): boolean {
  return flanks(left, edgeOf(children[0], 'start')) && flanks(right, edgeOf(children.at(-1), 'end'))
}

function flanks(outside: Edge, inside: Edge): boolean {
  return inside === 'word' || (inside === 'punctuation' && outside !== 'word')
}

function edgeOf(span: Inline | undefined, side: 'start' | 'end'): Edge {
  return span !== undefined && 'leaf' in span ? leafEdge(span.leaf, side) : 'punctuation'
}

function leafEdge({ type, text = '' }: DocNode, side: 'start' | 'end'): Edge {
  if (type !== 'text') return type === 'hardBreak' ? 'space' : 'punctuation'
  const [character = ' '] = side === 'start' ? text : text.slice(/[\uDC00-\uDFFF]$/.test(text) ? -2 : -1)
  if (/\s/.test(character)) return 'space'
  return /[\p{P}\p{S}]/u.test(character) ? 'punctuation' : 'word'
}

/** Whether a break can be a line end: not at the start or end of a paragraph, nor next to another break. */
function isBetweenText(spans: readonly Inline[], index: number): boolean {
  return [spans[index - 1], spans[index + 1]].every(
    (span) => span !== undefined && ('mark' in span || span.leaf.type !== 'hardBreak'),
  )
}
