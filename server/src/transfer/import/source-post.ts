/** What readers of files make of a post, whatever system it comes from. */

/** A kind of thing that an import cannot keep: `message` is a sentence, and `count` says how often. */
export type ImportLoss = { code: string; message: string; count: number }

/** An address that somebody may have a link to, and the slug to which it leads here. */
export type Redirect = { from: string; to: string }

/** A post in our own format, whose id may be that of a post of this account. */
export type OwnState = {
  id: string
  version: number
  siteIds: string[] | null
  /** Absent where the format does not say. */
  primarySiteId?: string | null
  scheduleZone: string | null
  unpublishAt: string | null
}

/** A post of another system. Times are ISO 8601. `body`: one form, or all three of ours. */
export type SourcePost = {
  /** The same whenever the same post is exported again. */
  sourceId: string
  title: string
  /** As a suggestion: empty if the title is to make it. */
  slug: string
  body: { html?: string; markdown?: string; json?: unknown }
  excerpt?: string
  tags: string[]
  meta: { title?: string; description?: string; og_image?: string; canonical_url?: string }
  status: 'draft' | 'scheduled' | 'published'
  scheduledAt?: string
  publishedAt?: string
  createdAt?: string
  updatedAt?: string
  formerSlugs: Array<{ slug: string; retiredAt?: string }>
  author?: string
  /** Those of the file, by their addresses in the text: the SHA-256 of each. */
  pictures?: Record<string, string>
  /** What the reader could not keep. */
  losses: ImportLoss[]
  own?: OwnState
}

/** An entry of a file that is not imported, and why: a sentence. */
export type RefusedPost = { sourceId: string; title: string; reason: string }

/** What a reader finds, one after the other. */
export type Found = SourcePost | RefusedPost

/** Whether a reader refused an entry. */
export function isRefused(found: Found): found is RefusedPost {
  return 'reason' in found
}

/** The file is not imported at all. The message is a sentence for whoever sent it. */
export class FileRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FileRefused'
  }
}

/** The most bytes of one post: its text may have 1 MiB in each of its forms. */
export const MOST_POST_BYTES = 8 * 1024 * 1024
/** The most posts of a file. */
export const MOST_POSTS = 50_000

/** A short description of one thing that was lost. */
export const oneLoss = (code: string, message: string, count = 1): ImportLoss => ({ code, message, count })
