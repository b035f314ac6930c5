/** Converts a model's Markdown to a part of a document, without remarks around the text and without links it was not offered. */
import { convertBody, countWords, type DocNode, docToText } from '../../posts/index.ts'
import { mentions, overlap } from './words.ts'

/** A part of a draft. `links` are the addresses in it; `dropped` counts the links and pictures removed. */
export type PartText = { nodes: DocNode[]; text: string; words: number; links: string[]; dropped: number }

/** A section's own heading has level 2, so headings inside it start here. */
const HIGHEST_HEADING = 3
const LOWEST_HEADING = 4

const REMARK =
  /^(sure|certainly|of course|absolutely|great|okay|ok|here('|’)?s|here is|here are|below is|i('|’)ve|i have)\b/i
const COUNT = /^[\s(*_[]*(total\s+)?(word count|words)\b\W*\d+/i
const LONGEST_REMARK = 25

/**
 * Reads a model's text under `heading`. Links to other addresses than `allowed` become plain text; pictures, embeds and rules
 * are removed; HTML passes the sanitiser of all posts. Throws BodyError for a text that exceeds the bounds of a body.
 */
export function readPart(markdown: string, heading: string, allowed: readonly string[]): PartText {
  const { json } = convertBody({ markdown: unwrapped(markdown) })
  const tally = { links: new Set<string>(), dropped: 0 }
  const clean = (json.content ?? []).flatMap((node) => tidy(node, allowed, tally))
  const nodes = withoutRemarks(clean, heading).filter((node) => node.type !== 'paragraph' || textOf(node) !== '')
  const text = docToText({ type: 'doc', content: nodes })
  return { nodes, text, words: countWords(text), links: [...tally.links], dropped: tally.dropped }
}

/** The Markdown of a part, to show it to the model again. */
export function partMarkdown({ nodes }: PartText): string {
  return convertBody({ json: { type: 'doc', content: nodes } }).markdown
}

/** Removes a code fence around the whole text, which some models add; a text that begins and ends with code of its own keeps that. */
function unwrapped(markdown: string): string {
  const [, label, inside] = /^\s*```(markdown|md)?[ \t\r]*\n([\s\S]*?)\n```\s*$/i.exec(markdown) ?? []
  if (inside === undefined || (label === undefined && /^```/m.test(inside))) return markdown
  return inside
}

type Tally = { links: Set<string>; dropped: number }

function tidy(node: DocNode, allowed: readonly string[], tally: Tally): DocNode[] {
  if (node.type === 'horizontalRule') return []
  if (node.type === 'image' || node.type === 'embed' || node.type === 'figure') {
    tally.dropped += 1
    return []
  }
  const marks = node.marks?.filter(({ type, attrs }) => {
    if (type !== 'link') return true
    const href = String(attrs?.href)
    if (allowed.includes(href)) {
      tally.links.add(href)
      return true
    }
    tally.dropped += 1
    return false
  })
  const level = Math.min(LOWEST_HEADING, Math.max(HIGHEST_HEADING, Number(node.attrs?.level ?? 1)))
  return [
    {
      ...node,
      ...(marks === undefined ? {} : { marks }),
      ...(node.type === 'heading' ? { attrs: { ...node.attrs, level } } : {}),
      ...(node.content === undefined ? {} : { content: node.content.flatMap((child) => tidy(child, allowed, tally)) }),
    },
  ]
}

/** Removes remarks such as "Here is the section:", a repeated heading, and a word count at the end. */
function withoutRemarks(nodes: readonly DocNode[], heading: string): DocNode[] {
  let rest = [...nodes]
  while (rest.length > 1 && isRemark(rest[0], heading)) rest = rest.slice(1)
  const last = rest.at(-1)
  return rest.length > 1 && last?.type === 'paragraph' && COUNT.test(textOf(last)) ? rest.slice(0, -1) : rest
}

function isRemark(node: DocNode | undefined, heading: string): boolean {
  if (node === undefined) return false
  const text = textOf(node)
  if (node.type === 'heading') return heading === '' || sameHeading(text, heading)
  if (node.type !== 'paragraph' || countWords(text) > LONGEST_REMARK) return false
  return (
    (REMARK.test(text) && /[:!]$/.test(text)) ||
    (heading !== '' && mentions(text, heading).first === 0 && sameHeading(text, heading))
  )
}

function sameHeading(text: string, heading: string): boolean {
  return overlap(heading, text) >= 0.6 && countWords(text) <= 2 * countWords(heading) + 2
}

function textOf(node: DocNode): string {
  return docToText({ type: 'doc', content: [node] }).trim()
}
