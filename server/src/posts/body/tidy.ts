/**
 * Our own rules on HTML, stricter than the library's on addresses and kinder on everything else: what a reader would have seen
 * or used stays in some form, or its loss is noted.
 */
import type { Element, ElementContent, Properties, Root, RootContent } from 'hast'
import { embedOf } from './embeds.ts'
import { isHarmlessId, isHeading, targetOf } from './ids.ts'
import type { LossCode } from './losses.ts'
import { embedElement, imageElement, playerElement } from './media-elements.ts'
import { relTokens, safeHref, schemeOf, webAddress } from './urls.ts'

/** What tidying needs to know: the hosts whose frames may stay, and whom to tell of losses. */
export type Tidying = { embedHosts: readonly string[]; note: (code: LossCode, message: string) => void }

/** Elements that are removed with what is in them, and what the author is told; undefined: no reader sees them. */
const removed: Record<string, [LossCode, string] | undefined> = {
  ...Object.fromEntries(
    'base head link meta noembed noframes param style template title'.split(' ').map((name) => [name, undefined]),
  ),
  script: ['element_removed', 'A script was removed: posts cannot run code.'],
  svg: ['media_removed', 'A drawing (svg) was removed. Insert it as a picture.'],
  math: ['element_removed', 'A formula (math) was removed. Write it as text, or insert it as a picture.'],
  ...Object.fromEntries(
    'datalist input select textarea'
      .split(' ')
      .map((name) => [name, ['element_removed', 'A form field was removed: posts cannot have forms.']]),
  ),
}

/** Blocks that have no place in a post but for where they begin and end; a division takes theirs. */
const plainBlocks = new Set(
  'address article aside center dialog fieldset footer form header hgroup legend main nav search'.split(' '),
)
const renamed: Record<string, string> = { dir: 'ul', menu: 'ul', listing: 'pre', xmp: 'pre' }

/** Controls of Ghost's players, which only its script moves: `0:00`, `1×`. */
const playerControls = new Set(['kg-video-overlay', 'kg-video-player-container', 'kg-audio-player'])

/** Where a node is: bold means nothing in a heading, and an underline nothing in a link. */
type Place = { inHeading: boolean; inLink: boolean }

/** The nodes of a tree as they may stay, before the library checks them. */
export function tidied(tree: Root, tidying: Tidying): ElementContent[] {
  const tidy = tidier(tidying, idsIn(tree))
  return tree.children.flatMap((node) => tidy(node, { inHeading: false, inLink: false }))
}

/** The ids that links within the tree lead to. */
function idsIn(tree: Root): Set<string> {
  const ids = new Set<string>()
  const visit = (node: RootContent): void => {
    if (node.type !== 'element') return
    const id = node.tagName === 'a' ? targetOf(String(node.properties.href ?? '').trim()) : undefined
    if (id !== undefined) ids.add(id)
    node.children.forEach(visit)
  }
  tree.children.forEach(visit)
  return ids
}

