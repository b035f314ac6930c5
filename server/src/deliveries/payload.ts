/** Webhook bodies (specification, section 6), built around the post's JSON text without parsing it again. */
import type { EventKind } from './tables.ts'

/** What a body is made of. `post` is JSON text. */
export type PayloadParts = {
  kind: EventKind
  post: string
  previousVersion: number | null
  occurredAt: Date
  site: { id: string; name: string }
  /** When this attempt was made. */
  at: Date
}

/** The JSON body of one attempt. */
export function webhookBody({ kind, post, previousVersion, occurredAt, site, at }: PayloadParts): string {
  switch (kind) {
    case 'post.published':
      return `{"event":"${kind}","post":${post},"site":${JSON.stringify(site)},"delivered_at":${JSON.stringify(at)}}`
    case 'post.updated':
      return `{"event":"${kind}","post":${post},"previous_version":${previousVersion},"site":${JSON.stringify(site)}}`
    case 'post.deleted':
      return `{"event":"${kind}","post":${post},"site":${JSON.stringify({ id: site.id })},"deleted_at":${JSON.stringify(occurredAt)}}`
  }
}
