/** Entity tags over integer versions (RFC 9110, section 8.8.3). */
import { createHash } from 'node:crypto'
import { fail } from '../errors.ts'
import type { Reply } from './endpoint.ts'

/** The strong entity tag of a version. */
export function versionTag(version: number): string {
  return `"${version}"`
}

/**
 * A check for `If-Match`: throws `precondition_failed` when the header names other versions than the one at hand.
 * Without the header, or with `*`, anything passes.
 */
export function ifMatchCheck(header: string | undefined): (version: number) => void {
  const tags = header?.split(',').map((tag) => tag.trim())
  return (version) => {
    if (tags === undefined || tags.includes('*') || tags.includes(versionTag(version))) return
    throw fail(
      'precondition_failed',
      `The resource has changed: it is at version ${version} now. Fetch it again and repeat your change.`,
    )
  }
}

/**
 * A 200 with a strong entity tag made from the content, or a 304 when `If-None-Match` names that tag already. Caches may
 * keep it but must ask.
 */
export function replyWithContentTag(body: object, ifNoneMatch: string | undefined): Reply {
  const tag = `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 27)}"`
  const headers = { ETag: tag, 'Cache-Control': 'private, no-cache' }
  const known = ifNoneMatch?.split(',').map((entry) => entry.trim().replace(/^W\//, ''))
  if (known?.includes(tag) || known?.includes('*')) return { status: 304, headers }
  return { status: 200, body, headers }
}
