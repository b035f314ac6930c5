import pg from 'pg'
import { ConfigError } from '../config.ts'
import { messageOf } from '../thrown.ts'
import { away, NOTICED } from './database.ts'

/**
 * Throws ConfigError when a pooler gives each transaction whichever connection to the server is free. Signals (LISTEN), advisory
 * locks and prepared statements belong to a connection, so behind such a pooler the service would start, and then fail now and
 * then. Two connections made here must reach two server processes, each the same one every time. Also throws ConfigError when the
 * driver cannot use the address.
 */
export async function assertSessions(url: string): Promise<void> {
  const [one, other] = [clientOf(url), clientOf(url)]
  const pids: number[] = []
  try {
    await Promise.all([one.connect(), other.connect()])
    // Poolers hand out the connection that was used last, or take turns: in this order both show.
    for (const client of [one, other, other, one]) pids.push(await backendOf(client))
  } catch (error) {
    throw away(error)
  } finally {
    await Promise.allSettled([one.end(), other.end()])
  }
  const [first, second, secondAgain, firstAgain] = pids
  if (first === second || first !== firstAgain || second !== secondAgain) throw sharedConnections()
}

/** A client that is not connected yet. The driver reads the files that the address names, such as `sslrootcert`, at once. */
function clientOf(url: string): pg.Client {
  try {
    const client = new pg.Client({ connectionString: url, ...NOTICED, application_name: 'postrider' })
    return client.on('error', () => {}) // the query that uses the connection rejects
  } catch (error) {
    throw new ConfigError([`DATABASE_URL: cannot be used (${messageOf(error)})`])
  }
}

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}

function sharedConnections(): ConfigError {
  return new ConfigError([
    'DATABASE_URL: a connection pooler at this address shares its connections between transactions, but Postrider needs connections of its own (at most 17 for each process). Use the address of the database server itself (at Neon the one without "-pooler", at Supabase the one with port 5432), or a pooler in session mode.',
  ])
}
