/** Entity tags over integer versions (RFC 9110, section 8.8.3). */
import { fail } from '../errors.ts'

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
