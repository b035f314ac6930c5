/**
 * The notes of an outline: what the outline writer puts there to be replaced by the author's own text, and how to find those
 * that are left. The dashboard looks for them before a post is published, so this file runs in browsers too.
 */

/** What of a document's node matters here. */
type Node = {
  type: string
  text?: string
  marks?: ReadonlyArray<{ type: string }>
  content?: readonly Node[]
}

/** What says that the whole is an outline. */
export const LABEL = 'This is an outline, not a finished text.'

/** Sections that are about the writing and not for readers. */
export const ASIDES = {
  before: 'Before you write',
  keywords: 'Keyword plan',
  search: 'In search results',
  after: 'Before you publish',
} as const

/** How notes begin; set in bold or italics. */
export const BEGINNINGS = {
  reader: 'Reader:',
  kind: 'Kind of article:',
  angle: 'Angle:',
  tone: 'Tone:',
  material: 'Your own material:',
  answer: 'Answer:',
  use: 'Use:',
  note: 'Note:',
} as const

/** The length of a section. `inAll`: of all answers together. */
export function aboutWords(words: number, inAll = false): string {
  return inAll ? `About ${words} words in all,` : `About ${words} words.`
}

const MARKED: ReadonlySet<string> = new Set([LABEL, ...Object.values(BEGINNINGS)])
const HEADINGS: ReadonlySet<string> = new Set(Object.values(ASIDES))
const LENGTH = /^About \d+ words( in all,|\.)/

/** The beginnings of the notes that are left in a document, in their order. */
export function notesIn(doc: Node): string[] {
  const { type, content = [] } = doc
  if (type === 'heading') {
    const text = content.map((node) => node.text ?? '').join('')
    return HEADINGS.has(text.trim()) ? [text.trim()] : []
  }
  const [first] = content
  if (first?.type !== 'text') return content.flatMap(notesIn)
  const begins = (first.text ?? '').trim()
  const isMarked = first.marks?.some((mark) => mark.type === 'bold' || mark.type === 'italic') === true
  return isMarked && (MARKED.has(begins) || LENGTH.test(begins)) ? [begins] : []
}
