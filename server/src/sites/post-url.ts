import { z } from 'zod'
import { textError } from '../platform/http/text.ts'

const PLACEHOLDERS = ['slug', 'id', 'yyyy', 'mm'] as const
const ANY_PLACEHOLDER = /\{([^{}]*)\}/g

/** The pattern of a post's address on a site: an http or https address with `{slug}` or `{id}`, also `{yyyy}` and `{mm}`. */
export const PostUrl = z
  .string(textError('The post address'))
  .max(2048, 'The post address must have at most 2048 characters.')
  .trim()
  .refine(
    (pattern) => [...pattern.matchAll(ANY_PLACEHOLDER)].every(([, name]) => PLACEHOLDERS.some((one) => one === name)),
    'The post address may contain {slug}, {id}, {yyyy} and {mm}, and no other braces.',
  )
  .refine((pattern) => /\{(slug|id)\}/.test(pattern), 'The post address must contain {slug} or {id}.')
  .refine(
    (pattern) => /^https?:\/\/[^/\\{}]+\//i.test(pattern) && isAddress(pattern),
    'The post address must be an absolute http or https address; the host has no placeholder.',
  )
  .openapi({ example: 'https://blog.example.com/posts/{slug}' })

function isAddress(pattern: string): boolean {
  const filled = pattern.replaceAll(ANY_PLACEHOLDER, 'x')
  return URL.canParse(filled) && !/[\s\p{Cc}{}]/u.test(filled)
}
