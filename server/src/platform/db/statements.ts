/** Statements that are run in a manner of their own: prepared, or sent ahead. */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from './database.ts'
import { AHEAD, PREPARED, type Sent } from './manner.ts'

/**
 * The same statement, planned once per connection instead of every time. Worth it for the few that run all the time and whose plan
 * does not depend on their parameters: half of a short statement's time is planning. Its text must be the same every time, and name
 * its columns: a column that is added while a connection lasts would make `*` fail on it.
 */
export function prepared<Row>(statement: RawBuilder<Row>): RawBuilder<Row> {
  return sql<Row>`${sql.raw(PREPARED)}${statement}`
}

/**
 * Sends a statement of a transaction without waiting for what becomes of it: its error is that of the next statement of the
 * transaction that is waited for, the commit at the latest. So statements that nobody decides by take one round trip together. It
 * is prepared too. The embedded database, to which there is no way, carries it out at once.
 */
export async function sendAhead<Row>(tx: Tx, statement: RawBuilder<Row>): Promise<Sent<Row>> {
  const { rows } = await sql<Sent<Row>>`${sql.raw(AHEAD)}${statement}`.execute(tx)
  return rows[0] as Sent<Row> // client.ts answers so
}
