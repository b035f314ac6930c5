/** The documents of Ghost's editors as HTML, for posts that are exported without it: Lexical's, and Mobiledoc, which was before. */

import { escapeHtml } from '../../../platform/html.ts'
import { convertBody } from '../../../posts/index.ts'
import { type ImportLoss, oneLoss, type SourcePost } from '../source-post.ts'
import { cardHtml, cardName, type Values } from './ghost-cards.ts'

type Rendered = { body: SourcePost['body']; losses: ImportLoss[] }
type Lost = (name: string) => void

const list = (value: unknown): Values[] => (Array.isArray(value) ? value : [])
const MOST_DEPTH = 64

/** A document of either editor, as it stands in an export; undefined if it is none. */
export function ghostDocument(json: unknown): Rendered | undefined {
  const document = typeof json === 'string' ? parsed(json) : undefined
  if (document === undefined) return undefined
  const unknown = new Map<string, number>()
  const lost = (name: string) => unknown.set(name, (unknown.get(name) ?? 0) + 1)
  const only = onlyMarkdown(document)
  const html =
    only === undefined ? (isValues(document.root) ? lexical(document.root, lost) : mobiledoc(document, lost)) : ''
  const losses = [...unknown].map(([name, count]) =>
    oneLoss('card', `The card “${name}” is not known here: it is left out.`, count),
  )
  return { body: only === undefined ? { html } : { markdown: only }, losses }
}

const isValues = (value: unknown): value is Values => typeof value === 'object' && value !== null
const string = (value: unknown) => (typeof value === 'string' ? value : '')

function parsed(json: string): Values | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isValues(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The text of a document that is one card of Markdown, as those of programs often are. */
function onlyMarkdown({ root, cards, sections }: Values): string | undefined {
  const nodes = isValues(root) ? list(root.children) : []
  const [card] =
    nodes.length === 1
      ? nodes.map(({ type, markdown }) => [type, { markdown }])
      : list(sections).length === 1
        ? list(cards)
        : []
  const [name, values] = (Array.isArray(card) ? card : []) as [unknown, unknown]
  return cardName(string(name)) === 'markdown' && isValues(values) ? string(values.markdown) : undefined
}

function card(name: string, values: Values, lost: Lost): string {
  if (cardName(name) === 'markdown') return convertBody({ markdown: string(values.markdown) }).html
  const html = cardHtml(name, values)
  if (html === undefined) lost(name)
  return html ?? ''
}

const FORMATS = [['strong', 1], ['em', 2], ['s', 4], ['u', 8], ['code', 16], ['sub', 32], ['sup', 64]] as const // biome-ignore format: a table

function lexical(node: Values, lost: Lost, depth = 0): string {
  const { type } = node
  const inner = () =>
    depth > MOST_DEPTH
      ? ''
      : list(node.children)
          .map((child) => lexical(child, lost, depth + 1))
          .join('')
  const tag = (name: string) => `<${name}>${inner()}</${name}>`
  switch (type) {
    case 'root':
      return inner()
    case 'text':
    case 'extended-text':
    case 'tk':
      return formatted(escapeHtml(string(node.text)), Number(node.format))
    case 'linebreak':
      return '<br>'
    case 'paragraph':
      return tag('p')
    case 'heading':
    case 'extended-heading':
      return tag(/^h[1-6]$/.test(string(node.tag)) ? string(node.tag) : 'h2')
    case 'quote':
    case 'extended-quote':
    case 'aside':
      return tag('blockquote')
    case 'list':
      return tag(node.listType === 'number' || node.tag === 'ol' ? 'ol' : 'ul')
    case 'listitem':
      return tag('li')
    case 'link':
    case 'autolink':
      return `<a href="${escapeHtml(string(node.url))}">${inner()}</a>`
    default:
      return card(string(type), node, lost)
  }
}

const formatted = (html: string, format: number) =>
  FORMATS.reduce((inside, [name, bit]) => ((format & bit) === 0 ? inside : `<${name}>${inside}</${name}>`), html)

/** Sections are lists whose first value says what they are (mobiledoc.md, version 0.3). */
function mobiledoc({ sections, cards, markups }: Values, lost: Lost): string {
  const run = (markers: unknown) => markersHtml(list(markers), list(markups))
  return (list(sections) as unknown as unknown[][])
    .map(([kind, value, content]) => {
      const name = /^(?:p|h[1-6]|blockquote|aside|pull-quote)$/.test(string(value)) ? string(value) : 'p'
      const tag = name === 'aside' || name === 'pull-quote' ? 'blockquote' : name
      if (kind === 1) return `<${tag}>${run(content)}</${tag}>`
      if (kind === 2) return `<p><img src="${escapeHtml(string(value))}"></p>`
      if (kind === 3) return listed(value === 'ol' ? 'ol' : 'ul', list(content).map(run))
      const [cardType, values] = (list(cards)[Number(value)] ?? []) as unknown as [unknown, unknown]
      return kind === 10 ? card(string(cardType), isValues(values) ? values : {}, lost) : ''
    })
    .join('')
}

const listed = (name: string, items: string[]) =>
  `<${name}>${items.map((item) => `<li>${item}</li>`).join('')}</${name}>`

function markersHtml(markers: readonly unknown[], markups: readonly unknown[]): string {
  const open: string[] = []
  return (markers as unknown[][])
    .map(([kind, opening, closing, value]) => {
      const begins = list(opening).map((index) => {
        const [name, attributes] = (markups[Number(index)] ?? []) as [unknown, unknown]
        const tag = /^(?:a|b|strong|i|em|code|s|u|sub|sup)$/.test(string(name)) ? string(name) : 'span'
        open.push(tag)
        const href = Array.isArray(attributes) ? attributes[attributes.indexOf('href') + 1] : undefined
        return tag === 'a' ? `<a href="${escapeHtml(string(href))}">` : `<${tag}>`
      })
      const ends = Array.from({ length: Math.min(open.length, Number(closing) || 0) }, () => `</${open.pop()}>`)
      return begins.join('') + (kind === 1 ? '<br>' : escapeHtml(string(value))) + ends.join('')
    })
    .join('')
}
