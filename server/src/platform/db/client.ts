/** Wraps the driver's client for the query builder: statements that `prepared` marks are planned once per connection. */
import { hash } from 'node:crypto'
import type { PostgresPoolClient } from 'kysely'
import pg from 'pg'

type Result = { command: string; rowCount: number | null; rows: unknown[] }

/** Prefix of a statement that is prepared: the query builder passes nothing but the text on to the driver's client. */
export const PREPARED = '/* prepared */ '

const names = new Map<string, string>()

/** The name under which a statement is prepared; undefined if it is not. */
function nameOf(text: string): string | undefined {
  if (!text.startsWith(PREPARED)) return undefined
  const known = names.get(text) ?? `p_${hash('sha1', text).slice(0, 16)}`
  names.set(text, known)
  return known
}

/** The client as the query builder uses it. */
export function withPrepared(client: PostgresPoolClient): PostgresPoolClient {
  // The clients of simulations do not prepare.
  const query = async (text: string, values: unknown[]) => {
    const name = client instanceof pg.Client ? nameOf(text) : undefined
    const running = name === undefined ? client.query(text, values) : runPrepared(client as unknown as pg.Client, name, text, values) // biome-ignore format: two ways
    return takenOut((await running) as Result) // the types also allow cursors, which are not used here
  }
  return { query, release: (destroy?: boolean) => client.release(destroy) } as unknown as PostgresPoolClient
}

/**
 * Runs a prepared statement, given to the driver as a `pg.Query`. From a plain object with a name, the driver would make one by
 * copying property descriptors, which takes as long as all else that it does to send a statement.
 */
function runPrepared(client: pg.Client, name: string, text: string, values: unknown[]): Promise<Result> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(text, values, (error, result) => (error ? reject(error) : resolve(result)))
    client.query(Object.assign(query, { name })) // the types leave it out
  })
}

/**
 * Copies a result and empties the original. The next two scavenges still find the driver's objects of a statement alive, long after it
 * has ended, and promote them to the old generation with all the rows they hold, where only a full garbage collection frees them.
 * Emptied, they take along a few hundred bytes instead.
 */
function takenOut(result: Result): Result {
  const { command, rowCount, rows } = result
  result.rows = []
  return { command, rowCount, rows }
}
