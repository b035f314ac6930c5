/** With a capital first letter. */
export function capital(text: string): string {
  const [first = '', ...rest] = text
  return first.toUpperCase() + rest.join('')
}

/** With a small first letter, if no other word begins with a capital one, as the words of names do. */
export function withinSentence(text: string): string {
  return /^\p{Lu}\p{Ll}+( \P{Lu}+)$/u.test(text) ? text.slice(0, 1).toLowerCase() + text.slice(1) : text
}
