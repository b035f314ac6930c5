import type { Element, ElementContent, Nodes, Root, RootContent } from 'hast'
import { embedOf } from './embeds.ts'
import { labelOf, referenceLabel, withoutFootnotes } from './footnotes.ts'
import { codeBlockOf } from './hast-code.ts'
import { addedText, inline, inlineLeaf, sizeOf, withMarkOf } from './hast-inline.ts'
import { integerIn, itemNodes, itemsOf } from './hast-lists.ts'
import { isHeading } from './ids.ts'
import { type Attrs, type DocMark, type DocNode, typeOf } from './schema.ts'

/** Elements without a node of their own that still end the paragraph before them. */
const containers = new Set('caption dd div dt figcaption li p section summary td th tr'.split(' '))

/**
 * What surrounds a node: the marks of its text, the direction of its words (`dir`) and the one that they would have by the
 * document's nodes around it (`given`), and who is told of what a document has no place for.
 */
type Scope = {
  marks: readonly DocMark[]
  dir: Direction
  given: Direction
  note: Note
  embedHosts: readonly string[]
}
type Direction = string | undefined
type Note = (message: string) => void

/**
 * Collects blocks. Inline nodes gather in `run` until a block or the end of a container turns them into a paragraph.
 */
type Sink = { blocks: DocNode[]; run: DocNode[] }

/**
 * The document of a sanitised tree. It is not canonical yet: white space is as in the source and containers can be empty,
 * but every node is where the schema allows it.
 */
export function hastToDoc(tree: Root, embedHosts: readonly string[], note: Note): DocNode {
  const scope: Scope = { marks: [], dir: undefined, given: undefined, note, embedHosts }
  const notes: Element[] = []
  const blocks = blocksOf(withoutFootnotes(tree.children, notes), scope)
  if (notes.length === 0) return { type: 'doc', content: blocks }
  const footnotes = notes.map((item, index): DocNode => {
    // Nothing refers to a note that has no id any more.
    const attrs = { label: labelOf(item.properties.id) ?? `unused-${index}` }
    return { type: 'footnote', attrs, content: blocksOf(item.children, scope) }
  })
  const body = blocks.length === 0 ? [{ type: 'paragraph' }] : blocks
  return { type: 'doc', content: [...body, { type: 'footnotes', content: footnotes }] }
}

function blocksOf(nodes: readonly RootContent[], scope: Scope): DocNode[] {
  const sink: Sink = { blocks: [], run: [] }
  for (const node of nodes) read(node, scope, sink)
  flush(sink, scope)
  return sink.blocks
}

function flush(sink: Sink, scope: Scope): void {
  if (sink.run.some((node) => node.text === undefined || /[^ \t\n\f\r]/.test(node.text))) {
    sink.blocks.push(block('paragraph', scope, {}, sink.run))
  }
  sink.run = []
}

/** A block that has a direction if it is another than that of the blocks around it. */
function block(type: string, { dir, given }: Scope, attrs: Attrs, content: DocNode[]): DocNode {
  const all = { ...attrs, ...(dir !== undefined && dir !== given && { dir }) }
  return { type, ...(Object.keys(all).length > 0 && { attrs: all }), content }
}

/** The scope of what is in a block that carries its direction. */
function within(scope: Scope): Scope {
  return { ...scope, given: scope.dir }
}

function read(node: Nodes, outer: Scope, sink: Sink): void {
  if (node.type === 'text' && node.value !== '') sink.run.push(inline({ type: 'text', text: node.value }, outer.marks))
  // Parentheses that only old browsers show, around `rt`.
  if (node.type !== 'element' || node.tagName === 'rp') return
  const scope = { ...outer, dir: directionOf(node) ?? outer.dir }
  if (hasAnchor(node)) {
    const anchor = inline({ type: 'anchor', attrs: { id: String(node.properties.id) } }, outer.marks)
    const { id: _, ...properties } = node.properties
    const inner: Element = { ...node, properties }
    if (!containers.has(node.tagName)) {
      sink.run.push(anchor)
      read(inner, outer, sink)
      return
    }
    flush(sink, outer)
    sink.run.push(anchor)
    for (const child of node.children) read(child, scope, sink)
    flush(sink, scope)
    return
  }
  const leaf = inlineLeaf(node)
  if (leaf !== undefined) {
    sink.run.push(inline(leaf, scope.marks))
    return
  }
  const blocks = blockOf(node, scope)
  if (blocks !== undefined) {
    flush(sink, outer)
    sink.blocks.push(...blocks)
  } else if (containers.has(node.tagName)) {
    flush(sink, outer)
    const inner = blocksOf(node.children, scope)
    // A paragraph that has nothing but the way back from a note was made for that, unless it has a direction of its own.
    const isForBackLink = node.children.some(isBackLink) && directionOf(node) === undefined
    const isEmpty = inner.length === 0 && node.tagName === 'p' && !isForBackLink
    sink.blocks.push(...(isEmpty ? [block('paragraph', scope, {}, [])] : inner))
  } else if (!isBackLink(node)) {
    readInline(node, scope, sink)
  }
}

