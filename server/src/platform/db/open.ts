import pg from 'pg'
import type { Config } from '../config.ts'
import { errorField, type Log } from '../log.ts'
import { createDatabase, createPostgresPool, type Database, hearErrors, type StatementLimits } from './database.ts'
import { assertSessions } from './sessions.ts'

/** Connections per process to a PostgreSQL server; one of them is the worker's membership. */
const POOL_SIZE = 16

/** An open database, and the upkeep it needs from us (the embedded one has no autovacuum and no checkpointer). */
export type OpenDatabase = {
  db: Database
  maintain: (() => Promise<void>) | undefined
  /** Where to listen for signals of other processes; undefined when there are none. */
  signalsUrl: string | undefined
}

/**
 * Opens the database that the configuration names, with the service's statement limits unless others are given. `onBroken` is
 * called when the embedded database has stopped. Throws ConfigError for a server whose connections are shared (`assertSessions`).
 */
export async function openDatabase(
  config: Config,
  log: Log,
  onBroken: (error: Error) => void,
  limits?: StatementLimits,
): Promise<OpenDatabase> {
  const lost = (error: Error) => log.warn('db.connection_lost', { error: errorField(error) })
  if (config.databaseUrl !== undefined) {
    await assertSessions(config.databaseUrl)
    const pool = createPostgresPool(config.databaseUrl, POOL_SIZE, lost, limits)
    return { db: createDatabase(pool, 'postgres'), maintain: undefined, signalsUrl: config.databaseUrl }
  }
  // Imported here, so that a service on a PostgreSQL server does not load it.
  const { openEmbedded } = await import('./embedded/open-embedded.ts')
  const embedded = await openEmbedded({
    dir: config.dataDir,
    log: (event, fields) => log.info(event, fields),
    onBroken,
  })
  const pool = new pg.Pool(embedded.poolConfig)
  hearErrors(pool, lost)
  return {
    db: createDatabase(pool, 'embedded', embedded.close),
    signalsUrl: undefined,
    maintain: () => embedded.maintain((statement) => pool.query(statement)),
  }
}
