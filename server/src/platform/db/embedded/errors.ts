/** Why the embedded database cannot be used. `in_use` is always an `EmbeddedInUseError`. */
export type EmbeddedErrorCode =
  | 'in_use'
  | 'not_writable'
  | 'not_owned'
  | 'version_mismatch'
  | 'unrecognised'
  | 'open_failed'
  | 'busy'
  | 'closed'
  | 'broken'

/** The WebAssembly file system throws values that are no Errors and carry these WASI error numbers. */
const WASI: Record<number, string> = {
  2: 'permission denied',
  19: 'the disk quota is used up',
  29: 'the disk cannot be read or written',
  33: 'too many files are open',
  51: 'the disk is full',
  69: 'the file system is read-only',
}

/** The reason that a thrown value gives, in a few words. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof Error) return cause.message
  if (typeof cause !== 'object' || cause === null || !('errno' in cause)) return String(cause)
  return WASI[Number(cause.errno)] ?? `error ${cause.errno} of its file system`
}

/** A failure of the embedded database. The message tells an operator what to do; data is never removed. */
export class EmbeddedError extends Error {
  readonly code: EmbeddedErrorCode

  constructor(code: EmbeddedErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EmbeddedError'
    this.code = code
  }
}

/** Another process holds the directory. `pid` is that process, or null when it could not be read. */
export class EmbeddedInUseError extends EmbeddedError {
  readonly pid: number | null

  constructor(dir: string, pid: number | null) {
    const holder = pid === null ? 'another process' : `process ${pid}`
    super(
      'in_use',
      `The database in ${dir} is in use by ${holder}. Stop that process, or give this one another DATA_DIR. ` +
        'Two processes would destroy an embedded database; to run several, set DATABASE_URL to a PostgreSQL server.',
    )
    this.name = 'EmbeddedInUseError'
    this.pid = pid
  }
}

/** The error for a database that does not open, for any other reason. */
export function openFailed(dir: string, cause: unknown): EmbeddedError {
  return new EmbeddedError(
    'open_failed',
    `The database in ${dir} could not be opened: ${reasonOf(cause)}. Nothing was deleted. ` +
      'Keep a copy of the directory, check the permissions of its files, and the disk for space and errors; then start again or restore a backup.',
    { cause },
  )
}
