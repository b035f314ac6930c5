/** Entity tags over integer versions (RFC 9110, section 8.8.3). */
import { hash } from 'node:crypto'
import { fail, invalid } from '../errors.ts'
import type { Content } from './endpoint.ts'

const STRONG_TAG = /^"[^"]*"$/

type TagHeaders = { ETag: string; 'Cache-Control': string }

/** The strong entity tag of a version. */
export function versionTag(version: number): string {
  return `"${version}"`
}

/**
 * Whether `If-Match` lets a tag pass; without the header, or with `*`, it lets every one. Throws `invalid` at once for anything but strong
 * entity tags.
 */
export function ifMatch(header: string | undefined): (tag: string) => boolean {
  const tags = header?.split(',').map((tag) => tag.trim())
  if (tags?.some((tag) => tag !== '*' && !STRONG_TAG.test(tag)))
    throw invalid('If-Match', 'If-Match must be the ETag of the version you have, in quotes, such as "3".')
  return (tag) => tags === undefined || tags.includes('*') || tags.includes(tag)
}

/** A check for `If-Match`, as `ifMatch`: throws `precondition_failed` when the header does not name the given version. */
export function ifMatchCheck(header: string | undefined): (version: number) => void {
  const passes = ifMatch(header)
  return (version) => {
    if (passes(versionTag(version))) return
    throw fail(
      'precondition_failed',
      `The resource has changed: it is now at version ${version}. Fetch it again and repeat your change.`,
    )
  }
}

/** A body with its strong entity tag, which is made from the content. */
export type TaggedBody = { content: Content; tag: string }

/** JSON text with its tag. */
export function tagged(text: string): TaggedBody {
  return { content: text, tag: `"${hash('sha256', text, 'base64url').slice(0, 27)}"` }
}

/** A 200, or a 304 when `If-None-Match` names the body's tag. Private caches may keep it but must revalidate. */
export function replyUnlessKnown(
  { content, tag }: TaggedBody,
  ifNoneMatch: string | undefined,
): { status: 200; content: Content; headers: TagHeaders } | { status: 304; headers: TagHeaders } {
  const headers = { ETag: tag, 'Cache-Control': 'private, no-cache' }
  return isKnown(tag, ifNoneMatch) ? { status: 304, headers } : { status: 200, content, headers }
}

/** Whether `If-None-Match` names the tag, strongly or weakly. */
export function isKnown(tag: string, ifNoneMatch: string | undefined): boolean {
  const known = ifNoneMatch?.split(',').map((entry) => entry.trim().replace(/^W\//, ''))
  return known?.includes(tag) === true || known?.includes('*') === true
}
