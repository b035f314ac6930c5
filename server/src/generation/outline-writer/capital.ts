/** The text with a capital first letter. */
export function capital(text: string): string {
  const [first = '', ...rest] = text
  return first.toUpperCase() + rest.join('')
}

/** With a small first letter, if other words follow and have no capital letters (as names have). */
export function withinSentence(text: string): string {
  return /^\p{Lu}\p{Ll}+( \P{Lu}+)$/u.test(text) ? text.slice(0, 1).toLowerCase() + text.slice(1) : text
}
