import { z } from 'zod'
import './zod-openapi.ts'
import { isStorable } from './json.ts'

/**
 * A text of `min` to `max` characters, counted as Unicode code points (as JSON Schema counts them), trimmed first.
 * `label` begins the messages: "The title". JSON Schema knows no trimming, so there a pattern asks for `min` characters
 * from the first to the last that is not white space.
 */
export function text(label: string, { min = 0, max }: { min?: number; max: number }) {
  const message =
    min > 0 ? `${label} must have ${min} to ${max} characters.` : `${label} must have at most ${max} characters.`
  return z
    .string(textError(label))
    .trim()
    .refine((value) => characters(value, max) <= max && (min === 0 || characters(value, min) >= min), message)
    .openapi({ ...(min > 0 ? { minLength: min, pattern: solid(min) } : {}), maxLength: max })
}

function solid(min: number): string {
  return min === 1 ? '\\S' : `\\S[\\s\\S]{${min - 2},}\\S`
}

/** The messages for a missing text and for a value of another type. `label` begins the messages. */
export function textError(label: string): { error: (issue: { input?: unknown }) => string } {
  return { error: ({ input }) => (input === undefined ? `${label} is required.` : `${label} must be a string.`) }
}

/** The number of characters (code points), counted no further than one above `limit`. */
export function characters(value: string, limit: number): number {
  if (value.length <= limit) return value.length === 0 ? 0 : [...value].length
  let count = 0
  for (const _ of value) {
    count += 1
    if (count > limit) break
  }
  return count
}

/** A text to compare with stored ones, of any length. */
export function queryText(label: string) {
  return z.string().refine((value) => isStorable(value), `${label} contains a character that cannot be stored.`)
}
