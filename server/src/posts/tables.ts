import type { ColumnType, Generated, JSONColumnType, Selectable } from 'kysely'
import type { DocNode } from './body/convert.ts'
import { type ContentValues, FIELD_NAMES, type FieldValues } from './fields.ts'
import type { PostPicture } from './pictures.ts'
import type { PostStatus, StoredStatus } from './policy.ts'

/** The forms of a body, as they are stored. */
type BodyColumns = {
  body_html: string
  body_markdown: string
  /** What sites get in its place, where the author's has what they must not get. */
  body_site_markdown: string | null
  body_json: JSONColumnType<DocNode>
}

/** The columns of a body. */
export const BODY_COLUMNS = ['body_html', 'body_markdown', 'body_site_markdown', 'body_json'] as const

type PostsTable = FieldValues &
  BodyColumns & {
    id: string
    account_id: string
    version: number
    status: StoredStatus
    /** When the post was put into the trash; null if it is not there. */
    trashed_at: Generated<Date | null>
    /** It has a working copy: changes that nobody has published (`working-copy/`). */
    has_changes: Generated<boolean>
    scheduled_at: Date | null
    /** The zone by which it was planned, an IANA name; null if none was named. */
    schedule_zone: Generated<string | null>
    published_at: Date | null
    /** Unlike `published_at`, it stays when the post is unpublished. */
    first_published_at: Generated<Date | null>
    /** Published to every site of the account, even one connected later. False for what is not published. */
    visible_to_all: Generated<boolean>
    /** The author chose the sites, which are named in `post_sites`: they stay. Otherwise the next publication goes to all again. */
    sites_chosen: Generated<boolean>
    /** When it becomes a draft again. */
    unpublish_at: Generated<Date | null>
    /** For when a schedule had planned the present publication; null if somebody asked for it. */
    due_at: Generated<Date | null>
    /** Counts the post's events, so that they have an order. */
    event_sequence: Generated<number>
    /** The version in the last event. */
    sent_version: number | null
    /** Title and text, stemmed and plain; written only. */
    search: ColumnType<never, string, string>
    created_at: Date
    updated_at: Date
    /** When the version was made, and by whom; null for one from before this was kept: see `updated_at`. */
    revised_at: Generated<Date | null>
    revised_by: Generated<Editor>
    /** The name of the token that made it; null for everybody else. */
    revised_by_name: Generated<string | null>
    /** A program's proposal to publish it, or its working copy (`proposals/`). */
    proposal: JSONColumnType<Proposal | null, string | null, string | null>
    /** The account's pictures that it shows, as they were when its content was written; null if it shows none. */
    media: JSONColumnType<PostPicture[] | null, string | null, string | null>
  }

/** Who makes versions of posts: a person, a program with a token, a job that generates a draft, the schedule, which unpublishes, or an import. */
export type Editor = 'person' | 'token' | 'draft' | 'schedule' | 'import'

/** Who made a version, as its row has it; `revised_by_name`: the name of a token. */
export type RevisedBy = { revised_by: Editor; revised_by_name: string | null }

/** Who made a version; only a token has a name. */
export function madeBy(revised_by: Editor, name: string | null = null): RevisedBy {
  return { revised_by, revised_by_name: name }
}

/** A version that a person made. */
export const BY_PERSON = madeBy('person')

/** A proposal to publish. `by`: the name of the token, null for a person; `at`: an instant; `seen`: the entity tag of what it is about. */
export type Proposal = { by: string | null; reason: string; at: string; seen: string }

/** The content of a version that a newer one has replaced. `fields`: those of its content; `sent`: sites were sent it. */
type PostRevisionsTable = BodyColumns & {
  post_id: string
  version: number
  account_id: string
  revised_at: Date
  revised_by: Editor
  revised_by_name: Generated<string | null>
  sent: boolean
  words: number
  title: string
  fields: JSONColumnType<ContentValues>
}

/** Changes to a post that nobody has published: its content with them. `based_on`: the version of the post that they began from. */
type WorkingCopiesTable = BodyColumns & {
  post_id: string
  account_id: string
  /** Another one with each save. */
  save_id: string
  based_on: number
  saved_at: Date
  fields: JSONColumnType<ContentValues>
}

/** Links with which anybody may read a post that is not published. */
type PreviewsTable = {
  id: string
  post_id: string
  account_id: string
  token: string
  created_at: Date
  expires_at: Date
  revoked_at: Date | null
}

type PostSlugsTable = { account_id: string; post_id: string; slug: string; retired_at: Date }

type PostSitesTable = {
  account_id: string
  post_id: string
  site_id: string
  /** The post is for this site, as far as it is not for all (`audience.ts`): once published, the site may see it. */
  named: boolean
  /** The site has a copy, or is being sent one. */
  sent: boolean
  /** The post's; null while it is not published. */
  published_at: Date | null
  /** Where the site shows the post, as it said last; kept of posts that have an original. */
  live_url: Generated<string | null>
  /** What the site was sent as the address of the original (`canonical.ts`); null if that was nothing. */
  canonical_url: Generated<string | null>
}

/** The revision rises with every transaction that changes what any of the account's sites may see. Accounts that never had one are not here. */
type CatalogsTable = {
  account_id: string
  revision: number
  /** Changes before this revision are not known any more. */
  changes_since: Generated<number>
}

/** When what sites may see of a post last changed (`post-changes.ts`). Removed posts stay as tombstones for a while. */
type PostChangesTable = {
  post_id: string
  account_id: string
  revision: number
  /** Since when sites may see it. */
  published_revision: number
  slug: string
  version: number
  /** The sites that may see it, or could before it was removed; null: all. */
  shown_to: string[] | null
  removed_at: Date | null
}

/** A row of `posts` without the derived columns. */
export type StoredPost = Omit<Selectable<PostsTable>, 'search' | 'first_published_at'>

/** One that is not in the trash. */
export type PostRow = StoredPost & { status: PostStatus }

/** The columns of a `PostRow`. */
export const COLUMNS = [
  'id', 'account_id', 'version', ...FIELD_NAMES, ...BODY_COLUMNS, 'status',
  'scheduled_at', 'schedule_zone', 'published_at', 'visible_to_all', 'sites_chosen', 'unpublish_at', 'due_at',
  'event_sequence', 'sent_version', 'trashed_at', 'has_changes', 'created_at', 'updated_at', 'revised_at', 'revised_by',
  'revised_by_name', 'proposal', 'media',
] as const // biome-ignore format: a list of names

declare module '../platform/changes/kinds.ts' {
  interface ChangeKinds {
    post: true
  }
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    posts: PostsTable
    post_revisions: PostRevisionsTable
    working_copies: WorkingCopiesTable
    previews: PreviewsTable
    post_slugs: PostSlugsTable
    post_sites: PostSitesTable
    catalogs: CatalogsTable
    post_changes: PostChangesTable
  }
}
