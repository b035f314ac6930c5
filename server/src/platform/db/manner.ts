/**
 * How a statement is to be run: prepared, or sent ahead. Its text says so, because the query builder passes nothing else on to the
 * driver's client. statements.ts makes these texts, client.ts reads them.
 */
import { hash } from 'node:crypto'

/** Prefix of a statement that is prepared. */
export const PREPARED = '/* prepared */ '
/** Prefix of a statement that is sent ahead, and prepared too. */
export const AHEAD = '/* ahead */ '

/** A statement that was sent ahead. `rows` arrive with the next awaited statement of the transaction, at the latest with the commit. */
export type Sent<Row> = { rows: Promise<Row[]> }

/** How the statement of this text is to be run; `name`: under which it is prepared, if it is. */
export type Manner = { name: string | undefined; ahead: boolean }

const PLAIN: Manner = { name: undefined, ahead: false }
/** `begin` is sent ahead of the transaction's first statement. */
const BEGINNING: Manner = { name: undefined, ahead: true }
const known = new Map<string, Manner>()

/** Reads from a statement's text how it is to be run. */
export function mannerOf(text: string): Manner {
  if (text === 'begin') return BEGINNING
  const ahead = text.startsWith(AHEAD)
  if (!ahead && !text.startsWith(PREPARED)) return PLAIN
  const before = known.get(text)
  if (before !== undefined) return before
  const manner = { name: `p_${hash('sha1', text).slice(0, 16)}`, ahead }
  known.set(text, manner)
  return manner
}
