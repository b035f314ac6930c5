/**
 * The notes of an outline, which the author replaces with their own text, and how to find those that are left. The dashboard
 * looks for them before a post is published, so this file runs in browsers too.
 */

/** The fields of a document's node that matter here. */
type Node = {
  type: string
  text?: string
  marks?: ReadonlyArray<{ type: string }>
  content?: readonly Node[]
}

/** The sentence that marks a text as an outline. */
export const LABEL = 'This is an outline, not a finished text.'

/** Sections for the author, not for readers. */
export const ASIDES = {
  before: 'Before you write',
  keywords: 'Keyword plan',
  search: 'In search results',
  after: 'Before you publish',
} as const

/** How notes begin; set in bold or italics. */
export const BEGINNINGS = {
  reader: 'Reader:',
  angle: 'Angle:',
  tone: 'Tone:',
  material: 'Your own material:',
  answer: 'Answer:',
  use: 'Use:',
  note: 'Note:',
} as const

/** The note on a section's length; `inAll`: for all answers together. */
export function aboutWords(words: number, inAll = false): string {
  return inAll ? `About ${words} words in all,` : `About ${words} words.`
}

const MARKED: ReadonlySet<string> = new Set([LABEL, ...Object.values(BEGINNINGS)])
const HEADINGS: ReadonlySet<string> = new Set(Object.values(ASIDES))
const LENGTH = /^About \d+ words( in all,|\.)/

/** The beginnings of the notes left in a document, in order. */
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
