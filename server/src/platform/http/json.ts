/**
 * Reads a JSON request body strictly. What a database column or a recursive reader could not survive is refused
 * here, before anything else sees it: deep nesting, U+0000 and lone surrogates.
 */
import { fail, invalid } from '../errors.ts'

/** Request bodies are refused above this size (bytes). */
export const MAX_BODY_BYTES = 2 * 1024 * 1024

/** A rich-text document of the deepest accepted nesting (64 nodes) needs two levels per node and a few around it. */
const MAX_DEPTH = 200

/** Parses a body. Throws a failure of kind `invalid` or `unsupported_media_type`. */
export function parseJsonBody(contentType: string | undefined, text: string): unknown {
  const type = contentType?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json' && !type?.endsWith('+json')) {
    throw fail('unsupported_media_type', 'Send the body as JSON with the header Content-Type: application/json.')
  }
  refuseDeepNesting(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid('body', 'The body is not valid JSON.', error)
  }
  refuseUnstorableText(text, value)
  return value
}

/** Counts brackets outside strings: cheap, and before any recursive code sees the text. */
function refuseDeepNesting(text: string): void {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === 0x5c) index += 1
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x7b || code === 0x5b) {
      depth += 1
      if (depth > MAX_DEPTH) throw invalid('body', `The body must not be nested more than ${MAX_DEPTH} levels deep.`)
    } else if (code === 0x7d || code === 0x5d) depth -= 1
  }
}

/** The only ways to U+0000 and to lone surrogates in a text that is valid UTF-8 and valid JSON. */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/

/** Checks every string and key, if the text has a suspicious escape. Only objects and arrays are put on the list. */
function refuseUnstorableText(text: string, root: unknown): void {
  if (!SUSPICIOUS_ESCAPE.test(text)) return
  const pending: Array<{ path: string; value: object }> = []
  const look = (path: string, value: unknown) => {
    if (typeof value === 'string') refuseUnstorable(path, value)
    else if (typeof value === 'object' && value !== null) pending.push({ path, value })
  }
  look('', root)
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, value } = next
    for (const key in value) {
      if (!Array.isArray(value)) refuseUnstorable(path, key)
      look(path === '' ? key : `${path}.${key}`, (value as Record<string, unknown>)[key]) // its own keys, just listed
    }
  }
}

/** Whether PostgreSQL can store the text: no U+0000, no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function refuseUnstorable(path: string, text: string): void {
  if (isStorable(text)) return
  throw invalid(path || 'body', 'The text contains U+0000 or half of a surrogate pair, which cannot be stored.')
}
