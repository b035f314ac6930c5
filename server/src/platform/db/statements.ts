/** Makes statements that are prepared, or sent ahead. */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from './database.ts'
import { AHEAD, PREPARED, type Sent } from './manner.ts'

/**
 * The same statement, planned once per connection instead of every time. Worth it for the few that run all the time and whose plan
 * does not depend on their parameters: half of a short statement's time is planning. Its text must be the same every time, and name
 * its columns: a column added while a connection is open would make `*` fail on that connection.
 */
export function prepared<Row>(statement: RawBuilder<Row>): RawBuilder<Row> {
  return sql<Row>`${sql.raw(PREPARED)}${statement}`
}

/**
 * Sends a statement of a transaction without waiting for its result: if it fails, the next awaited statement of the transaction
 * throws its error, the commit at the latest. So statements whose results decide nothing share one round trip. It is
 * prepared too.
 */
export async function sendAhead<Row>(tx: Tx, statement: RawBuilder<Row>): Promise<Sent<Row>> {
  const { rows } = await sql<Sent<Row>>`${sql.raw(AHEAD)}${statement}`.execute(tx)
  return rows[0] as Sent<Row> // client.ts answers so
}

/** From now on the transaction waits at most `longest` for a lock, such as `1s`; then it fails with a lock timeout. */
export async function limitLockWait(tx: Tx, longest: string): Promise<void> {
  await sendAhead(tx, sql`select set_config('lock_timeout', ${longest}, true)`)
}
