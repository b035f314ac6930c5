/** Elements that can be inside a word. */
const INLINE =
  'a, abbr, b, bdi, bdo, cite, code, del, em, font, i, ins, kbd, mark, q, s, samp, small, span, strong, sub, sup, tt, u, var'

/** The text of HTML as it is typed, with a space wherever an element separates words. */
export function textOfHtml(html: string): string {
  // Nothing in a parsed document runs or loads.
  return textOf(new DOMParser().parseFromString(html, 'text/html').documentElement)
}

function textOf(node: Node): string {
  if (node instanceof CharacterData) return node.nodeType === Node.TEXT_NODE ? node.data : ''
  const text = [...node.childNodes].map(textOf).join('')
  return node instanceof Element && !node.matches(INLINE) ? ` ${text} ` : text
}
