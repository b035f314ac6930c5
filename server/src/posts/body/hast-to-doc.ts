import type { Element, ElementContent, Nodes, Root, RootContent } from 'hast'
import { embedOf } from './embeds.ts'
import { type DocMark, type DocNode, isLanguage } from './schema.ts'

/** The mark of each element. Link marks are made where their attributes are read. */
const markOfTag: Record<string, string> = {
  ...{ b: 'bold', strong: 'bold', em: 'italic', i: 'italic', var: 'italic' },
  ...{ del: 'strike', s: 'strike', strike: 'strike', ins: 'underline', u: 'underline', mark: 'highlight' },
  ...{ sub: 'subscript', sup: 'superscript', code: 'code', samp: 'code', kbd: 'code', tt: 'code' },
}

/** Elements without a node of their own that still end the paragraph before them. */
const containers = new Set('caption dd details div dl dt figcaption li p section summary td th tr'.split(' '))

/**
 * Collects blocks. Inline nodes gather in `run` until a block or the end of a container turns them into a paragraph.
 */
type Sink = { blocks: DocNode[]; run: DocNode[] }

/**
 * The document of a sanitised tree. It is not canonical yet: white space is as in the source and containers can be empty,
 * but every node is where the schema allows it.
 */
export function hastToDoc(tree: Root): DocNode {
  return { type: 'doc', content: blocksOf(tree.children, []) }
}

function blocksOf(nodes: readonly RootContent[], marks: readonly DocMark[]): DocNode[] {
  const sink: Sink = { blocks: [], run: [] }
  for (const node of nodes) read(node, marks, sink)
  flush(sink)
  return sink.blocks
}

function flush(sink: Sink): void {
  if (sink.run.some((node) => node.text === undefined || /[^ \t\n\f\r]/.test(node.text))) {
    sink.blocks.push({ type: 'paragraph', content: sink.run })
  }
  sink.run = []
}

function read(node: Nodes, marks: readonly DocMark[], sink: Sink): void {
  if (node.type === 'text' && node.value !== '') sink.run.push(inline({ type: 'text', text: node.value }, marks))
  if (node.type !== 'element') return
  const leaf = inlineLeaf(node)
  if (leaf !== undefined) {
    sink.run.push(inline(leaf, marks))
    return
  }
  const blocks = blockOf(node, marks)
  if (blocks !== undefined) {
    flush(sink)
    sink.blocks.push(...blocks)
  } else if (containers.has(node.tagName)) {
    flush(sink)
    const inner = blocksOf(node.children, marks)
    sink.blocks.push(...(inner.length === 0 && node.tagName === 'p' ? [{ type: 'paragraph' }] : inner))
  } else if (node.properties.dataFootnoteBackref === undefined) {
    for (const child of node.children) read(child, withMarkOf(node, marks), sink)
  }
}

function inline(node: DocNode, marks: readonly DocMark[]): DocNode {
  return marks.length === 0 ? node : { ...node, marks: [...marks] }
}

function inlineLeaf({ tagName, properties }: Element): DocNode | undefined {
  if (tagName === 'br') return { type: 'hardBreak' }
  if (tagName !== 'img') return undefined
  const { src, alt, title } = properties
  const attrs = { src: String(src), alt: String(alt ?? ''), ...(title && { title: String(title) }) }
  return { type: 'image', attrs }
}

function withMarkOf(element: Element, marks: readonly DocMark[]): readonly DocMark[] {
  const mark = markOf(element)
  return mark === undefined ? marks : [...marks.filter(({ type }) => type !== mark.type), mark]
}

function markOf({ tagName, properties }: Element): DocMark | undefined {
  // Footnote numbers point to ids that sanitising drops.
  if (tagName === 'a' && properties.href !== undefined && properties.dataFootnoteRef === undefined) {
    const { href, title } = properties
    return { type: 'link', attrs: { href: String(href), ...(title && { title: String(title) }) } }
  }
  const type = Object.hasOwn(markOfTag, tagName) ? markOfTag[tagName] : undefined
  return type === undefined ? undefined : { type }
}

/** The blocks of an element that has a node of its own; undefined for all other elements. */
function blockOf(element: Element, marks: readonly DocMark[]): DocNode[] | undefined {
  const { tagName, children, properties } = element
  switch (tagName) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return [{ type: 'heading', attrs: { level: Number(tagName[1]) }, content: inlineOf(children, marks) }]
    case 'ul':
    case 'ol':
      return listsOf(element, marks)
    case 'blockquote':
      return [{ type: 'blockquote', content: blocksOf(children, marks) }]
    case 'pre':
      return [codeBlockOf(element)]
    case 'hr':
      return [{ type: 'horizontalRule' }]
    case 'iframe':
      return [{ type: 'embed', attrs: { ...embedOf(String(properties.src)) } }]
    case 'table':
      return tableOf(element, marks)
    case 'figure':
      return figureOf(element, marks)
    default:
      return undefined
  }
}

/** For nodes that hold inline content only: blocks within are unwrapped, with a space between them. */
function inlineOf(nodes: readonly RootContent[], marks: readonly DocMark[]): DocNode[] {
  const leavesOf = (node: DocNode): DocNode[] => node.content?.flatMap(leavesOf) ?? (isInline(node) ? [node] : [])
  return blocksOf(nodes, marks).flatMap((block, index) => [
    ...(index > 0 ? [{ type: 'text', text: ' ' }] : []),
    ...leavesOf(block),
  ])
}

function isInline({ type }: DocNode): boolean {
  return type === 'text' || type === 'image' || type === 'hardBreak'
}

