/** Footnotes in HTML and in the trees of Markdown: `[^1]` is a number that leads to its note, and the note leads back. */
import type { Element, ElementContent, Nodes, Root } from 'hast'
import type { FootnoteDefinition, Nodes as MdastNodes, Root as MdastRoot, RootContent } from 'mdast'
import { targetOf } from './ids.ts'

/** The element of a reference; `id` is where the note leads back to. */
export function referenceElement(label: string): Element {
  const properties = { href: `#fn-${encodeURIComponent(label)}`, dataFootnoteRef: '' }
  const link: Element = { type: 'element', tagName: 'a', properties, children: [{ type: 'text', value: label }] }
  return { type: 'element', tagName: 'sup', properties: {}, children: [link] }
}

/** The label of a reference, if an element is one: the link, or the superscript around it alone. */
export function referenceLabel({ tagName, properties, children }: Element): string | undefined {
  if (tagName === 'sup') {
    const [only, second] = children
    return only?.type === 'element' && only.tagName === 'a' && second === undefined ? referenceLabel(only) : undefined
  }
  if (tagName !== 'a' || properties.dataFootnoteRef === undefined) return undefined
  return labelOf(targetOf(properties.href))
}

/** The label in the id of a note, as written here or by GitHub. */
export function labelOf(id: unknown): string | undefined {
  const label = typeof id === 'string' ? id.replace(/^(?:user-content-)?fn-/, '') : ''
  return /^[^\s[\]]{1,100}$/.test(label) ? label : undefined
}

/** Whether an element holds the notes of a text. */
function isFootnoteList({ tagName, properties }: Element): boolean {
  return tagName === 'section' && properties.dataFootnotes !== undefined
}

/** Makes references and notes lead to each other, in a tree whose notes have ids. */
export function linkFootnotes(root: Root): void {
  const counts = new Map<string, number>()
  const notes: Element[] = []
  const visit = (node: Nodes): void => {
    if (node.type === 'element') {
      const label = node.tagName === 'a' ? referenceLabel(node) : undefined
      if (label !== undefined) {
        const count = (counts.get(label) ?? 0) + 1
        counts.set(label, count)
        node.properties = { id: backId(label, count), ...node.properties }
      }
      if (isFootnoteList(node)) notes.push(...notesIn(node))
    }
    if ('children' in node) node.children.forEach(visit)
  }
  visit(root)
  for (const note of notes) {
    const label = labelOf(note.properties.id) ?? ''
    const count = counts.get(label) ?? 0
    const last = note.children.at(-1)
    const links = Array.from({ length: count }, (_, index) => backLink(label, index + 1)).flat()
    if (links.length === 0) continue
    if (last?.type === 'element' && last.tagName === 'p') last.children.push({ type: 'text', value: ' ' }, ...links)
    else note.children.push({ type: 'element', tagName: 'p', properties: {}, children: links })
  }
}

/** The items of a list of notes. */
function notesIn(list: Element): Element[] {
  return elementsIn(list, 'ol').flatMap((items) => elementsIn(items, 'li'))
}

function elementsIn({ children }: Element, tagName: string): Element[] {
  return children.filter((child) => child.type === 'element').filter((child) => child.tagName === tagName)
}

function backId(label: string, count: number): string {
  return `fnref-${label}${count === 1 ? '' : `-${count}`}`
}

function backLink(label: string, count: number): ElementContent[] {
  const properties = { href: `#${encodeURIComponent(backId(label, count))}`, dataFootnoteBackref: '' }
  const number: ElementContent[] =
    count === 1
      ? []
      : [{ type: 'element', tagName: 'sup', properties: {}, children: [{ type: 'text', value: String(count) }] }]
  const link: Element = {
    type: 'element',
    tagName: 'a',
    properties,
    children: [{ type: 'text', value: '↩' }, ...number],
  }
  return count === 1 ? [link] : [{ type: 'text', value: ' ' }, link]
}

/** In the tree of a Markdown text: puts the notes at its end, also those that nothing refers to, with ids instead of labels. */
export function placeFootnotes(tree: MdastRoot): void {
  const notes = new Map<string, FootnoteDefinition>()
  const visit = (node: MdastNodes): void => {
    if (!('children' in node)) return
    // The nodes of each list keep their kind, which the compiler cannot follow.
    const children = node.children as RootContent[]
    for (let index = 0; index < children.length; index++) {
      const child = children[index]
      if (child === undefined) continue
      visit(child)
      if (child.type === 'footnoteReference') {
        const data = { hName: 'sup', hChildren: referenceElement(idPart(child.identifier)).children }
        children[index] = { type: 'emphasis', children: [], data }
      } else if (child.type === 'footnoteDefinition') {
        if (!notes.has(child.identifier)) notes.set(child.identifier, child)
        children.splice(index--, 1)
      }
    }
  }
  visit(tree)
  if (notes.size === 0) return
  const items = [...notes.values()].map(({ identifier, children }) => ({
    type: 'listItem' as const,
    spread: true,
    children: children.filter((child) => child.type !== 'definition' && child.type !== 'footnoteDefinition'),
    data: { hProperties: { id: `fn-${idPart(identifier)}` } },
  }))
  tree.children.push({
    type: 'blockquote',
    children: [{ type: 'list', ordered: true, spread: true, children: items }],
    data: { hName: 'section', hProperties: { dataFootnotes: '' } },
  })
}

/** A label as part of an id. */
function idPart(identifier: string): string {
  return identifier.replace(/[^\p{L}\p{N}_.-]/gu, (character) => `_${character.codePointAt(0)}_`)
}

/** The nodes without the lists of footnotes in them, whose items are added to `notes`. */
export function withoutFootnotes(nodes: Root['children'], notes: Element[]): ElementContent[] {
  return nodes.flatMap((node): ElementContent[] => {
    if (node.type === 'doctype') return []
    if (node.type !== 'element') return [node]
    const children = withoutFootnotes(node.children, notes)
    if (!isFootnoteList(node)) return [{ ...node, children }]
    const element = { ...node, children }
    notes.push(...notesIn(element))
    const others = children.filter((child) => child.type !== 'element' || (child.tagName !== 'ol' && !isHidden(child)))
    return [{ ...element, properties: {}, children: others }]
  })
}

/** Whether an element is GitHub's title of the footnotes, which only screen readers read. */
function isHidden({ properties }: Element): boolean {
  return Array.isArray(properties.className) && properties.className.includes('sr-only')
}
