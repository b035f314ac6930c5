/** A line of the log as a person at a terminal reads it. */

/** A line as it was logged: `level`, `time` (ISO 8601), `event` and its fields. */
export type LogLine = { level: string; time: string; event: string; [field: string]: unknown }

/**
 * `20:02:47  post.published  title="Hello" sites=3`: the time of day here, the level above info, the event, its fields. What an error
 * says, and its stack, come on lines of their own.
 */
export function readable({ level, time, event, error, ...fields }: LogLine): string {
  const urgency = level === 'info' ? [] : [level.toUpperCase()]
  const what =
    event === 'request.done' ? requestText(fields) : [event, ...Object.entries(fields).map(fieldText)].join('  ')
  return `${[timeOfDay(time), ...urgency, what].join('  ')}\n${errorText(error)}`
}

function timeOfDay(time: string): string {
  return new Date(time).toLocaleTimeString('en-GB')
}

/** Most lines of a quiet service are of requests, which are shown as other servers show them. */
function requestText({ route, status, took_ms }: Record<string, unknown>): string {
  return `${route}  ${status}${took_ms === undefined ? '' : `  ${took_ms} ms`}`
}

function fieldText([name, value]: [string, unknown]): string {
  const text = typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
  return `${name}=${text}`
}

function errorText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return error === undefined ? '' : `  ${error}\n`
  const { stack, name, message, cause } = error as Record<string, unknown> // errorField made it
  const lines = String(stack ?? `${name ?? 'Error'}: ${message}`).split('\n')
  return `${lines.map((line) => `  ${line}\n`).join('')}${errorText(cause)}`
}
