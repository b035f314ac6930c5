/** The text with a capital first letter. */
export function capital(text: string): string {
  const [first = '', ...rest] = text
  return first.toUpperCase() + rest.join('')
}

/** The text with a small first letter, unless another word begins with a capital one, as in names. */
export function withinSentence(text: string): string {
  return /^\p{Lu}\p{Ll}+( \P{Lu}+)$/u.test(text) ? text.slice(0, 1).toLowerCase() + text.slice(1) : text
}
