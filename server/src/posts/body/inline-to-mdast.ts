import type { PhrasingContent } from 'mdast'
import { markTag } from './doc-to-hast.ts'
import { type Inline, nestMarks } from './inline.ts'
import type { DocMark, DocNode } from './schema.ts'

/** The class of a character next to a delimiter. */
type Edge = 'space' | 'punctuation' | 'word'

const delimited = { bold: 'strong', italic: 'emphasis', strike: 'delete' } as const
type Delimited = keyof typeof delimited

/**
 * Inline content in Markdown. Delimiters (`**`) are used where they are certain to be read as such, tags (`<strong>`)
 * elsewhere: inside punctuation, around white space. `room`: whether a break may end the line.
 */
export function inlineToMdast(nodes: readonly DocNode[], room: 'line' | 'lines'): PhrasingContent[] {
  const write = (spans: readonly Inline[], before: Edge, after: Edge): PhrasingContent[] =>
    spans.flatMap((span, index) => {
      const left = index === 0 ? before : edgeOf(spans[index - 1], 'end')
      const right = index === spans.length - 1 ? after : edgeOf(spans[index + 1], 'start')
      if ('leaf' in span) return leafToMdast(span.leaf, room === 'lines' && isBetweenText(spans, index))
      const { mark, children } = span
      if (mark.type === 'link') return [link(mark, write(children, 'punctuation', 'punctuation'))]
      if (mark.type === 'code') return code(children) ?? tagged(mark, write(children, 'punctuation', 'punctuation'))
      if (!isDelimited(mark.type) || !canDelimit(left, span, right)) {
        return tagged(mark, write(children, 'punctuation', 'punctuation'))
      }
      // Asterisks of bold and italic at the same place are read as one run, next to what is outside of both.
      const [first, last] = mark.type === 'strike' ? (['punctuation', 'punctuation'] as const) : [left, right]
      return [{ type: delimited[mark.type], children: write(children, first, last) }]
    })
  return write(nestMarks(nodes), 'space', 'space')
}

function leafToMdast({ type, text = '', attrs = {} }: DocNode, canBreakLine: boolean): PhrasingContent {
  if (type === 'text') return { type: 'text', value: text }
  if (type === 'hardBreak') return canBreakLine ? { type: 'break' } : { type: 'html', value: '<br>' }
  return { type: 'image', url: String(attrs.src), alt: String(attrs.alt), title: titleOf(attrs.title) }
}

function link({ attrs = {} }: DocMark, children: PhrasingContent[]): PhrasingContent {
  return { type: 'link', url: String(attrs.href), title: titleOf(attrs.title), children }
}

function titleOf(title: unknown): string | null {
  return typeof title === 'string' ? title : null
}

/** A code span; undefined for what one cannot hold. */
function code(children: readonly Inline[]): PhrasingContent[] | undefined {
  const value = children.map((child) => ('leaf' in child ? (child.leaf.text ?? '``') : '``')).join('')
  // In a table's cell there is no way to write `\|`. For many ticks the library tries longer and longer fences, which
  // takes seconds in the worst text.
  return /``|\\\|/.test(value) ? undefined : [{ type: 'inlineCode', value }]
}

function tagged({ type }: DocMark, children: PhrasingContent[]): PhrasingContent[] {
  return [{ type: 'html', value: `<${markTag(type)}>` }, ...children, { type: 'html', value: `</${markTag(type)}>` }]
}

function isDelimited(type: string): type is Delimited {
  return Object.hasOwn(delimited, type)
}

/** By CommonMark's rules on flanking, where both sides must hold whichever way the content is written. */
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

/** A break at the start or end of a paragraph, or next to another one, cannot be a line end. */
function isBetweenText(spans: readonly Inline[], index: number): boolean {
  return [spans[index - 1], spans[index + 1]].every(
    (span) => span !== undefined && ('mark' in span || span.leaf.type !== 'hardBreak'),
  )
}
