/** Text as every form of a body can hold it. */

/** Whether `name` can be written after a Markdown fence and in a `language-…` class. */
export function isLanguage(name: string): boolean {
  return /^[\w.+#-]{1,40}$/.test(name)
}

/** `text` on one line: control characters removed, white space collapsed and trimmed. */
export function plainLine(text: string): string {
  return withoutControls(text)
    .replace(/[ \t\n\f\r]+/g, ' ')
    .replace(/^ | $/g, '')
}

/** `text` without control characters and byte order marks, which HTML and Markdown readers change or drop. */
export function withoutControls(text: string): string {
  return text.replace(/(?![\t\n\f\r])[\p{Cc}\uFEFF]/gu, '')
}
