/** How well words match a name, for the palette. */

const FOLDED = /[\u0300-\u036f]/g

/** Lower case without accents, as when posts are searched. */
function folded(text: string): string {
  return text.toLowerCase().normalize('NFD').replaceAll(FOLDED, '')
}

/**
 * From 0 to 3: 0 unless each of the words begins a word of the name or of `alsoFoundBy`; best where the name begins with all of them.
 * Words inside of other words do not count: nobody who types `tomat` looks for `automatic`.
 */
export function matchOf(words: string, name: string, alsoFoundBy = ''): number {
  const wanted = folded(words).trim()
  const parts = wanted.split(/\s+/)
  const begins = (text: string) => parts.every((part) => beginsWord(folded(text), part))
  if (wanted === '') return 0
  if (folded(name).startsWith(wanted)) return 3
  if (begins(name)) return 2
  return begins(`${name} ${alsoFoundBy}`) ? 1 : 0
}

/** Whether a word of the text begins with `part`, which may go on beyond it: `kitchen.ex` begins a word of `https://kitchen.example`. */
function beginsWord(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1))
    if (!/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return true
  return false
}

/** Those that match, best first; equals keep their order. */
export function bestFirst<T>(all: readonly T[], matched: (one: T) => number): T[] {
  return all
    .map((one) => ({ one, match: matched(one) }))
    .filter(({ match }) => match > 0)
    .sort((a, b) => b.match - a.match)
    .map(({ one }) => one)
}
