import type { Element, ElementContent, Nodes, Root, RootContent } from 'hast'
import { defaultSchema, type Schema, sanitize } from 'hast-util-sanitize'
import { parseHtml, printHtml } from './html.ts'
import { assertFormSize, BodyError } from './limits.ts'
import { plainLine } from './schema.ts'
import { embedOf, safeHref, safeImageSrc } from './urls.ts'

const embedSrc =
  /^https:\/\/(?:www\.youtube(?:-nocookie)?\.com\/embed\/|player\.vimeo\.com\/video\/)[\w-]+(?:\?[\w=&-]+)?$/

// Names that scripts of the surrounding page look up, and properties of forms and the keyboard. `id` is dropped rather than
// prefixed: a prefix breaks anchors, and headings get their ids here.
const droppedProperties = new Set(['accessKey', 'action', 'htmlFor', 'id', 'itemProp', 'method', 'name', 'tabIndex'])
const droppedTags = new Set(['picture', 'source'])
/** Elements removed with their content; other elements that are not allowed are replaced by their content. */
const stripped =
  'audio canvas embed head math noembed noframes object option script select style svg template textarea title video'

const rules: Schema = {
  ...defaultSchema,
  tagNames: [
    ...(defaultSchema.tagNames ?? []).filter((name) => !droppedTags.has(name)),
    ...['caption', 'figcaption', 'figure', 'iframe', 'mark', 'u'],
  ],
  attributes: {
    ...defaultSchema.attributes,
    // The default list without some entries, because it has `start`, `checked` and `colSpan`.
    '*': (defaultSchema.attributes?.['*'] ?? []).filter((name) => !droppedProperties.has(String(name))),
    img: ['src'],
    iframe: [['src', embedSrc], 'allowFullScreen', ['loading', 'lazy']],
  },
  ancestors: { ...defaultSchema.ancestors, caption: ['table'] },
  clobberPrefix: '',
  protocols: { ...defaultSchema.protocols, href: ['http', 'https', 'mailto', 'tel'] },
  strip: stripped.split(' '),
}

/** A new tree with only allowed elements, attributes and addresses, and with ids on its headings. */
export function sanitizeTree(tree: Root): Root {
  const safe = sanitize({ type: 'root', children: tree.children.flatMap(tidyNode) }, rules)
  const root: Root = safe.type === 'root' ? safe : { type: 'root', children: [safe] }
  addHeadingIds(root)
  return root
}

/**
 * Sanitises untrusted HTML for storage, and returns its tree too. After elements are removed, the rest may parse differently
 * than it was printed (a paragraph inside a paragraph), and attacks hide in such differences. So it is sanitised until it
 * parses as printed: once or twice, three times in one of 400,000 random texts. Throws BodyError.
 */
export function sanitizeHtml(source: string, path: string): { html: string; tree: Root } {
  let written = source
  for (let round = 0; round < 8; round++) {
    const tree = sanitizeTree(parseHtml(written, path))
    const html = printHtml(tree)
    assertFormSize(html, 'html', path)
    if (html === written) return { html, tree }
    written = html
  }
  throw new BodyError(path, 'is nested in a way that cannot be sanitised; simplify it')
}

/** Applies our rules on addresses, which are stricter than the library's; the library still checks everything afterwards. */
function tidyNode(node: RootContent): ElementContent[] {
  if (node.type === 'text') return [node]
  if (node.type !== 'element') return []
  const { tagName, properties } = node
  if (tagName === 'img') {
    const src = safeImageSrc(String(properties.src ?? ''))
    return src === undefined ? [] : [{ ...node, properties: { ...properties, src } }]
  }
  if (tagName === 'iframe') {
    const embed = embedOf(String(properties.src ?? ''))
    return embed === undefined ? [] : [embedElement(embed.src)]
  }
  if (tagName === 'input') {
    const { type, checked = false } = properties
    return type === 'checkbox' ? [checkboxElement(Boolean(checked))] : []
  }
  const children = node.children.flatMap(tidyNode)
  if (tagName === 'pre') trimLineEnds(children)
  if (tagName !== 'a') return [{ ...node, children }]
  const href = safeHref(String(properties.href ?? ''))
  return href === undefined ? children : [{ ...node, properties: { ...properties, href }, children }]
}

/** Removes the line ends that open a `pre`: every parse would drop one. */
function trimLineEnds(children: ElementContent[]): void {
  const first = children[0]
  if (first?.type === 'text') children[0] = { ...first, value: first.value.replace(/^\n+/, '') }
}

/** The only HTML form of an embed; `src` comes from `embedOf`. */
export function embedElement(src: string): Element {
  const properties = { src, width: 560, height: 315, loading: 'lazy', allowFullScreen: true }
  return { type: 'element', tagName: 'iframe', properties, children: [] }
}

/** The only HTML form of a task's checkbox, the same as GitHub's. */
export function checkboxElement(checked: boolean): Element {
  return { type: 'element', tagName: 'input', properties: { type: 'checkbox', checked, disabled: true }, children: [] }
}

/** How many characters of a heading are read to make its id; not all are kept. */
const MOST_READ = 1_000

function addHeadingIds(root: Root): void {
  const taken = new Map<string, number>()
  const visit = (node: Nodes): void => {
    if (!('children' in node)) return
    if (node.type === 'element' && /^h[1-6]$/.test(node.tagName)) {
      node.properties = { id: uniqueId(slugOf(beginningOf(node)), taken), ...node.properties }
    }
    node.children.forEach(visit)
  }
  visit(root)
}

/** The beginning of a heading's text. Headings may contain headings, each of which would read all of it. */
function beginningOf(heading: Nodes): string {
  let text = ''
  const visit = (node: Nodes): void => {
    if (text.length >= MOST_READ) return
    if (node.type === 'text') text += node.value
    else if ('children' in node) node.children.forEach(visit)
  }
  visit(heading)
  return text.slice(0, MOST_READ).toWellFormed()
}

/** The same slugs as on GitHub, so that anchors written for GitHub work. */
function slugOf(heading: string): string {
  const words = plainLine(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
  return (
    words
      .slice(0, 100)
      .replaceAll(' ', '-')
      .replace(/[\uD800-\uDBFF]$/, '') || 'section'
  )
}

function uniqueId(slug: string, taken: Map<string, number>): string {
  let id = slug
  for (let n = taken.get(slug) ?? 0; taken.has(id); taken.set(slug, n)) id = `${slug}-${++n}`
  taken.set(id, 0)
  return id
}

/** The text below a node, without any separation. */
export function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value
  return 'children' in node ? node.children.map(textOf).join('') : ''
}
