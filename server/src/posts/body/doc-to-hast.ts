import type { Element, ElementContent, Properties, Root } from 'hast'
import { linkFootnotes, referenceElement } from './footnotes.ts'
import { type Inline, nestMarks } from './inline.ts'
import { embedElement, player } from './media-elements.ts'
import type { Attrs, DocMark, DocNode } from './schema.ts'
import { checkboxElement } from './tidy.ts'

const tagOfMark: Record<string, string> = {
  ...{ link: 'a', bold: 'strong', italic: 'em', strike: 'del', underline: 'u', highlight: 'mark' },
  ...{ subscript: 'sub', superscript: 'sup', kbd: 'kbd', code: 'code' },
}

/** The HTML tag of a mark type. */
export function markTag(type: string): string {
  return tagOfMark[type] ?? 'span'
}

/** The tree of a canonical document, not sanitised; a document of one empty paragraph gives an empty tree. */
export function docToHast(doc: DocNode): Root {
  const blocks = doc.content ?? []
  const isEmpty = blocks.length === 1 && blocks[0]?.type === 'paragraph' && blocks[0].content === undefined
  const root: Root = { type: 'root', children: isEmpty ? [] : blocks.map(blockToHast) }
  linkFootnotes(root)
  return root
}

/** The element of one block of a canonical document. */
export function blockToHast(node: DocNode): Element {
  const { type, attrs = {}, content = [] } = node
  switch (type) {
    case 'paragraph':
      return element('p', attrs, inlineToHast(content))
    case 'heading': {
      const { level, ...others } = attrs
      return element(`h${level}`, others, inlineToHast(content))
    }
    case 'figcaption':
      return element('figcaption', {}, inlineToHast(content))
    case 'bulletList':
      return element('ul', attrs, content.map(blockToHast))
    case 'orderedList':
      return element('ol', listProperties(attrs), content.map(blockToHast))
    case 'taskList':
      return element('ul', { className: ['contains-task-list'], ...attrs }, content.map(blockToHast))
    case 'listItem':
      return element('li', attrs, unwrapped(content))
    case 'taskItem':
      return element('li', { className: ['task-list-item'] }, [
        checkboxElement(attrs.checked === true),
        { type: 'text', value: ' ' },
        ...unwrapped(content),
      ])
    case 'blockquote':
      return element('blockquote', attrs, content.map(blockToHast))
    case 'codeBlock':
      return element('pre', {}, [codeToHast(node)])
    case 'horizontalRule':
      return element('hr', {}, [])
    case 'table':
      return tableToHast(node)
    case 'tableRow':
      return element('tr', {}, content.map(blockToHast))
    case 'tableHeader':
    case 'tableCell':
      return element(type === 'tableHeader' ? 'th' : 'td', cellProperties(node), unwrapped(content))
    case 'figure':
      // An empty figure would be lost when the HTML is read again; one with an empty paragraph is not.
      return element('figure', {}, content[0]?.content ? unwrapped(content) : content.map(blockToHast))
    case 'embed':
      return embedElement(String(attrs.src), attrs)
    case 'video':
    case 'audio':
      return player(type, attrs)
    case 'details':
      return element('details', attrs, contentsToHast(content))
    case 'detailsSummary':
      return element('summary', {}, inlineToHast(content))
    case 'definitionList':
      return element('dl', {}, content.map(blockToHast))
    case 'definitionTerm':
      return element('dt', {}, inlineToHast(content))
    case 'definitionDescription':
      return element('dd', {}, unwrapped(content))
    case 'footnotes':
      return element('section', { className: ['footnotes'], dataFootnotes: '' }, [
        element('ol', {}, content.map(blockToHast)),
      ])
    case 'footnote':
      return element('li', { id: `fn-${attrs.label}` }, content.map(blockToHast))
    default:
      throw new TypeError(`not a block: ${type}`)
  }
}

/** Blocks of a node without an element of its own stand for it. */
function contentsToHast(blocks: readonly DocNode[]): ElementContent[] {
  return blocks.flatMap((node) =>
    node.type === 'detailsContent' ? (node.content ?? []).map(blockToHast) : [blockToHast(node)],
  )
}

function listProperties({ start, ...others }: Attrs): Properties {
  return start === 1 ? others : { start: Number(start), ...others }
}

function element(tagName: string, properties: Properties, children: ElementContent[]): Element {
  return { type: 'element', tagName, properties, children }
}

/** Blocks of which the first is a paragraph; its tags are left out where they would only make a list loose or a cell tall. */
function unwrapped(blocks: readonly DocNode[]): ElementContent[] {
  const [first, ...rest] = blocks
  if (first?.type !== 'paragraph' || first.attrs !== undefined || rest.some(({ type }) => type === 'paragraph'))
    return blocks.map(blockToHast)
  if (first.content === undefined && rest.length > 0) return blocks.map(blockToHast)
  return [...inlineToHast(first.content ?? []), ...rest.map(blockToHast)]
}

function codeToHast({ attrs, content = [] }: DocNode): Element {
  // HTML readers drop one line end before the end tag.
  const text = content.map((node): ElementContent => ({ type: 'text', value: `${node.text}\n` }))
  return element('code', attrs?.language === undefined ? {} : { className: [`language-${attrs.language}`] }, text)
}

function tableToHast({ attrs = {}, content: rows = [] }: DocNode): Element {
  const [first, ...rest] = rows
  const hasHead = first?.content?.every(({ type }) => type === 'tableHeader') === true
  const body = hasHead ? rest : rows
  return element('table', attrs, [
    ...(hasHead ? [element('thead', {}, [blockToHast(first)])] : []),
    ...(body.length > 0 ? [element('tbody', {}, body.map(blockToHast))] : []),
  ])
}

function cellProperties({ attrs = {} }: DocNode): Properties {
  const { align, colspan = 1, rowspan = 1 } = attrs
  return {
    ...(align === undefined ? {} : { align: String(align) }),
    ...(colspan === 1 ? {} : { colSpan: Number(colspan) }),
    ...(rowspan === 1 ? {} : { rowSpan: Number(rowspan) }),
  }
}

function inlineToHast(nodes: readonly DocNode[]): ElementContent[] {
  return nestMarks(nodes).map(spanToHast)
}

function spanToHast(span: Inline): ElementContent {
  if ('mark' in span) return element(markTag(span.mark.type), linkProperties(span.mark), span.children.map(spanToHast))
  return leafToHast(span.leaf)
}

/** The node of one piece of inline content, without its marks. */
export function leafToHast({ type, text, attrs = {} }: DocNode): ElementContent {
  if (type === 'image') return element('img', attrs, [])
  if (type === 'anchor') return element('a', attrs, [])
  if (type === 'footnoteReference') return referenceElement(String(attrs.label))
  return type === 'hardBreak' ? element('br', {}, []) : { type: 'text', value: text ?? '' }
}

/** The properties of a mark's element. */
export function linkProperties({ attrs }: DocMark): Properties {
  const { rel, ...others } = attrs ?? {}
  return rel === undefined ? others : { ...others, rel: String(rel).split(' ') }
}