/** Where a browser shows more than the text of an element, so does the document. */
function readInline(node: Element, scope: Scope, sink: Sink): void {
  if (node.tagName === 'ruby')
    scope.note('Readings above characters (ruby) are in parentheses in the rich text and the Markdown.')
  const [before, after] = addedText(node)
  if (before !== '') read({ type: 'text', value: before }, scope, sink)
  for (const child of node.children) read(child, { ...scope, marks: withMarkOf(node, scope.marks) }, sink)
  if (after !== '') read({ type: 'text', value: after }, scope, sink)
}

/** Whether a link leads to an element that has no other node to be found by. */
function hasAnchor(element: Element): boolean {
  return typeof element.properties.id === 'string' && !isHeading(element) && referenceLabel(element) === undefined
}

function isBackLink(node: Nodes): boolean {
  return node.type === 'element' && node.properties.dataFootnoteBackref !== undefined
}

function directionOf({ tagName, properties }: Element): Direction {
  const dir = String(properties.dir ?? '').toLowerCase()
  return /^(?:ltr|rtl|auto)$/.test(dir) && tagName !== 'span' ? dir : undefined
}

/** The blocks of an element that has a node of its own; undefined for all other elements. */
function blockOf(element: Element, scope: Scope): DocNode[] | undefined {
  const { tagName, children, properties } = element
  switch (tagName) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6': {
      const attrs = { level: Number(tagName[1]), ...(typeof properties.id === 'string' && { id: properties.id }) }
      return [block('heading', scope, attrs, inlineOf(children, scope))]
    }
    case 'ul':
    case 'ol':
      return listsOf(element, scope)
    case 'blockquote':
      return [block('blockquote', scope, {}, blocksOf(children, within(scope)))]
    case 'pre':
      return [codeBlockOf(element, scope.note)]
    case 'hr':
      return [{ type: 'horizontalRule' }]
    case 'iframe':
      return [embedOfFrame(element, scope)]
    case 'video': {
      const { src, poster } = properties
      return [
        { type: 'video', attrs: { src: String(src), ...(poster && { poster: String(poster) }), ...sizeOf(element) } },
      ]
    }
    case 'audio':
      return [{ type: 'audio', attrs: { src: String(properties.src) } }]
    case 'table':
      return tableOf(element, scope)
    case 'figure':
      return figureOf(element, scope)
    case 'details':
      return [detailsOf(element, scope)]
    case 'dl':
      return definitionsOf(element, scope)
    default:
      return undefined
  }
}

function detailsOf({ children, properties }: Element, scope: Scope): DocNode {
  const summary = children.find((child) => child.type === 'element' && child.tagName === 'summary')
  const content = [
    { type: 'detailsSummary', content: summary === undefined ? [] : inlineOf([summary], scope) },
    {
      type: 'detailsContent',
      content: blocksOf(
        children.filter((child) => child !== summary),
        scope,
      ),
    },
  ]
  return { type: 'details', ...(properties.open && { attrs: { open: true } }), content }
}

/** Terms and descriptions, perhaps in divisions; anything else in the list describes. */
function definitionsOf({ children }: Element, scope: Scope): DocNode[] {
  const entries = children.flatMap((child) =>
    child.type === 'element' && child.tagName === 'div' ? child.children : [child],
  )
  const content = entries.flatMap((entry): DocNode[] => {
    if (entry.type === 'element' && entry.tagName === 'dt')
      return [{ type: 'definitionTerm', content: inlineOf([entry], scope) }]
    const blocks = blocksOf([entry], scope)
    const isDescription = entry.type === 'element' && entry.tagName === 'dd'
    return blocks.length > 0 || isDescription ? [{ type: 'definitionDescription', content: blocks }] : []
  })
  return content.length === 0 ? [] : [{ type: 'definitionList', content }]
}

