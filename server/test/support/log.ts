import type { Log } from '../../src/platform/log.ts'

/** One line of the service's log, kept for tests. */
export type LogLine = { level: string; event: string; fields: Record<string, unknown> }

/** A log that passes its lines to `hear`. */
export function recordingLog(hear: (line: LogLine) => void): Log {
  const at =
    (level: string) =>
    (event: string, fields: object = {}) =>
      hear({ level, event, fields: { ...fields } })
  const debug = at('debug')
  return { debug: (event, fields) => debug(event, fields()), info: at('info'), warn: at('warn'), error: at('error') }
}
