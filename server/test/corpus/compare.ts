/** What a reader finds in a text, as our conversion and a reference renderer show it, and where the two differ. */
import type { Element, Nodes, Root } from 'hast'
import MarkdownIt from 'markdown-it'
// @ts-expect-error The package has no types; the other one's are for an older markdown-it.
import footnotes from 'markdown-it-footnote'
import { convertBody, type Loss } from '../../src/posts/body/convert.ts'
import { parseHtml } from '../../src/posts/body/html.ts'

/** A kind of thing in a text; `text` alone decides whether something was lost. */
const KINDS = ['text', 'headings', 'links', 'images', 'code', 'tables', 'lists', 'places', 'marks'] as const
export type Kind = (typeof KINDS)[number]

/** How one text differs: kinds with an example of what the reference has and we do not. `losses` are the warnings. */
export type Comparison = { differences: Map<Kind, string>; losses: Loss[] }

const reference = new MarkdownIt({ html: true, linkify: true }).use(footnotes)

/** The reference knows no tasks. */
const taskBox = /(<li>\s*(?:<p>)?)\[[ xX]\] /g

/** Compares one file. Throws BodyError for a text that is refused. */
export function compare(source: string, form: 'html' | 'markdown'): Comparison {
  const { html, json, losses } = convertBody({ [form]: source })
  const shown = form === 'html' ? source : reference.render(source).replace(taskBox, '$1')
  const wanted = featuresOf(parseHtml(shown, form))
  // What every form holds is what counts: the HTML is made from the document again.
  const found = featuresOf(parseHtml(form === 'html' ? convertBody({ json }).html : html, form))
  const differences = new Map<Kind, string>()
  for (const kind of KINDS) {
    const missing = firstMissing(wanted[kind], found[kind])
    if (missing !== undefined) differences.set(kind, missing)
  }
  return { differences, losses }
}

/** The first entry that occurs more often in one list than in the other. */
function firstMissing(wanted: readonly string[], found: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const one of found) counts.set(one, (counts.get(one) ?? 0) + 1)
  return wanted.find((one) => {
    const left = counts.get(one) ?? 0
    counts.set(one, left - 1)
    return left <= 0
  })
}

const unseen = new Set('head link meta script style template title'.split(' '))
const marks: Record<string, string> = {
  b: 'strong',
  strong: 'strong',
  i: 'em',
  em: 'em',
  s: 'del',
  del: 'del',
  kbd: 'kbd',
  sub: 'sub',
  u: 'u',
  mark: 'mark',
}
const lists = new Set(['ul', 'ol', 'dl'])

function featuresOf(root: Root): Record<Kind, string[]> {
  const features: Record<Kind, string[]> = {
    text: [],
    headings: [],
    links: [],
    images: [],
    code: [],
    tables: [],
    lists: [],
    places: [],
    marks: [],
  }
  const ids = new Set<string>()
  const visit = (node: Nodes): void => {
    if (node.type === 'text') features.text.push(...wordsOf(node.value))
    if (node.type === 'element') {
      if (unseen.has(node.tagName)) return
      if (isBackLink(node)) return
      note(features, ids, node)
    }
    if ('children' in node) node.children.forEach(visit)
  }
  visit(root)
  features.places = features.places.filter((id) => ids.has(id))
  return features
}

function note(features: Record<Kind, string[]>, ids: Set<string>, element: Element): void {
  const { tagName, properties } = element
  if (typeof properties.id === 'string') ids.add(properties.id)
  const href = String(properties.href ?? '')
  if (/^h[1-6]$/.test(tagName)) features.headings.push(`${tagName} ${wordsOf(textOf(element)).join(' ')}`)
  else if (tagName === 'a' && /^https?:/.test(href)) features.links.push(decoded(href))
  else if (tagName === 'a' && href.startsWith('#')) features.places.push(decoded(href.slice(1)))
  else if (tagName === 'img') features.images.push(decoded(String(properties.src ?? '')))
  else if (tagName === 'pre') features.code.push(textOf(element).trim())
  else if (tagName === 'tr') features.tables.push(wordsOf(textOf(element)).join(' '))
  else if (lists.has(tagName)) features.lists.push(tagName)
  const mark = Object.hasOwn(marks, tagName) ? marks[tagName] : undefined
  if (mark !== undefined && textOf(element).trim() !== '')
    features.marks.push(`${mark} ${wordsOf(textOf(element)).join(' ')}`)
}

function isBackLink({ properties }: Element): boolean {
  return properties.dataFootnoteBackref !== undefined || String(properties.className ?? '').includes('footnote-')
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}

/** Elements whose children are separate texts. */
const cells = new Set(['tr', 'td', 'th', 'li', 'ul', 'ol'])

function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value
  if (node.type === 'element' && node.tagName === 'br') return '\n'
  return 'children' in node
    ? node.children.map(textOf).join(cells.has('tagName' in node ? node.tagName : '') ? ' ' : '')
    : ''
}

function decoded(address: string): string {
  try {
    return decodeURI(address).replace(/^http:\/\/([^/]*)$/, 'http://$1/')
  } catch {
    return address
  }
}
