import { type RawBuilder, sql } from 'kysely'
import { PREPARED } from './client.ts'
import type { Tx } from './database.ts'

/**
 * The same statement, planned once per connection instead of every time. Worth it for the few that run all the time and whose plan
 * does not depend on their parameters: half of a short statement's time is planning. Its text must be the same every time, and name
 * its columns: a column added while a connection is open would make `*` fail on that connection.
 */
export function prepared<Row>(statement: RawBuilder<Row>): RawBuilder<Row> {
  return sql<Row>`${sql.raw(PREPARED)}${statement}`
}

/** From now on the transaction waits at most `longest` for a lock, such as `1s`; then it fails with a lock timeout. */
export async function limitLockWait(tx: Tx, longest: string): Promise<void> {
  await prepared(sql`select set_config('lock_timeout', ${longest}, true)`).execute(tx)
}
