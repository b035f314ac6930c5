/** The words of an HTML text that the service drops, because they are in elements not allowed in a post. */
import { textOfHtml } from '../html-text.ts'

const WORDS = new Intl.Segmenter('en', { granularity: 'word' })

function wordsOf(html: string): string[] {
  return [...WORDS.segment(textOfHtml(html))].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment)
}

/** The words of `typed` that are missing from `stored`, in order, as often as they are missing. */
export function lostWords(typed: string, stored: string): string[] {
  if (typed === stored) return []
  const left = new Map<string, number>()
  for (const word of wordsOf(stored)) left.set(word, (left.get(word) ?? 0) + 1)
  return wordsOf(typed).filter((word) => {
    const count = left.get(word) ?? 0
    if (count > 0) left.set(word, count - 1)
    return count === 0
  })
}
