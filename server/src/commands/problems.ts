import { BackupError } from '../platform/backup/format.ts'
import { ConfigError } from '../platform/config.ts'
import { EmbeddedError } from '../platform/db/embedded/errors.ts'
import { SchemaError } from '../platform/db/migrate.ts'
import { Failure } from '../platform/errors.ts'
import { CommandError, EXIT } from './command.ts'

/** A problem that an operator can do something about. */
export type Problem = { message: string; exitCode: number }

/** What to tell of an error, if it is one of those that happen to operators; anything else is a mistake of ours. */
export function explainProblem(error: unknown): Problem | undefined {
  if (error instanceof CommandError) return error
  if (error instanceof ConfigError) return { message: error.message, exitCode: EXIT.config }
  if (error instanceof EmbeddedError) return { message: error.message, exitCode: EXIT.unavailable }
  if (error instanceof SchemaError) return { message: error.message, exitCode: EXIT.unavailable }
  if (error instanceof BackupError) return { message: error.message, exitCode: EXIT.failed }
  if (error instanceof Failure && error.kind === 'unavailable') {
    return {
      message: `The database does not answer (${reasonOf(error.cause)}). Check DATABASE_URL, and that the server runs and lets this user in.`,
      exitCode: EXIT.unavailable,
    }
  }
  if (!(error instanceof Error)) return undefined
  return explainCode(error) ?? (error.cause === undefined ? undefined : explainProblem(error.cause))
}

function explainCode(error: Error): Problem | undefined {
  if (!('code' in error)) return undefined
  if (error.code === 'EADDRINUSE') {
    return {
      message: `Port ${'port' in error ? error.port : ''} is in use already: stop the other program, or set PORT to a free one.`,
      exitCode: EXIT.unavailable,
    }
  }
  if (error.code === '42501') {
    return {
      message: `The database refuses this user something (${error.message}). Make it the owner of the database.`,
      exitCode: EXIT.unavailable,
    }
  }
  return undefined
}

/** Why an attempt to connect failed, in a few words. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given'
  if (error.message !== '') return error.message
  return 'code' in error ? String(error.code) : error.name
}
