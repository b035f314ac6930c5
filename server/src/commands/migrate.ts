import { migrations } from '../migrations/index.ts'
import { parseConfig } from '../platform/config.ts'
import { schemaState } from '../platform/db/migrate.ts'
import { upgrade } from '../schema.ts'
import { EXIT, type Run, type Terminal } from './command.ts'
import { databaseExists, withDatabase, withExistingDatabase } from './database.ts'

/** Brings the schema up to date; with `--check` only lists what is pending. */
export const run: Run = async ({ options, env, terminal }) => {
  const config = parseConfig(env)
  if (options.check === true) {
    const pending = (await databaseExists(config))
      ? await withExistingDatabase(config, async ({ db }) => (await schemaState(db.root, migrations)).pending)
      : Object.keys(migrations)
    printAll(terminal, 'pending', pending)
    return pending.length === 0 ? EXIT.ok : EXIT.failed
  }
  printAll(terminal, 'done', await withDatabase(config, ({ db }) => upgrade(db)))
  return EXIT.ok
}

function printAll(terminal: Terminal, state: string, names: readonly string[]): void {
  for (const name of names) terminal.print(`${state}  ${name}`)
  if (names.length === 0) terminal.print('The schema is up to date.')
}
