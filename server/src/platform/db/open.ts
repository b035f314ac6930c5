import pg from 'pg'
import type { Config } from '../config.ts'
import { errorField, type Log } from '../log.ts'
import { createDatabase, createPostgresPool, type Database, hearErrors, type StatementLimits } from './database.ts'

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
 * Opens the database that the configuration names, with the limits of the service or others. `onBroken` hears when the embedded
 * one cannot go on.
 */
export async function openDatabase(
  config: Config,
  log: Log,
  onBroken: (error: Error) => void,
  limits?: StatementLimits,
): Promise<OpenDatabase> {
  const lost = (error: Error) => log.warn('db.connection_lost', { error: errorField(error) })
  if (config.databaseUrl !== undefined) {
    const pool = createPostgresPool(config.databaseUrl, POOL_SIZE, lost, limits)
    return { db: createDatabase(pool, 'postgres'), maintain: undefined, signalsUrl: config.databaseUrl }
  }
  // Only who has no server pays for loading the embedded one.
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
