import { type DestinationStream, pino } from 'pino'

/** One wide JSON line per unit of work. Fields must never hold a secret; `redact` below is the safety net. */
export type Log = {
  info(event: string, fields?: object): void
  warn(event: string, fields?: object): void
  error(event: string, fields?: object): void
  debug(event: string, fields?: object): void
}

const SECRET_FIELDS = [
  'password',
  'token',
  'api_key',
  'apiKey',
  'webhook_secret',
  'webhookSecret',
  'secret',
  'authorization',
  'cookie',
]

/** A logger that writes JSON lines to `destination` (default: standard output). `level` as in LOG_LEVEL. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'event',
      redact: { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]), censor: '[secret]' },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  )
  return {
    info: (event, fields = {}) => logger.info(fields, event),
    warn: (event, fields = {}) => logger.warn(fields, event),
    error: (event, fields = {}) => logger.error(fields, event),
    debug: (event, fields = {}) => logger.debug(fields, event),
  }
}

/** An error as a log field: message, code and stack, never the whole object (it may carry query parameters). */
export function errorField(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  const cause = error.cause === undefined ? {} : { cause: errorField(error.cause) }
  return { name: error.name, message: error.message, ...code, stack: error.stack, ...cause }
}