/** For nodes that hold inline content only: blocks within are unwrapped, with a space between them. */
function inlineOf(nodes: readonly RootContent[], scope: Scope): DocNode[] {
  const leavesOf = (node: DocNode): DocNode[] => {
    if (node.content === undefined && media.has(node.type))
      scope.note('A video, recording or frame in a heading or caption was left out: those hold text only.')
    return node.content?.flatMap(leavesOf) ?? (typeOf(node).isInline ? [node] : [])
  }
  return blocksOf(nodes, scope).flatMap((block, index) => [
    ...(index > 0 ? [{ type: 'text', text: ' ' }] : []),
    ...leavesOf(block),
  ])
}

const media = new Set(['audio', 'embed', 'video'])

/** One list, or several if items with and without a checkbox alternate. */
function listsOf(list: Element, scope: Scope): DocNode[] {
  const lists: DocNode[] = []
  const { start: first, type, reversed } = list.properties
  const start = integerIn(first, 0, 99_000_000)
  const kind = {
    ...(typeof type === 'string' && /^[aAiI]$/.test(type) && { type }),
    ...(reversed && { reversed: true }),
  }
  itemsOf(list).forEach(({ nodes, checked, value }, index) => {
    const [listType, itemType] =
      checked !== undefined
        ? ['taskList', 'taskItem']
        : [`${list.tagName === 'ol' ? 'ordered' : 'bullet'}List`, 'listItem']
    const blocks = blocksOf(nodes, within(scope))
    const content = blocks[0]?.type === 'paragraph' ? blocks : [{ type: 'paragraph' }, ...blocks]
    const attrs = checked !== undefined ? { checked } : value
    const item: DocNode = { type: itemType, ...(Object.keys(attrs).length > 0 && { attrs }), content }
    const last = lists.at(-1)
    if (last?.type === listType) last.content?.push(item)
    else lists.push(block(listType, scope, listType === 'orderedList' ? { start: start + index, ...kind } : {}, [item]))
  })
  return lists
}

function tableOf(table: Element, scope: Scope): DocNode[] {
  const rows = rowsOf(table).map((row): DocNode => ({ type: 'tableRow', content: cellsOf(row, within(scope)) }))
  const captions = table.children.filter((node) => node.type === 'element' && node.tagName === 'caption')
  return [...blocksOf(captions, scope), ...(rows.length === 0 ? [] : [block('table', scope, {}, rows)])]
}

function rowsOf(parent: Element): Element[] {
  return parent.children.flatMap((node) => {
    if (node.type !== 'element') return []
    return node.tagName === 'tr' ? [node] : /^t(?:head|body|foot)$/.test(node.tagName) ? rowsOf(node) : []
  })
}

function cellsOf(row: Element, scope: Scope): DocNode[] {
  return row.children.flatMap((node) => {
    if (node.type !== 'element' || (node.tagName !== 'td' && node.tagName !== 'th')) return []
    const { colSpan, rowSpan, align } = node.properties
    const attrs = {
      colspan: integerIn(colSpan, 1, 1000),
      rowspan: integerIn(rowSpan, 1, 1000),
      ...((align === 'left' || align === 'center' || align === 'right') && { align }),
    }
    return [
      { type: node.tagName === 'th' ? 'tableHeader' : 'tableCell', attrs, content: blocksOf(itemNodes(node), scope) },
    ]
  })
}

function figureOf(figure: Element, scope: Scope): DocNode[] {
  const isCaption = (node: ElementContent) => node.type === 'element' && node.tagName === 'figcaption'
  const captions = figure.children.filter(isCaption)
  const blocks = blocksOf(
    figure.children.filter((node) => !isCaption(node)),
    scope,
  )
  if (blocks.length === 0) return blocksOf(captions, scope)
  const caption: DocNode[] = captions.length === 0 ? [] : [{ type: 'figcaption', content: inlineOf(captions, scope) }]
  return [{ type: 'figure', content: [...blocks, ...caption] }]
}

function embedOfFrame(frame: Element, { embedHosts }: Scope): DocNode {
  return { type: 'embed', attrs: { ...embedOf(String(frame.properties.src), embedHosts), ...sizeOf(frame) } }
}
