/** The JSON bodies of webhooks (specification, section 6): the bytes that are signed and sent. */
import type { EventContent } from '../../engine/index.ts'

/** What surrounds a post in a body. Dates become ISO 8601. */
type Envelope = {
  'post.published': { site: Site; delivered_at: Date }
  'post.updated': { previous_version: number; site: Site }
  'post.deleted': { site: { id: string }; deleted_at: Date }
  'site.test': { test: true; site: Site }
}
type Site = { id: string; name: string }

/** The body of one attempt, made at `at`. */
export function webhookBody(
  { kind, payload, previousVersion, occurredAt }: EventContent,
  { site, at }: { site: Site; at: Date },
): Buffer {
  switch (kind) {
    case 'post.published':
      return bodyAround(kind, payload, { site, delivered_at: at })
    case 'post.updated':
      if (previousVersion === null) throw new TypeError('an update without the version before it')
      return bodyAround(kind, payload, { previous_version: previousVersion, site })
    case 'post.deleted':
      return bodyAround(kind, payload, { site: { id: site.id }, deleted_at: occurredAt })
  }
}

/** The body of a test delivery. */
export function testBody(sample: object, site: Site): Buffer {
  return bodyAround('site.test', Buffer.from(JSON.stringify(sample)), { test: true, site })
}

/**
 * The post's JSON goes in unparsed: it may have megabytes, and parsing would gain nothing. The body gets memory of its own: a slice
 * of Node's shared pool would retain all 64 KiB of it for as long as a site takes to answer.
 */
function bodyAround<Kind extends keyof Envelope>(kind: Kind, post: Uint8Array, rest: Envelope[Kind]): Buffer {
  const before = `{"event":"${kind}","post":`
  const after = `,${JSON.stringify(rest).slice(1)}`
  const postEnd = before.length + post.length
  const body = Buffer.allocUnsafeSlow(postEnd + Buffer.byteLength(after))
  body.write(before, 'latin1')
  body.set(post, before.length)
  body.write(after, postEnd)
  return body
}
