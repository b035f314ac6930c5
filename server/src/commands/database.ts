import { migrations } from '../migrations/index.ts'
import type { Config } from '../platform/config.ts'
import { type Database, UNHURRIED } from '../platform/db/database.ts'
import { isCreated } from '../platform/db/embedded/directory.ts'
import { EmbeddedInUseError } from '../platform/db/embedded/errors.ts'
import { assertKnown, type SchemaState, schemaState } from '../platform/db/migrate.ts'
import { type OpenDatabase, openDatabase } from '../platform/db/open.ts'
import { createLog } from '../platform/log.ts'
import { CommandError, EXIT, PROGRAM } from './command.ts'

/** Whether the configured database exists. The first start creates an embedded one; one on a server counts as existing. */
export async function databaseExists(config: Config): Promise<boolean> {
  return config.databaseUrl !== undefined || (await isCreated(config.dataDir))
}

/** Opens the configured database, making an embedded one if there is none, and closes it after `work`. */
export async function withDatabase<T>(config: Config, work: (open: OpenDatabase) => Promise<T>): Promise<T> {
  let broken: Error | undefined
  const open = await openForCommand(config, (error) => {
    broken = error
  })
  try {
    return await work(open)
  } catch (error) {
    throw broken ?? error // the cause says more than its consequence
  } finally {
    await open.db.close()
  }
}

/** As `withDatabase`, for a database that exists and whose schema is up to date; otherwise says what to do first. */
export async function withCurrentDatabase<T>(config: Config, work: (db: Database) => Promise<T>): Promise<T> {
  return withExistingDatabase(config, async ({ db }, { pending }) => {
    if (pending.length > 0)
      throw new CommandError(`The database schema is not up to date. First run: ${PROGRAM} migrate`, EXIT.unavailable)
    return work(db)
  })
}

/** As `withDatabase`, for a database that exists, with a schema that this version knows. */
export async function withExistingDatabase<T>(
  config: Config,
  work: (open: OpenDatabase, schema: SchemaState) => Promise<T>,
): Promise<T> {
  if (!(await databaseExists(config)))
    throw new CommandError(
      `There is no database in ${config.dataDir} yet. Set DATA_DIR to the directory that holds it.`,
    )
  return withDatabase(config, async (open) => {
    const schema = await schemaState(open.db.root, migrations)
    assertKnown(schema)
    return work(open, schema)
  })
}

async function openForCommand(config: Config, onBroken: (error: Error) => void): Promise<OpenDatabase> {
  try {
    return await openDatabase(config, createLog('silent'), onBroken, { limits: UNHURRIED })
  } catch (error) {
    if (!(error instanceof EmbeddedInUseError)) throw error
    const holder = error.pid === null ? 'another process' : `process ${error.pid}`
    throw new CommandError(
      `The database in ${config.dataDir} is in use by ${holder}, normally the service. Only one process can use the embedded database: stop that one, run this again, then start it.`,
      EXIT.unavailable,
    )
  }
}
