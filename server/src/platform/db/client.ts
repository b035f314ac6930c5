/** The driver's client as the query builder sees it: it runs statements in the manner that they ask for. */
import type { PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { mannerOf, type Sent } from './manner.ts'

type Result = { command: string; rowCount: number | null; rows: unknown[] }

const clients = new WeakMap<object, PostgresPoolClient>()

/** Always the same one for a client of the driver. */
export function heeding(client: PostgresPoolClient): PostgresPoolClient {
  const known = clients.get(client)
  if (known !== undefined) return known
  const made = wrap(client)
  clients.set(client, made)
  return made
}

function wrap(client: PostgresPoolClient): PostgresPoolClient {
  /** Whether statements may follow each other without waiting, and be prepared; the clients of simulations do neither. */
  const own = client instanceof pg.Client
  const pipelined = own && client.pipeline
  /** The first error of what was sent ahead in this transaction. */
  let failed: { error: unknown } | undefined
  /** Writes what is held back, if anything is. */
  let writeHeld = () => {}

  async function query(text: string, values: unknown[]): Promise<Result> {
    // What the driver could not even send has not failed the transaction on the server.
    if (failed !== undefined && text !== 'rollback') throw failed.error
    const { name, ahead } = mannerOf(text)
    const beginning = pipelined && text === 'begin'
    if (beginning) writeHeld = holdWrites(client)
    const running = own && name !== undefined ? runPrepared(client, name, text, values) : runPlain(client, text, values)
    // A transaction begins together with its first statement; later ones are not held: the server works on one while we make the next.
    if (!beginning) writeHeld()
    if (ahead && pipelined) {
      running.catch((error: unknown) => {
        failed ??= { error }
      })
      return onItsWay(running)
    }
    try {
      const result = await running
      // The server answers the commit of a failed transaction as it does a rollback.
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
  const asked = client.query(text, values) as unknown as Promise<Result> // the types know cursors too, which nobody uses
  return asked.then(takenOut)
}

/**
 * Runs a prepared statement. It goes to the driver as a query of the driver's own: from an object with a name, the driver makes one
 * by copying the object's property descriptors, which takes as long as all else that it does to send a statement.
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
 * Keeps what is written to the server until the result is called, or to the end of this turn of the event loop: each write to an idle
 * server wakes it, which takes longer than most statements.
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
 * A copy of a result, which is left empty. The driver's objects of a statement are found alive by the next two scavenges, long after it has
 * ended, and so move to the old generation with all the rows they hold; nothing but a collection of everything frees them there.
 * Emptied, they take a few hundred bytes along instead.
 */
function takenOut(result: Result): Result {
  const { command, rowCount, rows } = result
  result.rows = []
  return { command, rowCount, rows }
}

/** What the builder is answered in place of the result. */
function onItsWay(running: Promise<Result>): Result {
  const rows = running.then((result) => result.rows)
  rows.catch(() => {}) // whoever wants them hears of it, and the transaction fails in any case
  return { command: 'SELECT', rowCount: 1, rows: [{ rows } satisfies Sent<unknown>] }
}