function codeBlockOf(pre: Element): DocNode {
  const classes = [pre, ...pre.children].flatMap((node) =>
    node.type === 'element' && Array.isArray(node.properties.className) ? node.properties.className : [],
  )
  const language = classes.map((name) => /^language-(.*)/.exec(String(name))?.[1]).find((name) => name !== undefined)
  const text = linesOf(pre).replace(/\n$/, '')
  return {
    type: 'codeBlock',
    ...(language !== undefined && isLanguage(language) && { attrs: { language } }),
    content: text === '' ? [] : [{ type: 'text', text }],
  }
}

/** Elements that begin and end a line within a `pre`, as highlighters and editors put around each. */
const lineBlocks = new Set('blockquote dd div dl dt figure h1 h2 h3 h4 h5 h6 li ol p section table tr ul'.split(' '))

/** The text of a `pre`, with its lines as a browser shows them. */
function linesOf(pre: Element): string {
  let text = ''
  const endLine = () => {
    if (text !== '' && !text.endsWith('\n')) text += '\n'
  }
  const visit = (node: Nodes): void => {
    if (node.type === 'text') text += node.value
    if (node.type !== 'element') return
    if (node.tagName === 'br') text += '\n'
    const isBlock = lineBlocks.has(node.tagName)
    if (isBlock) endLine()
    node.children.forEach(visit)
    if (isBlock) endLine()
  }
  pre.children.forEach(visit)
  return text
}

/** `checked` is undefined for items without a checkbox. */
type Item = { nodes: ElementContent[]; checked: boolean | undefined }

/** One list, or several if items with and without a checkbox alternate. */
function listsOf(list: Element, marks: readonly DocMark[]): DocNode[] {
  const lists: DocNode[] = []
  const start = integerIn(list.properties.start, 0, 99_000_000)
  itemsOf(list).forEach(({ nodes, checked }, index) => {
    const [kind, itemType] =
      checked !== undefined
        ? ['taskList', 'taskItem']
        : [`${list.tagName === 'ol' ? 'ordered' : 'bullet'}List`, 'listItem']
    const blocks = blocksOf(nodes, marks)
    const content = blocks[0]?.type === 'paragraph' ? blocks : [{ type: 'paragraph' }, ...blocks]
    const item: DocNode = { type: itemType, ...(checked !== undefined && { attrs: { checked } }), content }
    const last = lists.at(-1)
    if (last?.type === kind) last.content?.push(item)
    else lists.push({ type: kind, ...(kind === 'orderedList' && { attrs: { start: start + index } }), content: [item] })
  })
  return lists
}

/** Content between items belongs to the item before it, as in lists nested by old editors. */
function itemsOf(list: Element): Item[] {
  const items: Item[] = []
  for (const child of list.children) {
    const last = items.at(-1)
    if (child.type === 'element' && child.tagName === 'li') {
      items.push({ nodes: [...child.children], checked: boxOf(child) })
    } else if (last !== undefined) {
      last.nodes.push(child)
    } else if (!isBlank(child)) {
      items.push({ nodes: [child], checked: undefined })
    }
  }
  return items
}

/** The state of the checkbox that an item begins with, perhaps inside its paragraph. */
function boxOf(element: Element): boolean | undefined {
  const first = element.children.find((child) => !isBlank(child))
  if (first?.type !== 'element') return undefined
  if (first.tagName === 'input') return Boolean(first.properties.checked)
  return first.tagName === 'p' ? boxOf(first) : undefined
}

function isBlank(node: Nodes): boolean {
  return node.type === 'text' && !/[^ \t\n\f\r]/.test(node.value)
}

function tableOf(table: Element, marks: readonly DocMark[]): DocNode[] {
  const rows = rowsOf(table).map((row): DocNode => ({ type: 'tableRow', content: cellsOf(row, marks) }))
  const captions = table.children.filter((node) => node.type === 'element' && node.tagName === 'caption')
  return [...blocksOf(captions, marks), ...(rows.length === 0 ? [] : [{ type: 'table', content: rows }])]
}

function rowsOf(parent: Element): Element[] {
  return parent.children.flatMap((node) => {
    if (node.type !== 'element') return []
    return node.tagName === 'tr' ? [node] : /^t(?:head|body|foot)$/.test(node.tagName) ? rowsOf(node) : []
  })
}

function cellsOf(row: Element, marks: readonly DocMark[]): DocNode[] {
  return row.children.flatMap((node) => {
    if (node.type !== 'element' || (node.tagName !== 'td' && node.tagName !== 'th')) return []
    const { colSpan, rowSpan, align } = node.properties
    const attrs = {
      colspan: integerIn(colSpan, 1, 1000),
      rowspan: integerIn(rowSpan, 1, 1000),
      ...((align === 'left' || align === 'center' || align === 'right') && { align }),
    }
    return [
      { type: node.tagName === 'th' ? 'tableHeader' : 'tableCell', attrs, content: blocksOf(node.children, marks) },
    ]
  })
}

function figureOf(figure: Element, marks: readonly DocMark[]): DocNode[] {
  const isCaption = (node: ElementContent) => node.type === 'element' && node.tagName === 'figcaption'
  const captions = figure.children.filter(isCaption)
  const blocks = blocksOf(
    figure.children.filter((node) => !isCaption(node)),
    marks,
  )
  if (blocks.length === 0) return blocksOf(captions, marks)
  const caption: DocNode[] = captions.length === 0 ? [] : [{ type: 'figcaption', content: inlineOf(captions, marks) }]
  return [{ type: 'figure', content: [...blocks, ...caption] }]
}

/** A number attribute; 1 if it is missing or out of range. */
function integerIn(value: unknown, min: number, max: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : 1
}
