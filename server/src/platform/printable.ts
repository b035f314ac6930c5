/** What moves a terminal's cursor, begins a line or turns the direction of writing. */
const CONTROLS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/** Somebody else's text as part of one line in a log or on a terminal: control characters become spaces. */
export function printable(text: string): string {
  return text.replace(CONTROLS, ' ')
}
