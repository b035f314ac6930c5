import { type AttributeSpec, type MarkSpec, type NodeSpec, type NodeType, Schema } from 'prosemirror-model'
import { embedOf } from './embeds.ts'
import { safeHref, safeImageSrc } from './urls.ts'

export type AttrValue = string | number | boolean
export type Attrs = Record<string, AttrValue>
/** A mark as in ProseMirror's JSON; attributes that are null there are absent here. */
export type DocMark = { type: string; attrs?: Attrs }
/** A node as in ProseMirror's JSON; attributes that are null there are absent here. */
export type DocNode = { type: string; attrs?: Attrs; content?: DocNode[]; marks?: DocMark[]; text?: string }

/** Reads the canonical value of an attribute; null: it has none; undefined: refused. `siblings` are the other attributes. */
type Read = (value: unknown, siblings: Record<string, unknown>) => AttrValue | null | undefined
/** `fallback` undefined: the attribute is required. */
type AttributeRule = { read: Read; fallback: AttrValue | null | undefined }
type Rules = Record<string, AttributeRule>

const integer = (min: number, max: number, fallback: number): AttributeRule => ({
  read: (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined,
  fallback,
})

/** One line of text: white space is collapsed, so that no form of the body can lose it. */
const line = (fallback: '' | null): AttributeRule => ({
  read: (value) => (typeof value === 'string' ? plainLine(value) || fallback : value === null ? fallback : undefined),
  fallback,
})

const string = (accept: (text: string) => string | undefined): AttributeRule => ({
  read: (value) => (typeof value === 'string' ? accept(value) : undefined),
  fallback: undefined,
})

const language: AttributeRule = {
  read: (value) =>
    value === null || value === '' ? null : typeof value === 'string' && isLanguage(value) ? value : undefined,
  fallback: null,
}

const align: AttributeRule = {
  read: (value) => (value === null || value === 'left' || value === 'center' || value === 'right' ? value : undefined),
  fallback: null,
}

const cell: Rules = { colspan: integer(1, 1000, 1), rowspan: integer(1, 1000, 1), align }

const nodeRules: Record<string, Rules> = {
  heading: { level: integer(1, 6, 1) },
  orderedList: { start: integer(0, 99_999_999, 1) },
  taskItem: {
    checked: { read: (value) => (typeof value === 'boolean' ? value : undefined), fallback: false },
  },
  codeBlock: { language },
  image: { src: string(safeImageSrc), alt: line(''), title: line(null) },
  tableHeader: cell,
  tableCell: cell,
  embed: {
    provider: string((provider) => provider),
    src: {
      read: (value, { provider }) => {
        const embed = typeof value === 'string' ? embedOf(value) : undefined
        return embed?.provider === provider ? embed?.src : undefined
      },
      fallback: undefined,
    },
  },
}

const markRules: Record<string, Rules> = { link: { href: string(safeHref), title: line(null) } }

/** Attributes that Tiptap's own extensions write and that have no place in the stored forms: accepted, not kept. */
export const droppedAttributes: ReadonlySet<string> = new Set(
  'class color colwidth dir height id indent rel style target textAlign type width'.split(' '),
)

/** The attributes of a node or mark type by name. */
export function attributeRules(kind: 'node' | 'mark', type: string): Rules {
  return (kind === 'node' ? nodeRules[type] : markRules[type]) ?? {}
}

/** Whether `name` can be written after a Markdown fence and in a `language-…` class. */
export function isLanguage(name: string): boolean {
  return /^[\w.+#-]{1,40}$/.test(name)
}

/** `text` on one line: control characters removed, white space collapsed and trimmed. */
export function plainLine(text: string): string {
  return withoutControls(text)
    .replace(/[ \t\n\f\r]+/g, ' ')
    .replace(/^ | $/g, '')
}

/** `text` without control characters and byte order marks, which HTML and Markdown readers change or drop. */
export function withoutControls(text: string): string {
  return text.replace(/(?![\t\n\f\r])[\p{Cc}\uFEFF]/gu, '')
}

const block = { group: 'block' } satisfies NodeSpec
const inline = { group: 'inline', inline: true } satisfies NodeSpec

// The order of declaration matters: ProseMirror fills gaps with the first block, and marks are sorted as listed.
const nodes: Record<string, NodeSpec> = {
  doc: { content: 'block+' },
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
  text: { group: 'inline' },
  // Inline, as in Markdown and HTML: an image can stand in a sentence and inside a link.
  image: { ...inline, draggable: true },
  hardBreak: { ...inline, selectable: false },
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
  code: { code: true },
}

/** The document schema of server and editor: node, mark and attribute names are Tiptap 3's. */
export const schema = new Schema({
  nodes: mapSpecs(nodes, nodeRules),
  marks: mapSpecs(marks, markRules),
})

/** The schema's type of a node that has been checked. */
export function typeOf(node: DocNode): NodeType {
  const type = schema.nodes[node.type]
  if (type === undefined) throw new TypeError(`unknown node type ${node.type}`)
  return type
}

/** All mark types in stored order, outermost first. */
export const markOrder: readonly string[] = Object.keys(marks)

function mapSpecs<Spec extends NodeSpec | MarkSpec>(specs: Record<string, Spec>, rules: Record<string, Rules>) {
  const withAttrs = (name: string, spec: Spec): Spec => ({ ...spec, attrs: attributeSpecs(rules[name] ?? {}) })
  return Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, withAttrs(name, spec)]))
}

function attributeSpecs(rules: Rules): Record<string, AttributeSpec> {
  const specs = Object.entries(rules).map(([name, { fallback }]): [string, AttributeSpec] => [
    name,
    fallback === undefined ? {} : { default: fallback },
  ])
  return Object.fromEntries(specs)
}
