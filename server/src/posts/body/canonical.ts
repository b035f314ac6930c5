import type { NodeType } from 'prosemirror-model'
import { type AttrValue, attributeRules, droppedAttributes } from './attributes.ts'
import { normaliseInline, plainCode } from './inline.ts'
import { assertStorableText, BodyError, maxDocDepth, maxDocNodes, nodeBudget, tooDeep } from './limits.ts'
import { arrangeReferences } from './references.ts'
import { type Attrs, type DocMark, type DocNode, markOrder, schema, typeOf } from './schema.ts'

type Fields = Record<string, unknown>

/**
 * Checks an untrusted document against the schema and returns its canonical form: attributes filled in and null ones
 * left out, marks sorted, text nodes with equal marks joined, white space as a browser would show it, a paragraph in every empty
 * container, footnotes numbered, ids only where links lead to. An image among blocks, where Tiptap puts it by default, gets a
 * paragraph of its own.
 *
 * A canonical document is returned as it is. Throws BodyError with the exact place below `path`.
 */
export function canonicalDoc(json: unknown, path: string, embedHosts: readonly string[]): DocNode {
  const doc = readNode(json, path, 0, { count: nodeBudget(path, maxDocNodes), embedHosts })
  if (doc.type !== 'doc') throw new BodyError(`${path}.type`, 'must be "doc"')
  return arrangeReferences(doc)
}

/** `dir` is the direction that the nodes around give: saying it again says nothing. */
type Reading = { count: () => void; embedHosts: readonly string[]; dir?: AttrValue | undefined }

function readNode(value: unknown, path: string, depth: number, reading: Reading): DocNode {
  if (depth > maxDocDepth) throw tooDeep(path, maxDocDepth)
  if (depth > 0) reading.count()
  const fields = readFields(value, path, ['type', 'attrs', 'content', 'marks', 'text'])
  const type = typeof fields.type === 'string' ? schema.nodes[fields.type] : undefined
  if (type === undefined) throw new BodyError(`${path}.type`, 'is not a known node type')

  const given = readAttrs('node', type.name, fields.attrs, `${path}.attrs`, reading.embedHosts)
  const attrs = given?.dir !== undefined && given.dir === reading.dir ? withoutDir(given) : given
  const inner = attrs?.dir === undefined ? reading : { ...reading, dir: attrs.dir }
  const marks = readMarks(fields.marks, `${path}.marks`).filter(
    (mark) => !bareNodes.has(type.name) || !bareMarks.has(mark.type),
  )
  const node: DocNode = { type: type.name, ...(attrs && { attrs }), ...(marks.length > 0 && { marks }) }
  if (!type.isText && fields.text !== undefined) throw new BodyError(`${path}.text`, 'is only for text nodes')
  if (type.isText) node.text = readText(fields.text, `${path}.text`)

  const children = readList(fields.content, `${path}.content`).map((child, index) =>
    readNode(child, `${path}.content.${index}`, depth + 1, inner),
  )
  const content = arrangeContent(node, children, `${path}.content`)
  return content.length === 0 ? node : { ...node, content }
}

function withoutDir({ dir: _, ...others }: Attrs): Attrs | undefined {
  return Object.keys(others).length === 0 ? undefined : others
}

function arrangeContent(parent: DocNode, children: DocNode[], path: string): DocNode[] {
  const type = typeOf(parent)
  if (type.inlineContent) {
    assertContent(parent, children, path)
    return type.spec.code ? plainCode(children) : normaliseInline(children)
  }
  if (children.length === 0 && type.contentMatch.matchType(typeOf(emptyParagraph))?.validEnd) return [emptyParagraph]
  const blocks = children.map((child) => (child.type === 'image' ? { ...emptyParagraph, content: [child] } : child))
  assertContent(parent, blocks, path)
  return blocks
}

/** Nodes that are links in HTML; no link can be around them, and no code. */
const bareNodes = new Set(['anchor', 'footnoteReference'])
const bareMarks = new Set(['code', 'link'])

const emptyParagraph: DocNode = { type: 'paragraph' }

/** Throws BodyError at the first child or mark that its place does not allow, or if a required child is missing at the end. */
function assertContent(parent: DocNode, children: readonly DocNode[], path: string): void {
  const type = typeOf(parent)
  let match = type.contentMatch
  children.forEach((child, index) => {
    const next = match.matchType(typeOf(child))
    if (next === null) throw new BodyError(`${path}.${index}.type`, `is "${child.type}", which is not allowed here`)
    match = next
    const mark = child.marks?.findIndex(({ type: name }) => !allowsMark(type, name)) ?? -1
    if (mark >= 0) throw new BodyError(`${path}.${index}.marks.${mark}.type`, 'is not allowed here')
  })
  if (!match.validEnd) throw new BodyError(path, `is incomplete for "${parent.type}"`)
}

function allowsMark(type: NodeType, name: string): boolean {
  const mark = schema.marks[name]
  return mark !== undefined && type.allowsMarkType(mark)
}

function readMarks(value: unknown, path: string): DocMark[] {
  const marks = new Map<string, DocMark>()
  for (const [index, item] of readList(value, path).entries()) {
    const at = `${path}.${index}`
    const { type, attrs: given } = readFields(item, at, ['type', 'attrs'])
    if (typeof type !== 'string' || !markOrder.includes(type))
      throw new BodyError(`${at}.type`, 'is not a known mark type')
    const attrs = readAttrs('mark', type, given, `${at}.attrs`)
    marks.set(type, attrs ? { type, attrs } : { type })
  }
  return markOrder.flatMap((type) => marks.get(type) ?? [])
}

function readAttrs(
  kind: 'node' | 'mark',
  type: string,
  value: unknown,
  path: string,
  embedHosts?: readonly string[],
): Attrs | undefined {
  const given = value === undefined ? {} : readFields(value, path)
  const rules = attributeRules(kind, type)
  for (const [name, extra] of Object.entries(given)) {
    if (Object.hasOwn(rules, name) || droppedAttributes.has(name) || extra === null) continue
    throw new BodyError(`${path}.${name}`, `is not an attribute of "${type}"`)
  }
  const attrs: [string, AttrValue][] = []
  for (const [name, rule] of Object.entries(rules)) {
    const at = `${path}.${name}`
    const item = given[name]
    if (typeof item === 'string') assertStorableText(item, at)
    if (item === undefined && rule.fallback === undefined) throw new BodyError(at, 'is required')
    const canonical = item === undefined ? rule.fallback : rule.read(item, given, embedHosts)
    if (canonical === undefined) throw new BodyError(at, 'is not an allowed value')
    if (canonical !== null) attrs.push([name, canonical])
  }
  return attrs.length === 0 ? undefined : Object.fromEntries(attrs)
}

function readText(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw new BodyError(path, 'must be a non-empty string')
  assertStorableText(value, path)
  return value
}

function readList(value: unknown, path: string): unknown[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw new BodyError(path, 'must be an array')
  return value
}

function readFields(value: unknown, path: string, allowed?: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BodyError(path, 'must be an object')
  const unknown = allowed && Object.keys(value).find((key) => !allowed.includes(key))
  if (unknown !== undefined) throw new BodyError(`${path}.${unknown}`, 'is not a known field')
  // A JSON object; every field is checked before use.
  return value as Fields
}
