/**
 * How a statement wishes to be run, said in its text: prepared, or sent ahead. The query builder passes only texts on to the
 * driver's client, where client.ts heeds them.
 */
import { hash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from './database.ts'

const PREPARED = '/* prepared */ '
const AHEAD = '/* ahead */ '

/**
 * The same statement, planned once per connection instead of every time. Worth it for the few that run all the time and whose plan
 * does not depend on their parameters: half of a short statement's time is planning. Its text must be the same every time, and name
 * its columns: a column that is added while a connection lasts would make `*` fail on it.
 */
export function prepared<Row>(statement: RawBuilder<Row>): RawBuilder<Row> {
  return sql<Row>`${sql.raw(PREPARED)}${statement}`
}

/** A statement on its way. `rows` are there with the next statement that is waited for, at the latest with the commit. */
export type Sent<Row> = { rows: Promise<Row[]> }

/**
 * Sends a statement of a transaction without waiting for what becomes of it: its error is that of the next statement of the
 * transaction that is waited for, the commit at the latest. So statements that nobody decides by take one round trip together. It
 * is prepared too. The embedded database, to which there is no way, carries it out at once.
 */
export async function sendAhead<Row>(tx: Tx, statement: RawBuilder<Row>): Promise<Sent<Row>> {
  const { rows } = await sql<Sent<Row>>`${sql.raw(AHEAD)}${statement}`.execute(tx)
  return rows[0] as Sent<Row> // client.ts answers so
}

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
