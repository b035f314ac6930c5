import { z } from 'zod'
import { textError } from './text.ts'

/** An absolute http or https address of at most 2,048 characters, kept as given. `label` begins the messages. */
export function httpUrl(label: string) {
  return z
    .string(textError(label))
    .max(2048, `${label} has at most 2048 characters.`)
    .trim()
    .refine((value) => !/[\s\p{Cc}]/u.test(value), `${label} contains a space or a control character.`)
    .refine((value) => {
      const url = URL.canParse(value) ? new URL(value) : undefined
      return url !== undefined && (url.protocol === 'https:' || url.protocol === 'http:')
    }, `${label} must be an absolute http or https address.`)
    .openapi({ format: 'uri', pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?://', example: 'https://blog.example.com' })
}