function tidier({ embedHosts, note }: Tidying, wantedIds: Set<string>) {
  const tidy = (node: RootContent, place: Place): ElementContent[] => {
    if (node.type === 'text') return [node]
    if (node.type !== 'element') return []
    const { tagName } = node
    const id = idOf(node)
    if (tagName === 'input' && node.properties.type === 'checkbox')
      return [checkboxElement(Boolean(node.properties.checked))]
    if (Object.hasOwn(removed, tagName)) return removedElement(node)
    if (isPlayerControl(node)) return []
    if (tagName === 'img') return withId(id, imageElement(node, note))
    if (tagName === 'iframe' || tagName === 'embed') return withId(id, frame(node))
    if (tagName === 'video' || tagName === 'audio')
      return withId(id, playerElement(node, note) ?? [...players(node), ...tidyAll(node, place)])
    if (tagName === 'object') return withId(id, object(node, place))
    if (tagName === 'area') return area(node)
    return container(node, id, place)
  }

  const tidyAll = ({ children }: Element, place: Place) => children.flatMap((child) => tidy(child, place))

  /** The id, if a link leads to it and nothing before has it. */
  const idOf = ({ tagName, properties }: Element): string | undefined => {
    const id = String(properties.id ?? (tagName === 'a' ? (properties.name ?? '') : ''))
    if (!wantedIds.has(id)) return undefined
    wantedIds.delete(id)
    if (isHarmlessId(id)) return id
    note('attribute_removed', 'The name of a place in the text was removed; links to it lead nowhere.')
    return undefined
  }

  const removedElement = ({ tagName }: Element): ElementContent[] => {
    const loss = removed[tagName]
    if (loss !== undefined) note(...loss)
    return []
  }

  const frame = (element: Element): ElementContent[] => {
    const { src, title, width, height } = element.properties
    const embed = embedOf(String(src ?? ''), embedHosts)
    if (embed !== undefined) return [embedElement(embed.src, { width, height })]
    const link = linkTo(String(src ?? ''), title)
    if (link.length > 0)
      note('media_removed', 'A frame became a link, because posts may show frames from allowed hosts only.')
    else if (src !== undefined) note('media_removed', 'A frame was removed: it has no address on the web.')
    return link
  }

  /** What other content of the page the browser would show in place of an object that it cannot. */
  const object = (element: Element, place: Place): ElementContent[] => {
    const children = tidyAll(element, place)
    const link = children.some((child) => !isBlank(child))
      ? []
      : linkTo(String(element.properties.data ?? ''), element.properties.title)
    note(
      'media_removed',
      link.length > 0 ? 'An embedded object became a link to it.' : 'An embedded object was removed.',
    )
    return [...children, ...link]
  }

  const players = ({ properties, children }: Element): ElementContent[] => {
    const sources = [
      properties.src,
      ...children.map((child) =>
        child.type === 'element' && child.tagName === 'source' ? child.properties.src : undefined,
      ),
    ]
    const link = sources.flatMap((src) => linkTo(String(src ?? ''), properties.title)).slice(0, 3)
    if (link.length > 0)
      note('media_removed', 'A video or recording became a link to it: its address does not begin with "https:".')
    else if (sources.some((src) => src !== undefined))
      note('media_removed', 'A video or recording was removed: it has no address on the web.')
    return link
  }

  const area = ({ properties: { href, alt } }: Element): ElementContent[] => {
    const address = safeHref(String(href ?? ''))
    if (address === undefined) return []
    return [
      space,
      {
        type: 'element',
        tagName: 'a',
        properties: { href: address },
        children: [{ type: 'text', value: String(alt || address) }],
      },
      space,
    ]
  }

  const container = (given: Element, id: string | undefined, place: Place): ElementContent[] => {
    const element = named(given)
    const { tagName, properties } = element
    const inner = { inHeading: place.inHeading || isHeading(element), inLink: place.inLink || tagName === 'a' }
    const children = tidyAll(element, inner)
    if (tagName === 'pre') trimLineEnds(children)
    if (tagName === 'p' && children.every(isBlank) && element.children.some(({ type }) => type !== 'text')) return []
    if (tagName === 'a') return link(element, id, children)
    if (isUndone(element)) return withId(id, children)
    if (tagName === 'abbr' && properties.title)
      note('attribute_removed', 'The explanation of an abbreviation was removed.')
    if (tagName === 'button' && children.length > 0)
      note('element_removed', 'A button became text: posts cannot have forms.')
    const { id: _id, ...others } = properties
    const kept = id === undefined ? others : { ...others, id }
    // A paragraph ends where a block begins: written as it is, it would leave an empty paragraph behind.
    const name = tagName === 'p' && children.some(hasBlock) ? 'div' : tagName
    return [{ ...element, tagName: name, properties: kept, children: styled(element, children, place) }]
  }

  const link = (element: Element, id: string | undefined, children: ElementContent[]): ElementContent[] => {
    const { properties } = element
    const given = String(properties.href ?? '')
    const href = safeHref(given)
    if (href === undefined && given.trim() !== '')
      note('link_removed', `A link was removed because of its address ("${schemeOf(given)}"); its text stays.`)
    if (href !== undefined && properties.download !== undefined)
      note('attribute_removed', 'A link that downloads a file became an ordinary link.')
    if (href === undefined) return withId(id, children)
    const { id: _id, name: _name, rel: _rel, ...others } = properties
    const rel = relTokens([properties.rel ?? ''].flat().join(' '))
    const kept = { ...others, href, ...(id !== undefined && { id }), ...(rel !== '' && { rel: rel.split(' ') }) }
    return [{ ...element, properties: kept, children }]
  }

  return tidy
}

const space: ElementContent = { type: 'text', value: ' ' }

