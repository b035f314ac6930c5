import type { ColumnType, Selectable } from 'kysely'
import type { Format } from './import/read/read-file.ts'
import type { ImportLoss, Redirect } from './import/source-post.ts'

/** `reading`: its posts are looked at; `ready`: it can be run. */
export const IMPORT_STATUSES = ['reading', 'ready', 'importing', 'complete', 'failed', 'undoing', 'undone'] as const
export type ImportStatus = (typeof IMPORT_STATUSES)[number]

/** What an import does with a post: `same` and `refused` are left alone. */
export const OUTCOMES = ['new', 'same', 'changed', 'refused'] as const
export type Outcome = (typeof OUTCOMES)[number]

type ImportsTable = {
  id: string
  account_id: string
  /** Of the file. */
  name: string
  format: Format
  /** `receiving`: its file is still being read; nobody sees it. */
  status: ImportStatus | 'receiving'
  /** Why it failed: a sentence. */
  problem: string | null
  created_at: Date
  updated_at: Date
}

/** A list as JSON; empty unless it was given. */
type List<Item> = ColumnType<Item[], string | undefined, string>

type ImportItemsTable = {
  import_id: string
  /** Where in the file. */
  place: number
  source_id: string
  title: string
  author: string | null
  /** A `SourcePost` as JSON, as text because JSON columns cannot hold every character; null once it is not needed. */
  source: string | null
  digest: string | null
  /** Null until it was looked at. */
  outcome: Outcome | null
  reason: string | null
  /** The one that the post is to have, or has. */
  slug: string | null
  losses: List<ImportLoss>
  /** Addresses of pictures on other hosts. */
  media: List<string>
  redirects: List<Redirect>
  /** The post that was made or changed, as it was left; null until then. */
  post_id: string | null
  version: number | null
  left_at: Date | null
  /** The version that a changed post had before. */
  former_version: number | null
  /** Whether undoing the import undid this; null until that was tried. */
  undone: boolean | null
}

/** A picture that comes along. `source`: the SHA-256 of one from the file, the address of one on another host. */
type ImportPicturesTable = {
  import_id: string
  source: string
  /** Of the bytes as they came; null until there are any. */
  sha256: string | null
  /** Why it is not taken: a sentence. */
  problem: string | null
  /** To the library, by this import. */
  added: ColumnType<boolean, boolean | undefined, boolean>
}

/** Which post of another system a post is. `digest`: of what was imported last; `version`: the post's since then. */
type ImportedPostsTable = { account_id: string; source_id: string; post_id: string; digest: string; version: number }

export type ImportRow = Omit<Selectable<ImportsTable>, 'status'> & { status: ImportStatus }
export type ItemRow = Selectable<ImportItemsTable>

declare module '../platform/db/tables.ts' {
  interface Tables {
    imports: ImportsTable
    import_items: ImportItemsTable
    import_pictures: ImportPicturesTable
    imported_posts: ImportedPostsTable
  }
}
