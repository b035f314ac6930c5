import { write, writeSync } from 'node:fs'
import { type DestinationStream, pino } from 'pino'
import { systemClock } from './clock.ts'
import { readable } from './log-text.ts'

/** One wide line per unit of work. Fields must never hold a secret; `censored` below is the safety net. */
export type Log = {
  info(event: string, fields?: object): void
  warn(event: string, fields?: object): void
  error(event: string, fields?: object): void
  /** For what happens thousands of times a second: its fields are made only if the level is enabled. */
  debug(event: string, fields: () => object): void
}

const SECRET_FIELDS = new Set([
  'password',
  'token',
  'api_key',
  'apiKey',
  'webhook_secret',
  'webhookSecret',
  'secret',
  'authorization',
  'cookie',
])

/**
 * The fields with secrets replaced, at the top level and one object deeper. pino's own redaction does the same with wildcard
 * paths, but costs more than the whole line.
 */
function censored(fields: object, depth = 2): object {
  if (!needsCensoring(fields, depth)) return fields
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (SECRET_FIELDS.has(name)) return [name, '[secret]']
      return [name, depth > 1 && isPlain(value) ? censored(value, depth - 1) : value]
    }),
  )
}

/** Checks without copying anything: nearly every line is clean, and there may be tens of thousands a second. */
function needsCensoring(fields: object, depth: number): boolean {
  for (const name in fields) {
    if (SECRET_FIELDS.has(name)) return true
    if (depth > 1 && isPlain(fields[name as keyof typeof fields])) return true
  }
  return false
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/** Above about this many characters not yet written to standard output, lines are dropped and counted. */
const LONGEST_BACKLOG = 8 * 1024 * 1024
/** How long until a write is tried again after a pipe or the disk was full. */
const RETRY_MS = 20
/** How often a full pipe is tried again at the end of the process, before the remaining lines are given up. */
const LAST_TRIES = 50

/**
 * Standard output, written in the background: a slow reader (a terminal held with Ctrl-S, a stuck log collector) must not hold
 * up deliveries, nor must a full disk end them. At the end of the process, the remaining lines are written synchronously, as
 * far as there is room for them.
 */
function openStandardOutput(): DestinationStream {
  let waiting = ''
  /** Taken from `waiting`, and not written yet. */
  let chunk = Buffer.alloc(0)
  let state: 'idle' | 'writing' | 'full' | 'gone' = 'idle'
  let dropped = 0

  function take(): boolean {
    if (chunk.length > 0) return true
    if (dropped > 0) {
      const line = { level: 'warn', time: systemClock.now().toISOString(), lines: dropped, event: 'log.dropped' }
      waiting += `${JSON.stringify(line)}\n`
      dropped = 0
    }
    chunk = Buffer.from(waiting)
    waiting = ''
    return chunk.length > 0
  }
  function writeOn(): void {
    state = take() ? 'writing' : 'idle'
    if (state === 'idle') return
    write(1, chunk, (error, written) => {
      if (error === null) {
        chunk = chunk.subarray(written)
        writeOn()
      } else if (error.code === 'EPIPE') state = 'gone'
      else {
        state = 'full'
        setTimeout(writeOn, RETRY_MS).unref()
      }
    })
  }
  process.once('exit', () => {
    // A write that is under way is finished by its thread.
    if (state === 'writing') chunk = Buffer.alloc(0)
    for (let tries = 0; state !== 'gone' && take() && tries <= LAST_TRIES; )
      try {
        chunk = chunk.subarray(writeSync(1, chunk))
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return
        tries += 1
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
      }
  })
  return {
    write(line) {
      if (state === 'gone') return
      if (waiting.length + chunk.length + line.length > LONGEST_BACKLOG) dropped += 1
      else waiting += line
      if (state === 'idle') writeOn()
    },
  }
}

let [lastMs, lastTime] = [0, '']

/** The time as a field of a line. Lines of the same millisecond share its text. */
function timeField(): string {
  const now = Date.now()
  if (now !== lastMs) [lastMs, lastTime] = [now, `,"time":"${new Date(now).toISOString()}"`]
  return lastTime
}

/** How a line is written: as JSON for programs, or as text for people. */
export type LogFormat = 'json' | 'text'

/** The format that is configured, or else the one that fits what standard output is. */
export function formatInUse(configured: LogFormat | undefined): LogFormat {
  return configured ?? (process.stdout.isTTY ? 'text' : 'json')
}

let opened: DestinationStream | undefined

/** One stream per process, however many logs write to it. */
function standardOutput(): DestinationStream {
  opened ??= openStandardOutput()
  return opened
}

/** Writes each line of JSON to `destination` as a person reads it. */
function asText(destination: DestinationStream): DestinationStream {
  return { write: (line) => destination.write(readable(JSON.parse(line))) }
}

/** A logger that writes to `destination` (default: standard output). `level` and `format` as in LOG_LEVEL and LOG_FORMAT. */
export function createLog(level: string, format = formatInUse(undefined), destination = standardOutput()): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: timeField,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'event',
    },
    format === 'text' ? asText(destination) : destination,
  )
  return {
    info: (event, fields = {}) => logger.info(censored(fields), event),
    warn: (event, fields = {}) => logger.warn(censored(fields), event),
    error: (event, fields = {}) => logger.error(censored(fields), event),
    debug: (event, fields) => {
      if (logger.isLevelEnabled('debug')) logger.debug(censored(fields()), event)
    },
  }
}

/** An error as a log field: message, code and stack, never the whole object (it may carry query parameters). */
export function errorField(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  const cause = error.cause === undefined ? {} : { cause: errorField(error.cause) }
  return { name: error.name, message: error.message, ...code, stack: error.stack, ...cause }
}
