/** The ends of a period as parameters of a query (decision N1), in UTC. */
import { z } from 'zod'
import { invalid } from '../errors.ts'
import { epochMs } from './instant.ts'

const DAY_MS = 24 * 3_600_000

/** What is between two instants, both included. */
type Period = { from: Date; to: Date }

/** Both forms, for readers of the API document; not every text that fits is an existing day. */
const EDGE_PATTERN =
  '^2[01]\\d{2}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])([Tt]([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?([Zz]|[+-]([01]\\d|2[0-3]):?[0-5]\\d))?$'

const DATE = /^\d{4}-\d{2}-\d{2}$/
const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})$/

/** One end of a period as a query's parameter. `description` says what it means. */
export function edge(description: string) {
  return z.string().optional().openapi({ description, pattern: EDGE_PATTERN, example: '2026-11-01' })
}

/** The given edges of a period without defaults. Throws `invalid` on `from` or `to`. */
export function edgesOf({ from, to }: { from?: string | undefined; to?: string | undefined }): Partial<Period> {
  const edges = {
    ...(from === undefined ? {} : { from: readEdge('from', from) }),
    ...(to === undefined ? {} : { to: readEdge('to', to) }),
  }
  if (edges.from !== undefined && edges.to !== undefined && edges.from > edges.to)
    throw invalid('from', '"from" must not be after "to".')
  return edges
}

/** One end of a period; a date as `to` means its end. Throws `invalid` on it. */
export function readEdge(field: 'from' | 'to', text: string): Date {
  const isDate = DATE.test(text)
  const ms = isDate || INSTANT.test(text) ? epochMs(isDate ? `${text}T00:00:00Z` : text) : Number.NaN
  if (!(ms >= Date.parse('2000-01-01T00:00:00Z') && ms < Date.parse('2200-01-01T00:00:00Z'))) {
    throw invalid(
      field,
      `"${field}" must be an ISO 8601 date like 2026-11-01, or a time with an offset, between 2000 and 2199.`,
    )
  }
  return new Date(isDate && field === 'to' ? ms + DAY_MS - 1 : ms)
}
