import type { DocNode } from './schema.ts'

const words = new Intl.Segmenter('en', { granularity: 'word' })

const leaves = new Set(['text', 'image', 'hardBreak', 'footnoteReference', 'anchor'])

/** The text of a document for search: one line per block of text, including the alternative texts of images. */
export function docToText(doc: DocNode): string {
  const lines: string[] = []
  const visit = (node: DocNode): void => {
    const content = node.content ?? []
    if (content.some(({ type }) => leaves.has(type))) {
      lines.push(content.map(leafText).join('').trim())
    } else content.forEach(visit)
  }
  visit(doc)
  return lines.filter((line) => line !== '').join('\n')
}

function leafText({ type, text, attrs }: DocNode): string {
  return type === 'image' ? ` ${attrs?.alt} ` : type === 'hardBreak' ? '\n' : (text ?? '')
}

/** Counts words by Unicode's rules, which cover scripts without spaces. About 50 ms per MiB. */
export function countWords(text: string): number {
  let count = 0
  for (const segment of words.segment(text)) if (segment.isWordLike) count++
  return count
}
