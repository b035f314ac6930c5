/**
 * How a statement wishes to be run, said in its text: prepared, or sent ahead. The query builder passes only texts on to the
 * driver's client, where client.ts heeds them. statements.ts makes such statements.
 */
import { hash } from 'node:crypto'

/** Begins the text of a statement that is prepared. */
export const PREPARED = '/* prepared */ '
/** Begins the text of one that is sent ahead, and prepared too. */
export const AHEAD = '/* ahead */ '

/** A statement on its way. `rows` are there with the next statement that is waited for, at the latest with the commit. */
export type Sent<Row> = { rows: Promise<Row[]> }

/** How the statement of this text is to be run; `name`: under which it is prepared, if it is. */
export type Manner = { name: string | undefined; ahead: boolean }

const PLAIN: Manner = { name: undefined, ahead: false }
/** A transaction begins with its first statement. */
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
