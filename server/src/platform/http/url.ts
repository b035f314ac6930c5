import { z } from 'zod'
import { textError } from './text.ts'

/** Stricter than the URL parser, which repairs addresses: readers of a page or a feed get the text as given. */
const ABSOLUTE = /^https?:\/\/[^/\\]/i

/** An absolute http or https address of at most 2,048 characters, kept as given. `label` begins the messages. */
export function httpUrl(label: string) {
  return z
    .string(textError(label))
    .max(2048, `${label} must have at most 2048 characters.`)
    .trim()
    .refine((value) => !/[\s\p{Cc}]/u.test(value), `${label} must not contain spaces or control characters.`)
    .refine(
      (value) => ABSOLUTE.test(value) && URL.canParse(value),
      `${label} must be an absolute http or https address.`,
    )
    .openapi({ format: 'uri', pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?://[^/\\\\]', example: 'https://blog.example.com' })
}

/** The same, or a path on a host that the server knows: `/blog/rye`. */
export function httpUrlOrPath(label: string) {
  const path = z
    .string()
    .max(2048)
    .regex(/^\/[^/\\]/)
    .refine((value) => !/[\s\p{Cc}]/u.test(value))
  return z.union(
    [path, httpUrl(label)],
    `${label} must be an absolute http or https address, or a path that begins with a slash.`,
  )
}

/** A part of an address with its escapes resolved; as it is if they are no UTF-8. */
export function decodedPart(part: string): string {
  if (!part.includes('%')) return part
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
