/** Messages for input that a schema refuses without a message of its own. */
import type { z } from 'zod'

const TYPES: Record<string, string> = {
  array: 'an array',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
}

/** A whole sentence about an issue, for `z.ZodType.safeParse`. */
export function sentenceAbout(issue: z.core.$ZodRawIssue): string {
  const what = issue.path === undefined || issue.path.length === 0 ? 'The body' : issue.path.join('.')
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return `${what} is required.`
      return `${what} must be ${TYPES[issue.expected] ?? issue.expected}.`
    case 'invalid_value':
      return `${what} must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}.`
    case 'too_big':
      return `${what} must ${issue.origin === 'string' ? 'have' : 'be'} at most ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}.`
    default:
      return `${what} is not valid.`
  }
}

/** The issue to report: for a union, that of its last form, which is the one people mean. */
export function telling(issue: z.core.$ZodIssue | undefined): z.core.$ZodIssue | undefined {
  if (issue?.code !== 'invalid_union') return issue
  const inner = telling(issue.errors.at(-1)?.[0])
  return inner === undefined ? issue : { ...inner, path: [...issue.path, ...inner.path] }
}
