import { BackupError } from '../platform/backup/format.ts'
import { ConfigError } from '../platform/config.ts'
import { isDatabaseGone } from '../platform/db/database.ts'
import { EmbeddedError } from '../platform/db/embedded/errors.ts'
import { SchemaError } from '../platform/db/migrate.ts'
import { CommandError, EXIT } from './command.ts'

/** A problem that an operator can solve. */
export type Problem = { message: string; exitCode: number }

function unavailable(message: string): Problem {
  return { message, exitCode: EXIT.unavailable }
}

function misconfigured(message: string): Problem {
  return { message, exitCode: EXIT.config }
}

/** Explains an error that an operator can solve; undefined for any other, which is a bug. */
export function explainProblem(error: unknown): Problem | undefined {
  if (error instanceof CommandError) return error
  if (error instanceof ConfigError) return misconfigured(error.message)
  if (error instanceof EmbeddedError || error instanceof SchemaError) return unavailable(error.message)
  if (error instanceof BackupError) return { message: error.message, exitCode: EXIT.failed }
  if (!(error instanceof Error)) return undefined
  return explainState(error) ?? explainGone(error) ?? explainListening(error) ?? explainProblem(error.cause)
}

/** What to do about a read-only database. */
export const WRITABLE =
  'set DATABASE_URL to the primary server, or make this one writable (it is a standby or has default_transaction_read_only)'

/** What to do about an error of the database, by its SQLSTATE. */
const STATES: Record<string, (reason: string) => string> = {
  '42501': (reason) => `The user of DATABASE_URL lacks a permission (${reason}). Make it the owner of the database.`,
  '42P07': (reason) =>
    `The database has tables that are not Postrider's (${reason}). Give Postrider a database of its own.`,
  '25006': (reason) => `The database is read-only (${reason}): ${WRITABLE}.`,
  XX001: damaged,
  XX002: damaged,
  '53100': (reason) => `The disk of the database is full (${reason}). Free some space, and try again.`,
}

/** A page of a table or an index is not what the database has written. */
function damaged(reason: string): string {
  return `The database is damaged (${reason}). Stop everything that uses it, keep a copy of its files, and check the disk for errors. Then restore a backup.`
}

function explainState(error: Error): Problem | undefined {
  const explain = 'code' in error ? STATES[String(error.code)] : undefined
  return explain && unavailable(explain(error.message))
}

function explainGone(error: Error): Problem | undefined {
  if (!isDatabaseGone(error)) return undefined
  const reason = reasonOf(error.cause ?? error)
  return unavailable(`The database does not answer (${reason}). ${adviceFor(error.cause ?? error)}`)
}

/** What OpenSSL says of a certificate by an authority that this machine does not know. */
const UNTRUSTED = /^(SELF_SIGNED_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|UNABLE_TO_(GET_ISSUER|VERIFY))/

/** What to do about a database that does not answer. */
function adviceFor(error: unknown): string {
  const { code = '', message = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  if (UNTRUSTED.test(code))
    return 'Save the certificate of the authority, which your provider has, in a file and add sslrootcert=FILE to DATABASE_URL. (With sslmode=no-verify the connection is encrypted, but perhaps to somebody else.)'
  if (message.includes('unsupported startup parameter'))
    return 'A pooler refuses what it does not know: name statement_timeout and idle_in_transaction_session_timeout in its ignore_startup_parameters.'
  return 'Check DATABASE_URL, and that the server is running and accepts this user.'
}

/** Why the service cannot listen on its host and port. */
function explainListening(error: NodeJS.ErrnoException & { port?: number; address?: string; hostname?: string }) {
  const { code, syscall, port, address, hostname } = error
  if (syscall === 'getaddrinfo')
    return misconfigured(
      `HOST: "${hostname}" cannot be resolved. Set it to a name or an address of this machine; the port belongs in PORT.`,
    )
  if (syscall !== 'listen') return undefined
  switch (code) {
    case 'EADDRINUSE':
      return unavailable(`Port ${port} is already in use: stop the other program, or set PORT to a free port.`)
    case 'EACCES':
      return misconfigured(
        `PORT: this user may not listen on port ${port}. Set PORT to 1024 or higher, and let a proxy listen on port ${port}.`,
      )
    case 'EADDRNOTAVAIL':
      return misconfigured(
        `HOST: ${address} is not an address of this machine. Set it to one that is, or to 0.0.0.0 for all of them.`,
      )
    default:
      return undefined
  }
}

/** Why connecting to the database failed, in a few words. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given'
  if (error.message !== '') return error.message
  return 'code' in error ? String(error.code) : error.name
}
