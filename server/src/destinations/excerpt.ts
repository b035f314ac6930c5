const MOST_CHARACTERS = 500

/** Unreadable characters: controls (with NUL, which no text column can hold), direction marks, lone surrogates. */
const UNREADABLE = /[^\P{C}\n\t]/gu

/** The beginning of what a site answered, as text that can be kept and shown; null when there is nothing to read. */
export function excerptOf(body: Uint8Array): string | null {
  // No character has more than four bytes; the last one may be cut in two.
  const text = new TextDecoder().decode(body.subarray(0, MOST_CHARACTERS * 4)).replace(/\uFFFD$/, '')
  const readable = [...text.replaceAll(UNREADABLE, ' ').trim()].slice(0, MOST_CHARACTERS).join('').trim()
  return readable === '' ? null : readable
}
