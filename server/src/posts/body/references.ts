/**
 * What in a document refers to something else in it: links to headings and anchors, and footnotes. Each form would lose a
 * target that nothing refers to, so none is stored; ids that follow from a heading's text are not stored either.
 */
import { HeadingIds, isHarmlessId, targetOf } from './ids.ts'
import { normaliseInline } from './inline.ts'
import { type Attrs, type DocNode, typeOf } from './schema.ts'

/** The document with its references in order: footnotes numbered as they are first referred to, and no unused ids. */
export function arrangeReferences(doc: DocNode): DocNode {
  return withUsedIds(withNumberedFootnotes(doc))
}

/** Replaces nodes, from the leaves up. Inline content is joined again where something was replaced. */
function mapNodes(node: DocNode, replace: (node: DocNode) => DocNode | undefined): DocNode {
  if (node.content === undefined) return node
  let isChanged = false
  const content = node.content.flatMap((child) => {
    const inner = mapNodes(child, replace)
    const next = replace(inner)
    isChanged ||= next !== child
    return next === undefined ? [] : [next]
  })
  if (!isChanged) return node
  const { content: _, ...rest } = node
  const joined = typeOf(node).inlineContent ? normaliseInline(content) : content
  return joined.length === 0 ? rest : { ...rest, content: joined }
}

function visit(nodes: readonly DocNode[], see: (node: DocNode) => void): void {
  for (const node of nodes) {
    see(node)
    if (node.content !== undefined) visit(node.content, see)
  }
}

/**
 * Labels footnotes by number in the order of their first references; those without any come last. A reference to no footnote
 * becomes text.
 */
function withNumberedFootnotes(doc: DocNode): DocNode {
  const content = doc.content ?? []
  const last = content.at(-1)
  const notes = last?.type === 'footnotes' ? (last.content ?? []) : []
  const byLabel = new Map<string, DocNode>()
  for (const note of notes) {
    const label = String(note.attrs?.label)
    if (!byLabel.has(label)) byLabel.set(label, note)
  }
  const ordered = new Set<DocNode>()
  const numbers = new Map<string, string>()
  const number = ({ type, attrs }: DocNode): void => {
    const label = String(attrs?.label)
    const note = type === 'footnoteReference' ? byLabel.get(label) : undefined
    if (note === undefined || ordered.has(note)) return
    ordered.add(note)
    numbers.set(label, String(ordered.size))
  }
  const body = notes.length === 0 ? content : content.slice(0, -1)
  visit(body, number)
  // Notes may refer to further notes; a set is walked with what is added meanwhile.
  for (const note of ordered) visit([note], number)
  for (const note of notes) {
    ordered.add(note)
    visit([note], number)
  }
  const relabelled = (node: DocNode): DocNode => {
    if (node.type !== 'footnoteReference') return node
    const label = numbers.get(String(node.attrs?.label))
    if (label === node.attrs?.label) return node
    if (label !== undefined) return { ...node, attrs: { label } }
    const { attrs, type: _, ...rest } = node
    return { ...rest, type: 'text', text: `[^${attrs?.label}]` }
  }
  const numbered = [...ordered].map((note, index) =>
    withAttrs(mapNodes(note, relabelled), { label: String(index + 1) }),
  )
  const main = mapNodes({ ...doc, content: body }, relabelled)
  return notes.length === 0
    ? main
    : { ...main, content: [...(main.content ?? []), { ...last, type: 'footnotes', content: numbered }] }
}

function withAttrs(node: DocNode, attrs: Attrs): DocNode {
  return node.attrs?.label === attrs.label ? node : { ...node, attrs }
}

/** Drops anchors and ids of headings that no link leads to, that occur twice, or that the heading's text gives anyway. */
function withUsedIds(doc: DocNode): DocNode {
  const wanted = new Set<string>()
  let hasIds = false
  visit([doc], ({ type, attrs, marks = [] }) => {
    hasIds ||= type === 'anchor' || (type === 'heading' && attrs?.id !== undefined)
    for (const mark of marks) {
      const target = mark.type === 'link' ? targetOf(mark.attrs?.href) : undefined
      if (target !== undefined && isHarmlessId(target)) wanted.add(target)
    }
  })
  if (!hasIds && wanted.size === 0) return doc

  const found = new Set<string>()
  const isFirst = (id: unknown): id is string => {
    if (typeof id !== 'string' || !wanted.has(id) || found.has(id)) return false
    found.add(id)
    return true
  }
  const headings: { node: DocNode; id: string | undefined; text: string }[] = []
  const anchors = new Set<string>()
  const unused = new Set<DocNode>()
  visit([doc], (node) => {
    if (node.type === 'heading')
      headings.push({ node, id: isFirst(node.attrs?.id) ? String(node.attrs?.id) : undefined, text: textOf(node) })
    else if (node.type === 'anchor') {
      if (isFirst(node.attrs?.id)) anchors.add(String(node.attrs?.id))
      else unused.add(node)
    }
  })
  const ids = idsOf(headings, anchors, wanted)
  return mapNodes(doc, (node) => {
    if (unused.has(node)) return undefined
    if (node.type !== 'heading') return node
    // Visited in the same order as above.
    const id = ids.shift()
    if (id === node.attrs?.id) return node
    const { id: _, ...attrs } = node.attrs ?? {}
    return { ...node, attrs: id === undefined ? attrs : { level: attrs.level ?? 1, id, ...attrs } }
  })
}

/** The id to store for each heading: none, if it would get the same from its text, were there no others, or if no link uses it. */
function idsOf(
  headings: readonly { id: string | undefined; text: string }[],
  anchors: ReadonlySet<string>,
  wanted: ReadonlySet<string>,
): (string | undefined)[] {
  const alone = new HeadingIds(anchors)
  const plain = headings.map(({ text }) => alone.next(text))
  const given = headings.map(({ id }, index) => (id === plain[index] ? undefined : id))
  const beside = new HeadingIds([...anchors, ...given.filter((id) => id !== undefined)])
  return headings.map(({ text }, index) => {
    if (given[index] !== undefined) return given[index]
    const id = beside.next(text)
    return id !== plain[index] && wanted.has(id) ? id : undefined
  })
}

function textOf({ text = '', content = [] }: DocNode): string {
  return text + content.map(textOf).join('')
}