/** A link to content that cannot stay, if that is on the web. It may stand among words. */
function linkTo(address: string, title: Properties[string]): ElementContent[] {
  const href = webAddress(address)
  if (href === undefined) return []
  const text = typeof title === 'string' && title.trim() !== '' ? title : href
  return [
    space,
    { type: 'element', tagName: 'a', properties: { href }, children: [{ type: 'text', value: text }] },
    space,
  ]
}

/** An anchor before nodes that cannot have the id themselves. */
function withId(id: string | undefined, nodes: ElementContent[]): ElementContent[] {
  if (id === undefined) return nodes
  return [{ type: 'element', tagName: 'a', properties: { id }, children: [] }, ...nodes]
}

function named(element: Element): Element {
  const { tagName } = element
  if (plainBlocks.has(tagName)) return { ...element, tagName: 'div' }
  const other = Object.hasOwn(renamed, tagName) ? renamed[tagName] : undefined
  return other === undefined ? element : { ...element, tagName: other }
}

function isPlayerControl({ properties: { className } }: Element): boolean {
  return Array.isArray(className) && className.some((name) => playerControls.has(String(name)))
}

/** The only HTML form of a task's checkbox, the same as GitHub's. */
export function checkboxElement(checked: boolean): Element {
  return { type: 'element', tagName: 'input', properties: { type: 'checkbox', checked, disabled: true }, children: [] }
}

/** Removes the line ends that open a `pre`: every parse would drop one. */
function trimLineEnds(children: ElementContent[]): void {
  const first = children[0]
  if (first?.type === 'text') children[0] = { ...first, value: first.value.replace(/^\n+/, '') }
}

const blocks = new Set(
  'blockquote details div dl figcaption figure h1 h2 h3 h4 h5 h6 hr ol p pre section summary table ul'.split(' '),
)

function hasBlock(node: ElementContent): boolean {
  return node.type === 'element' && (blocks.has(node.tagName) || node.children.some(hasBlock))
}

const visibleLeaves = new Set(['audio', 'br', 'hr', 'iframe', 'img', 'input', 'video'])

function isBlank(node: ElementContent): boolean {
  if (node.type === 'text') return !/[^ \t\n\f\r]/.test(node.value)
  if (node.type !== 'element') return true
  return !visibleLeaves.has(node.tagName) && node.properties.id === undefined && node.children.every(isBlank)
}

function stylesOf({ properties: { style } }: Element): Map<string, string> {
  const declarations = String(style ?? '')
    .toLowerCase()
    .split(';')
    .map((one) => one.split(':'))
  return new Map(declarations.map(([name = '', value = '']) => [name.trim(), value.trim()]))
}

/** Whether an element's own style takes its meaning away: Google Docs wraps all that is copied in a bold element of normal weight. */
function isUndone(element: Element): boolean {
  const { tagName } = element
  if (element.properties.style === undefined) return false
  const styles = stylesOf(element)
  const weight = styles.get('font-weight')
  if (tagName === 'b' || tagName === 'strong') return weight !== undefined && !isBoldWeight(weight)
  return (tagName === 'i' || tagName === 'em') && styles.get('font-style') === 'normal'
}

/** The children in the elements that say what the styles of a `span` say; editors such as Google Docs use nothing else. */
function styled(element: Element, children: ElementContent[], { inHeading, inLink }: Place): ElementContent[] {
  const { tagName, properties } = element
  if ((tagName !== 'span' && tagName !== 'font') || properties.style === undefined) return children
  const styles = stylesOf(element)
  const decoration = styles.get('text-decoration') ?? styles.get('text-decoration-line') ?? ''
  const align = styles.get('vertical-align')
  const tags = [
    isBoldWeight(styles.get('font-weight') ?? '') && !inHeading ? 'strong' : undefined,
    /^(?:italic|oblique)/.test(styles.get('font-style') ?? '') ? 'em' : undefined,
    decoration.includes('line-through') ? 'del' : undefined,
    decoration.includes('underline') && !inLink ? 'u' : undefined,
    align === 'sub' || align === 'super' ? align.replace('super', 'sup') : undefined,
  ]
  return tags.reduceRight<ElementContent[]>(
    (inner, tag) =>
      tag === undefined || inner.every(isBlank)
        ? inner
        : [{ type: 'element', tagName: tag, properties: {}, children: inner }],
    children,
  )
}

function isBoldWeight(weight: string): boolean {
  return weight.startsWith('bold') || Number(weight) >= 600
}
