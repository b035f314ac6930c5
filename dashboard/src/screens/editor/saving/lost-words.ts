/** The words of an HTML text that the service drops, because they are in elements not allowed in a post. */

const WORDS = new Intl.Segmenter('en', { granularity: 'word' })

/** Elements that can be inside a word. */
const INLINE =
  'a, abbr, b, bdi, bdo, cite, code, del, em, font, i, ins, kbd, mark, q, s, samp, small, span, strong, sub, sup, tt, u, var'

function wordsOf(html: string): string[] {
  // Nothing in a parsed document runs or loads.
  const text = textOf(new DOMParser().parseFromString(html, 'text/html').documentElement)
  return [...WORDS.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment)
}

function textOf(node: Node): string {
  if (node instanceof CharacterData) return node.nodeType === Node.TEXT_NODE ? node.data : ''
  const text = [...node.childNodes].map(textOf).join('')
  return node instanceof Element && !node.matches(INLINE) ? ` ${text} ` : text
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
