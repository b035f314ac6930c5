/** The inline nodes and marks that elements become. */
import type { Element } from 'hast'
import { referenceLabel } from './footnotes.ts'
import { pixels } from './media-elements.ts'
import type { Attrs, DocMark, DocNode } from './schema.ts'

/** The mark of each element. Link marks are made where their attributes are read. */
const markOfTag: Record<string, string> = {
  ...{ b: 'bold', strong: 'bold', em: 'italic', i: 'italic', var: 'italic' },
  ...{ del: 'strike', s: 'strike', strike: 'strike', ins: 'underline', u: 'underline', mark: 'highlight' },
  ...{ sub: 'subscript', sup: 'superscript', kbd: 'kbd', code: 'code', samp: 'code', tt: 'code' },
}

/** A node with these marks. */
export function inline(node: DocNode, marks: readonly DocMark[]): DocNode {
  return marks.length === 0 ? node : { ...node, marks: [...marks] }
}

/** The node of an element that stands in a line and has no content; undefined for all others. */
export function inlineLeaf(element: Element): DocNode | undefined {
  const { tagName, properties } = element
  if (tagName === 'br') return { type: 'hardBreak' }
  const label = referenceLabel(element)
  if (label !== undefined) return { type: 'footnoteReference', attrs: { label } }
  if (tagName !== 'img') return undefined
  const { src, alt, title } = properties
  const attrs = { src: String(src), alt: String(alt ?? ''), ...(title && { title: String(title) }) }
  return { type: 'image', attrs: { ...attrs, ...sizeOf(element) } }
}

/** The width and height in pixels that an element states. */
export function sizeOf({ properties }: Element): Attrs {
  const [width, height] = [pixels(properties.width), pixels(properties.height)]
  return { ...(width !== undefined && { width }), ...(height !== undefined && { height }) }
}

/** The marks of what is in an element. */
export function withMarkOf(element: Element, marks: readonly DocMark[]): readonly DocMark[] {
  const mark = markOf(element)
  return mark === undefined ? marks : [...marks.filter(({ type }) => type !== mark.type), mark]
}

function markOf({ tagName, properties }: Element): DocMark | undefined {
  if (tagName === 'a' && properties.href !== undefined) {
    const { href, title, rel } = properties
    const shown = {
      ...(title && { title: String(title) }),
      ...(Array.isArray(rel) && rel.length > 0 && { rel: rel.join(' ') }),
    }
    return { type: 'link', attrs: { href: String(href), ...shown } }
  }
  const type = Object.hasOwn(markOfTag, tagName) ? markOfTag[tagName] : undefined
  return type === undefined ? undefined : { type }
}

/** What a browser shows before and after the text of an element. */
export function addedText({ tagName }: Element): [string, string] {
  if (tagName === 'q') return ['“', '”']
  return tagName === 'rt' ? [' (', ')'] : ['', '']
}
