import { z } from 'zod'
import './zod-openapi.ts'

const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})$/

const LEAP_SECOND = /:\d{2}:60/

/** The range of instants that the database and JavaScript can both hold. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

/** An instant as ISO 8601 with its offset from UTC; without one it would mean a different time to every reader. */
export function instant(label: string) {
  return z
    .string(`${label} must be a string.`)
    .regex(
      WITH_OFFSET,
      `${label} must be an ISO 8601 time with an offset, like 2026-11-01T09:30:00Z or 2026-11-01T10:30:00+01:00.`,
    )
    .transform((value, context) => {
      const ms = epochMs(value)
      if (ms >= EARLIEST && ms <= LATEST) return new Date(ms)
      context.addIssue({ code: 'custom', message: `${label} is not an existing date and time.` })
      return z.NEVER
    })
    .openapi({ format: 'date-time', example: '2026-11-02T09:30:00+01:00' })
}

/**
 * The milliseconds since 1970 of an instant in ISO 8601; NaN if there is none. `Date.parse` would turn 30 February into 2 March,
 * and Temporal takes a leap second for the second before it.
 */
export function epochMs(value: string): number {
  if (LEAP_SECOND.test(value)) return Number.NaN
  try {
    return Temporal.Instant.from(value).epochMilliseconds
  } catch {
    return Number.NaN
  }
}
