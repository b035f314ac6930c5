import { type AttributeSpec, type MarkSpec, type NodeSpec, type NodeType, Schema } from 'prosemirror-model'
import { type AttrValue, attributeRules, type Rules } from './attributes.ts'

export type Attrs = Record<string, AttrValue>
/** A mark as in ProseMirror's JSON; attributes that are null there are absent here. */
export type DocMark = { type: string; attrs?: Attrs }
/** A node as in ProseMirror's JSON; attributes that are null there are absent here. */
export type DocNode = { type: string; attrs?: Attrs; content?: DocNode[]; marks?: DocMark[]; text?: string }

const block = { group: 'block' } satisfies NodeSpec
const inline = { group: 'inline', inline: true } satisfies NodeSpec

// The order of declaration matters: ProseMirror fills gaps with the first block, and marks are sorted as listed.
const nodes: Record<string, NodeSpec> = {
  doc: { content: 'block+ footnotes?' },
  paragraph: { ...block, content: 'inline*' },
  heading: { ...block, content: 'inline*', defining: true },
  bulletList: { ...block, content: 'listItem+' },
  orderedList: { ...block, content: 'listItem+' },
  listItem: { content: 'paragraph block*', defining: true },
  taskList: { ...block, content: 'taskItem+' },
  taskItem: { content: 'paragraph block*', defining: true },
  blockquote: { ...block, content: 'block+', defining: true },
  codeBlock: { ...block, content: 'text*', marks: '', code: true, defining: true },
  horizontalRule: block,
  table: { ...block, content: 'tableRow+', isolating: true, tableRole: 'table' },
  tableRow: { content: '(tableCell | tableHeader)*', tableRole: 'row' },
  tableHeader: { content: 'block+', isolating: true, tableRole: 'header_cell' },
  tableCell: { content: 'block+', isolating: true, tableRole: 'cell' },
  figure: { ...block, content: 'block+ figcaption?', isolating: true },
  figcaption: { content: 'inline*' },
  embed: { ...block, atom: true },
  video: { ...block, atom: true },
  audio: { ...block, atom: true },
  details: { ...block, content: 'detailsSummary detailsContent', defining: true, isolating: true },
  detailsSummary: { content: 'inline*', defining: true, isolating: true },
  detailsContent: { content: 'block+', defining: true },
  definitionList: { ...block, content: '(definitionTerm | definitionDescription)+' },
  definitionTerm: { content: 'inline*', defining: true },
  definitionDescription: { content: 'block+', defining: true },
  footnotes: { content: 'footnote+', isolating: true },
  footnote: { content: 'block+', defining: true },
  text: { group: 'inline' },
  // Inline, as in Markdown and HTML: an image can stand in a sentence and inside a link.
  image: { ...inline, draggable: true },
  hardBreak: { ...inline, selectable: false },
  footnoteReference: { ...inline, atom: true },
  // Where a link within the post leads to, if that is no heading.
  anchor: { ...inline, atom: true },
}

const marks: Record<string, MarkSpec> = {
  link: { inclusive: false },
  bold: {},
  italic: {},
  strike: {},
  underline: {},
  highlight: {},
  subscript: {},
  superscript: {},
  kbd: {},
  code: { code: true },
}

/** The document schema of server and editor: node, mark and attribute names are Tiptap 3's. */
export const schema = new Schema({
  nodes: mapSpecs(nodes, 'node'),
  marks: mapSpecs(marks, 'mark'),
})

/** The schema's type of a node that has been checked. */
export function typeOf(node: DocNode): NodeType {
  const type = schema.nodes[node.type]
  if (type === undefined) throw new TypeError(`unknown node type ${node.type}`)
  return type
}

/** All mark types in stored order, outermost first. */
export const markOrder: readonly string[] = Object.keys(marks)

function mapSpecs<Spec extends NodeSpec | MarkSpec>(specs: Record<string, Spec>, kind: 'node' | 'mark') {
  const withAttrs = (name: string, spec: Spec): Spec => ({ ...spec, attrs: attributeSpecs(attributeRules(kind, name)) })
  return Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, withAttrs(name, spec)]))
}

function attributeSpecs(rules: Rules): Record<string, AttributeSpec> {
  const specs = Object.entries(rules).map(([name, { fallback }]): [string, AttributeSpec] => [
    name,
    fallback === undefined ? {} : { default: fallback },
  ])
  return Object.fromEntries(specs)
}
