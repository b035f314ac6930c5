import { withoutControls } from './plain.ts'
import type { DocMark, DocNode } from './schema.ts'

/** Inline content with its marks as a tree, as HTML and Markdown nest them. */
export type Inline = { leaf: DocNode } | { mark: DocMark; children: Inline[] }

/**
 * White space as a browser shows it: runs become one space, none at the start, at the end or around a break. Text nodes
 * with equal marks are joined; marks must be in stored order.
 */
export function normaliseInline(nodes: readonly DocNode[]): DocNode[] {
  const result: DocNode[] = []
  let afterSpace = true
  for (const node of nodes) {
    if (node.text === undefined) {
      if (node.type === 'hardBreak') trimEnd(result)
      result.push(node)
      // An anchor takes no room.
      if (node.type !== 'anchor') afterSpace = node.type === 'hardBreak'
      continue
    }
    const collapsed = withoutControls(node.text).replace(/[ \t\n\f\r]+/g, ' ')
    const text = afterSpace ? collapsed.replace(/^ /, '') : collapsed
    if (text === '') continue
    append(result, { ...node, text })
    afterSpace = text.endsWith(' ')
  }
  trimEnd(result)
  return result
}

/** The content of a code block: one text node with \n as line end, or nothing. */
export function plainCode(nodes: readonly DocNode[]): DocNode[] {
  const text = withoutControls(nodes.map((node) => node.text ?? '').join('')).replace(/\r\n?|\f/g, '\n')
  return text === '' ? [] : [{ type: 'text', text }]
}

function append(nodes: DocNode[], node: DocNode): void {
  const last = nodes.at(-1)
  if (last?.text !== undefined && sameMarks(last.marks, node.marks)) {
    nodes[nodes.length - 1] = { ...last, text: last.text + node.text }
  } else nodes.push(node)
}

function trimEnd(nodes: DocNode[]): void {
  const last = nodes.at(-1)
  if (!last?.text?.endsWith(' ')) return
  nodes.pop()
  if (last.text !== ' ') nodes.push({ ...last, text: last.text.slice(0, -1) })
}

function sameMarks(a: readonly DocMark[] = [], b: readonly DocMark[] = []): boolean {
  return a.length === b.length && a.every((mark, index) => sameMark(mark, b[index]))
}

function sameMark(a: DocMark, b: DocMark | undefined): boolean {
  return (
    a.type === b?.type &&
    a.attrs?.href === b.attrs?.href &&
    a.attrs?.title === b.attrs?.title &&
    a.attrs?.rel === b.attrs?.rel
  )
}

/**
 * Nests marks: of several that start together the longest is outermost, with ties decided by the stored order.
 * `code` is always innermost, because a Markdown code span can hold nothing but text.
 */
export function nestMarks(nodes: readonly DocNode[], open: readonly string[] = []): Inline[] {
  const result: Inline[] = []
  let index = 0
  for (let node = nodes[0]; node !== undefined; node = nodes[index]) {
    const pending = (node.marks ?? []).filter((mark) => !open.includes(mark.type))
    const spans = pending.map((mark) => ({ mark, end: spanEnd(nodes, index, mark) }))
    const outer = spans.filter(({ mark }) => mark.type !== 'code')
    const [first, ...rest] = outer.length > 0 ? outer : spans
    if (first === undefined) {
      result.push({ leaf: node })
      index++
      continue
    }
    const { mark, end } = rest.reduce((best, span) => (span.end > best.end ? span : best), first)
    result.push({ mark, children: nestMarks(nodes.slice(index, end), [...open, mark.type]) })
    index = end
  }
  return result
}

function spanEnd(nodes: readonly DocNode[], start: number, mark: DocMark): number {
  let end = start + 1
  while (nodes[end]?.marks?.some((other) => sameMark(mark, other))) end++
  return end
}
