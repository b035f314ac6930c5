import type { ColumnType, Generated, JSONColumnType, Selectable } from 'kysely'
import type { DocNode } from './body/convert.ts'

/** Specification, section 3. */
export const POST_STATUSES = ['draft', 'scheduled', 'published'] as const
export type PostStatus = (typeof POST_STATUSES)[number]

/** What search engines and social networks are told; a key that is not set is absent. */
export type PostMeta = { title?: string; description?: string; og_image?: string; canonical_url?: string }

type PostsTable = {
  id: string
  account_id: string
  version: number
  slug: string
  title: string
  excerpt: string
  body_html: string
  body_markdown: string
  body_json: JSONColumnType<DocNode>
  meta: JSONColumnType<PostMeta>
  tags: string[]
  status: PostStatus
  scheduled_at: Date | null
  published_at: Date | null
  /** Published without naming sites: every site of the account may see it, also one connected later. */
  visible_to_all: Generated<boolean>
  /** Counts the post's events, so that they have an order. */
  event_sequence: Generated<number>
  /** The version that the last event carried. */
  sent_version: number | null
  /** Title and text, stemmed and plain; written only. */
  search: ColumnType<never, string, string>
  created_at: Date
  updated_at: Date
}

type PostSlugsTable = { account_id: string; post_id: string; slug: string; retired_at: Date }

type PostSitesTable = { account_id: string; post_id: string; site_id: string; named: boolean; sent: boolean }

/** A row of `posts` without its search column. */
export type PostRow = Omit<Selectable<PostsTable>, 'search'>

declare module '../platform/db/tables.ts' {
  interface Tables {
    posts: PostsTable
    post_slugs: PostSlugsTable
    post_sites: PostSitesTable
  }
}
