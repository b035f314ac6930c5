import type { AlignType, BlockContent, FootnoteDefinition, List, ListItem, Paragraph, Root, Table } from 'mdast'
import { blockToHast } from './doc-to-hast.ts'
import { printHtml } from './html.ts'
import { inlineToMdast } from './inline-to-mdast.ts'
import type { DocNode } from './schema.ts'

/**
 * The Markdown tree of a canonical document. What Markdown has no syntax for becomes HTML in it; only empty paragraphs are
 * lost.
 */
export function docToMdast(doc: DocNode): Root {
  const blocks = doc.content ?? []
  const notes = blocks.flatMap(({ type, content = [] }) => (type === 'footnotes' ? content : []))
  const body = blocksToMdast(blocks.filter(({ type }) => type !== 'footnotes'))
  return { type: 'root', children: [...body, ...notes.map(footnote)] }
}

function blocksToMdast(blocks: readonly DocNode[]): BlockContent[] {
  return blocks
    .filter((node) => node.type !== 'paragraph' || node.content !== undefined)
    .flatMap((node, index, kept) => {
      if (node.type === 'details') return details(node)
      return isLoneBreak(node) && isLoneBreak(kept[index - 1]) ? rawHtml(node) : blockToMdast(node)
    })
}

function footnote({ attrs, content = [] }: DocNode): FootnoteDefinition {
  const label = String(attrs?.label)
  return { type: 'footnoteDefinition', identifier: label, label, children: blocksToMdast(content) }
}

/** Tags around Markdown, as on GitHub. */
function details(node: DocNode): BlockContent[] {
  const [summary, content] = node.content ?? []
  const open = printHtml(blockToHast({ ...node, content: [] })).replace('</details>', '')
  const title = summary === undefined ? '' : printHtml(blockToHast(summary)).replaceAll('\n', '&#10;')
  return [
    { type: 'html', value: `${open}\n${title}` },
    ...blocksToMdast(content?.content ?? []),
    { type: 'html', value: '</details>' },
  ]
}

/** Whether a node says something that Markdown has no syntax for. */
function needsHtml({ type, attrs = {}, content = [] }: DocNode): boolean {
  if (attrs.dir !== undefined || (type === 'heading' && attrs.id !== undefined)) return true
  // A checkbox stands before the words of a paragraph, not before a tag.
  if (type === 'taskList') return content.some((item) => item.content?.[0]?.attrs !== undefined)
  if (type !== 'orderedList') return false
  return (
    attrs.type !== undefined || attrs.reversed !== undefined || content.some((item) => item.attrs?.value !== undefined)
  )
}

/** A paragraph that is a bare `<br>` in Markdown. Readers put two in a row into one paragraph unless the second one has its tags. */
function isLoneBreak(node: DocNode | undefined): boolean {
  const [first, second] = (node?.type === 'paragraph' && node.content) || []
  return first?.type === 'hardBreak' && first.marks === undefined && second === undefined
}

function blockToMdast(node: DocNode): BlockContent {
  const { type, attrs = {}, content = [] } = node
  if (needsHtml(node)) return rawHtml(node)
  switch (type) {
    case 'paragraph':
      return paragraph(content)
    case 'heading':
      return { type: 'heading', depth: headingDepth(attrs.level), children: inlineToMdast(content, 'line') }
    case 'bulletList':
    case 'taskList':
    case 'orderedList':
      return list(node)
    case 'blockquote':
      return { type: 'blockquote', children: blocksToMdast(content) }
    case 'codeBlock':
      return {
        type: 'code',
        lang: attrs.language === undefined ? null : String(attrs.language),
        value: content[0]?.text ?? '',
      }
    case 'horizontalRule':
      return { type: 'thematicBreak' }
    case 'table':
      return pipeTable(content) ?? rawHtml(node)
    default:
      return rawHtml(node)
  }
}

function paragraph(content: readonly DocNode[]): Paragraph {
  return { type: 'paragraph', children: inlineToMdast(content, 'lines') }
}

function headingDepth(level: unknown): 1 | 2 | 3 | 4 | 5 | 6 {
  return ([1, 2, 3, 4, 5, 6] as const).find((depth) => depth === level) ?? 6
}

function list({ type, attrs = {}, content = [] }: DocNode): List {
  const ordered = type === 'orderedList'
  const children = content.map(listItem)
  const spread = children.some((item) => item.spread)
  return { type: 'list', ordered, ...(ordered && { start: Number(attrs.start) }), spread, children }
}

function listItem({ attrs, content = [] }: DocNode): ListItem {
  const [first, second, ...rest] = content
  // A line with nothing but a `<br>` tag, or with one of a paragraph, would turn all lines up to the next blank one into HTML.
  const hasText = first?.attrs === undefined && first?.content?.some(({ type }) => type !== 'hardBreak') === true
  const isTight = hasText && rest.length === 0 && (second === undefined || interruptsParagraph(second))
  const checked = typeof attrs?.checked === 'boolean' ? attrs.checked : null
  const blocks = blocksToMdast(content)
  // A checkbox needs a paragraph, even an empty one.
  const children = checked !== null && first?.content === undefined ? [paragraph([]), ...blocks] : blocks
  return { type: 'listItem', checked, spread: content.length > 1 && !isTight, children }
}

/** Whether a list may follow a paragraph without a blank line: not if it starts at another number than 1 or with an empty item. */
function interruptsParagraph({ type, attrs, content }: DocNode): boolean {
  if (attrs?.dir !== undefined) return false
  const isList = type === 'bulletList' || type === 'taskList' || (type === 'orderedList' && attrs?.start === 1)
  return isList && content?.[0]?.content?.[0]?.content !== undefined
}

/** A pipe table; undefined unless the table is one header row over rows of as many single-paragraph cells. */
function pipeTable(rows: readonly DocNode[]): Table | undefined {
  const [head, ...body] = rows.map(({ content = [] }) => content)
  if (head === undefined || head.length === 0 || !head.every(isPipeCell)) return undefined
  const align = head.map(alignOf)
  const fits =
    head.every(({ type }) => type === 'tableHeader') &&
    body.every((row) => row.length === head.length && row.every(({ type }) => type === 'tableCell')) &&
    body.every((row) => row.every((cell, column) => isPipeCell(cell) && alignOf(cell) === align[column]))
  if (!fits) return undefined
  const children = [head, ...body].map((row): Table['children'][number] => ({
    type: 'tableRow',
    children: row.map((cell) => ({
      type: 'tableCell',
      children: inlineToMdast(cell.content?.[0]?.content ?? [], 'line'),
    })),
  }))
  return { type: 'table', align, children }
}

function isPipeCell({ attrs, content = [] }: DocNode): boolean {
  return (
    attrs?.colspan === 1 &&
    attrs.rowspan === 1 &&
    content.length === 1 &&
    content[0]?.type === 'paragraph' &&
    content[0].attrs === undefined
  )
}

function alignOf({ attrs }: DocNode): AlignType {
  const align = attrs?.align
  return align === 'left' || align === 'center' || align === 'right' ? align : null
}

/** The node as HTML on one line, because a blank line would end it. */
function rawHtml(node: DocNode): BlockContent {
  return { type: 'html', value: printHtml(blockToHast(node)).replaceAll('\n', '&#10;') }
}
