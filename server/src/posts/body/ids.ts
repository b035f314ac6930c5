/** The ids of headings and anchors, to which links within a post lead. */
import type { Element, Nodes, Root } from 'hast'
import { plainLine } from './plain.ts'

/** How many characters of a heading are read to make its id; not all are kept. */
const MOST_READ = 1_000

/** Whether `id` may stay on an element. */
export function isHarmlessId(id: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{Pc}.:-]{1,128}$/u.test(id)
}

/** The id that a link within the page leads to, or undefined for other links. */
export function targetOf(href: unknown): string | undefined {
  if (typeof href !== 'string' || !href.startsWith('#') || href === '#') return undefined
  try {
    return decodeURIComponent(href.slice(1))
  } catch {
    return href.slice(1)
  }
}

/** Ids for headings in order, the same as on GitHub, so that links written for GitHub work; none is one of `reserved`. */
export class HeadingIds {
  readonly #taken: Map<string, number>

  constructor(reserved: Iterable<string>) {
    this.#taken = new Map([...reserved].map((id): [string, number] => [id, 0]))
  }

  /** The id of the next heading, which has this text. */
  next(text: string): string {
    const slug = slugOf(text.slice(0, MOST_READ).toWellFormed())
    let id = slug
    for (let n = this.#taken.get(slug) ?? 0; this.#taken.has(id); this.#taken.set(slug, n)) id = `${slug}-${++n}`
    this.#taken.set(id, 0)
    return id
  }
}

/** Gives headings without an id one that follows from their text. */
export function addHeadingIds(root: Root): void {
  const headings: Element[] = []
  const given = new Set<string>()
  const visit = (node: Nodes): void => {
    if (!('children' in node)) return
    if (node.type === 'element') {
      if (typeof node.properties.id === 'string') given.add(node.properties.id)
      else if (isHeading(node)) headings.push(node)
    }
    node.children.forEach(visit)
  }
  visit(root)
  const ids = new HeadingIds(given)
  for (const node of headings) node.properties = { id: ids.next(beginningOf(node)), ...node.properties }
}

/** Whether an element is a heading. */
export function isHeading({ tagName }: Element): boolean {
  return /^h[1-6]$/.test(tagName)
}

/** The beginning of a heading's text. Headings may contain headings, each of which would read all of it. */
function beginningOf(heading: Nodes): string {
  let text = ''
  const visit = (node: Nodes): void => {
    if (text.length >= MOST_READ) return
    if (node.type === 'text') text += node.value
    else if (node.type === 'element' && node.properties.dataFootnoteRef !== undefined) return
    else if ('children' in node) node.children.forEach(visit)
  }
  visit(heading)
  return text
}

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
