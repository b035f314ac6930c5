/**
 * The embedded database: PGlite in a directory, with durable commits, one process at a time, and maintenance.
 *
 * What it guarantees: a commit that was acknowledged survives the death of the process and of the machine (as far as
 * the disk keeps what it has synced); no second process opens the directory while this one lives; a first start is
 * complete or has not happened; nothing that was ever used is deleted, whatever fails.
 */
import pg from 'pg'
import { createApart } from './create.ts'
import { createDatabase, dataPath, homePath, isCreated, prepareDirectory, renewStamp } from './directory.ts'
import type { Engine, Snapshot, Start } from './engine.ts'
import { EmbeddedError, openFailed } from './errors.ts'
import { Health } from './health.ts'
import { findLostWal, type LostWal, noteFlushed } from './known-flush.ts'
import { type Hold, holdDirectory } from './lock.ts'
import { type Extent, maintain, type RunStatement } from './maintenance.ts'
import { Session } from './session.ts'
import { SessionStream } from './session-stream.ts'
import { launchOnThread } from './worker-thread.ts'

export type EmbeddedOptions = {
  /** The data directory; the database goes into `db` inside it, the lock beside that. */
  dir: string
  log: (event: string, fields: object) => void
  /** A tarball made by `dump`, from which a new database starts. Without effect on an existing one. */
  snapshot?: Snapshot
  /** Default true. False keeps everything in memory, for tests: `dir` is neither read nor locked. */
  durable?: boolean
  /** Default true: a durable one runs on a thread of its own. False is for tests that make the file system of this one fail. */
  thread?: boolean
  /** Called once when PostgreSQL has aborted (disk full, failed sync); the process should then end and restart. */
  onBroken?: (error: EmbeddedError) => void
}

export type EmbeddedDatabase = {
  /** For `new pg.Pool(poolConfig)`. One connection: nothing may wait for a second one while holding it. */
  poolConfig: pg.PoolConfig
  /** Vacuums and analyses tables; with all of them, checkpoints afterwards. `run` must not be inside a transaction. */
  maintain: (run: RunStatement, extent: Extent) => Promise<void>
  /** Set when recovery ended before what an earlier maintenance had seen on disk: the last commits are gone. */
  lostWal?: LostWal | undefined
  /** The database as an uncompressed tarball; the caller leaves no transaction open. */
  dump: () => Promise<Blob>
  /** Shuts down and gives up the directory; end the pool first. Does nothing the second time. */
  close: () => Promise<void>
}

/**
 * Opens the embedded database beneath `dir`, creating it at first start; resolves once it answers.
 * Throws `EmbeddedInUseError`, or `EmbeddedError` whose message says what to do.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  if (options.durable === false) return serve(options, null)
  const { dir, log } = options
  const startedAt = performance.now()
  const tookMs = (): number => Math.round(performance.now() - startedAt)
  await prepareDirectory(dir)
  const hold = await holdDirectory(dir)
  try {
    if (!(await isCreated(dir))) {
      log('db.embedded.creating', { dir })
      await createDatabase(dir, (data) => fill(data, options))
      log('db.embedded.created', { dir, tookMs: tookMs() })
    }
    const database = await serve(options, hold)
    try {
      database.lostWal = await onConnection(database.poolConfig, (run) => findLostWal(homePath(dir), run))
      const previous = await renewStamp(dir)
      if (previous !== undefined) log('db.embedded.upgraded', { dir, from: previous })
    } catch (cause) {
      await database.close()
      throw cause
    }
    log('db.embedded.opened', { dir, tookMs: tookMs() })
    return database
  } catch (cause) {
    await hold.release()
    throw cause instanceof EmbeddedError ? cause : openFailed(dir, cause)
  }
}

/** Makes a new data directory without syncing; `createDatabase` syncs the result as a whole. */
async function fill(data: string, options: EmbeddedOptions): Promise<void> {
  if (options.snapshot === undefined && options.thread !== false) return createApart(data)
  const health = new Health(() => undefined)
  const engine = await launch({ data, create: { from: options.snapshot } }, options, health)
  await engine.shutDown()
  if (health.broken) throw health.broken
}

async function serve(options: EmbeddedOptions, hold: Hold | null): Promise<EmbeddedDatabase> {
  const health = new Health((error) => options.onBroken?.(error))
  const session = new Session(await launch({ data: dataPath(options.dir) }, options, health), health)
  const close = async (): Promise<void> => {
    try {
      await session.end()
    } finally {
      await hold?.release()
    }
  }
  let closing: Promise<void> | null = null
  let noted: string | undefined
  return {
    poolConfig: poolConfig(session),
    async maintain(run, extent) {
      await maintain(run, extent)
      if (hold !== null) noted = await noteFlushed(homePath(options.dir), run, noted)
    },
    dump: () => session.dump(),
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

async function launch(start: Start, { durable, snapshot, thread }: EmbeddedOptions, health: Health): Promise<Engine> {
  if (durable !== false && thread !== false) return launchOnThread(start, health)
  const { launchHere, launchInMemory } = await import('./engine.ts') // with all of PGlite, which nobody else needs on this thread
  return durable === false ? launchInMemory(snapshot, health) : launchHere(start, health)
}

async function onConnection<T>(config: pg.PoolConfig, work: (run: RunStatement) => Promise<T>): Promise<T> {
  const client = new pg.Client(config)
  await client.connect()
  try {
    return await work((sql) => client.query(sql))
  } finally {
    await client.end()
  }
}

/**
 * Sets a value for each PG* variable that matters: those of the environment must not reach this connection. Statements are
 * pipelined as on a server: each trip to the thread takes a twentieth of a millisecond.
 */
function poolConfig(session: Session): pg.PoolConfig {
  return {
    stream: () => new SessionStream(session),
    host: 'localhost',
    port: 5432,
    user: 'postgres',
    database: 'postgres',
    password: '',
    ssl: false,
    max: 1,
    pipeline: true,
    idleTimeoutMillis: 0,
  }
}
