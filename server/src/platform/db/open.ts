import pg from 'pg'
import type { Config } from '../config.ts'
import { errorField, type Log } from '../log.ts'
import { createDatabase, createPostgresPool, type Database, hearErrors, type StatementLimits } from './database.ts'
import type { LostWal } from './embedded/known-flush.ts'
import type { Extent } from './embedded/maintenance.ts'
import { keepReady } from './ready.ts'
import { assertSessions } from './sessions.ts'

/** Connections per process to a PostgreSQL server. */
const POOL_SIZE = 16
/** How many of them a service keeps open: what publishing, delivering and some requests at a time use. */
const READY = 8

/** Hears what a start does that may take seconds, when it begins and when it is done. */
export type OnStep = (event: string, fields: object) => void

/**
 * How a database is opened. `limits`: of statements, by default the service's. `ready`: whether connections are opened beforehand.
 * `onStep`: by default the log.
 */
type Opening = { limits?: StatementLimits; ready?: boolean; onStep?: OnStep }

/** An open database, and the upkeep it needs from us (the embedded one has no autovacuum and no checkpointer). */
export type OpenDatabase = {
  db: Database
  maintain: ((extent: Extent) => Promise<void>) | undefined
  /** Where to listen for signals of other processes; undefined when there are none. */
  signalsUrl: string | undefined
}

/**
 * Opens the database that the configuration names. `onBroken` is called when the embedded database has stopped. Throws ConfigError
 * for a server whose connections are shared (`assertSessions`).
 */
export async function openDatabase(
  config: Config,
  log: Log,
  onBroken: (error: Error) => void,
  { limits, ready = false, onStep = log.info }: Opening = {},
): Promise<OpenDatabase> {
  const lost = (error: Error) => log.warn('db.connection_lost', { error: errorField(error) })
  if (config.databaseUrl !== undefined) {
    await assertSessions(config.databaseUrl)
    const size = { max: POOL_SIZE, min: ready ? READY : 0 }
    const pool = createPostgresPool(config.databaseUrl, size, lost, limits)
    if (ready) keepReady(pool)
    return { db: createDatabase(pool, 'postgres'), maintain: undefined, signalsUrl: config.databaseUrl }
  }
  // Imported here, so that a service on a PostgreSQL server does not load it.
  const { openEmbedded } = await import('./embedded/open-embedded.ts')
  const embedded = await openEmbedded({
    dir: config.dataDir,
    log: onStep,
    onBroken(error) {
      log.error('db.embedded.broken', { dir: config.dataDir, error: errorField(error) })
      onBroken(error)
    },
  })
  if (embedded.lostWal !== undefined)
    log.warn('db.embedded.commits_lost', { dir: config.dataDir, ...lostCommits(embedded.lostWal) })
  const pool = new pg.Pool(embedded.poolConfig)
  hearErrors(pool, lost)
  return {
    db: createDatabase(pool, 'embedded', embedded.close),
    signalsUrl: undefined,
    maintain: (extent) => embedded.maintain((statement) => pool.query(statement), extent),
  }
}

function lostCommits({ known, recovered }: LostWal): { problem: string; known: string; recovered: string } {
  const problem =
    'The embedded database ends before what was already on disk: the disk, or a copy of the directory, has lost the last changes. ' +
    'Restore the latest backup if it is newer; or else run "postrider versions raise" before sites get updates, and compare your sites with your posts.'
  return { problem, known, recovered }
}
