/** Wraps the driver's client for the query builder: each statement runs in the manner that its text asks for (manner.ts). */
import type { PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { mannerOf, type Sent } from './manner.ts'
import { lineOf } from './silence.ts'

type Result = { command: string; rowCount: number | null; rows: unknown[] }

const clients = new WeakMap<object, PostgresPoolClient>()

/** The wrapper of a driver's client, always the same one. */
export function heeding(client: PostgresPoolClient): PostgresPoolClient {
  const known = clients.get(client)
  if (known !== undefined) return known
  const made = wrap(client)
  clients.set(client, made)
  return made
}

function wrap(client: PostgresPoolClient): PostgresPoolClient {
  /** Whether this is the driver's client, which prepares and pipelines statements; the clients of simulations do neither. */
  const own = client instanceof pg.Client
  const line = lineOf(client)
  /** The first error of a statement sent ahead in this transaction. */
  let failed: { error: unknown } | undefined
  /** Writes what is held back, if anything is. */
  let writeHeld = () => {}

  async function query(text: string, values: unknown[]): Promise<Result> {
    // Thrown here because a statement that the driver could not even send has not failed the transaction on the server.
    if (failed !== undefined && text !== 'rollback') throw failed.error
    const { name, ahead } = mannerOf(text)
    const beginning = own && text === 'begin'
    if (beginning) writeHeld = holdWrites(client)
    const running = own && name !== undefined ? runPrepared(client, name, text, values) : runPlain(client, text, values)
    line?.await(running)
    // `begin` is written together with the first statement. Later ones are not held: the server works on one while we make the next.
    if (!beginning) writeHeld()
    if (ahead && own) {
      running.catch((error: unknown) => {
        failed ??= { error }
      })
      return onItsWay(running)
    }
    try {
      const result = await running
      // The server answers the commit of a failed transaction like a rollback, without an error.
      if (failed !== undefined && text !== 'rollback') throw failed.error
      return ahead ? onItsWay(running) : result
    } catch (error) {
      throw failed?.error ?? error
    } finally {
      if (text === 'commit' || text === 'rollback') failed = undefined
    }
  }
  const made = { query, release: (destroy?: boolean) => client.release(destroy) }
  return made as unknown as PostgresPoolClient
}

function runPlain(client: PostgresPoolClient, text: string, values: unknown[]): Promise<Result> {
  const asked = client.query(text, values) as unknown as Promise<Result> // the types also allow cursors, which are not used here
  return asked.then(takenOut)
}

/**
 * Runs a prepared statement, given to the driver as a `pg.Query`. From a plain object with a name, the driver would make one by
 * copying property descriptors, which takes as long as all else that it does to send a statement.
 */
function runPrepared(client: pg.Client, name: string, text: string, values: unknown[]): Promise<Result> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(text, values, (error, result) => {
      if (error) reject(error)
      else resolve(takenOut(result))
    })
    client.query(Object.assign(query, { name })) // the types leave it out
  })
}

/**
 * Holds back writes to the server until the returned function is called, or until the end of this turn of the event loop: each
 * write to an idle server wakes it, which takes longer than most statements.
 */
function holdWrites({ connection: { stream } }: pg.Client): () => void {
  let held = true
  const release = () => {
    if (held) stream.uncork()
    held = false
  }
  stream.cork()
  process.nextTick(release)
  return release
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

/** What the query builder gets in place of the result: one row, which holds the promise of the rows. */
function onItsWay(running: Promise<Result>): Result {
  const rows = running.then((result) => result.rows)
  rows.catch(() => {}) // a caller that awaits them gets the error, and the transaction fails in any case
  return { command: 'SELECT', rowCount: 1, rows: [{ rows } satisfies Sent<unknown>] }
}
