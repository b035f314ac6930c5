/** Imports on the wire. */
import { z } from 'zod'
import { Id, Timestamp } from '../../platform/http/endpoint.ts'
import { PageQuery, Pagination } from '../../platform/http/pagination.ts'
import { queryText } from '../../platform/http/text.ts'
import { IMPORT_STATUSES, type ItemRow, OUTCOMES } from '../tables.ts'
import type { Import, ImportReport } from './operations.ts'
import { FORMATS } from './read/read-file.ts'

const count = (description: string) => z.int().min(0).openapi({ description })

const Status = z.enum(IMPORT_STATUSES).openapi('ImportStatus', {
  description:
    '`reading`: the posts are being looked at; `ready`: the report says what would be done, and `run` does it; `complete`; `failed`: `problem` says why. An import that is undone goes through `undoing` to `undone`.',
})

const ImportLoss = z
  .object({
    code: z.string().openapi({
      description:
        'What kind of thing: those of conversion warnings, and for example `shortcode`, `dynamic_block`, `card`, `relative_address`, `not_public`, `no_date`. More may come.',
      example: 'shortcode',
    }),
    message: z.string(),
    count: count('How often.'),
  })
  .openapi('ImportLoss')

const counts = {
  new: count('Posts that are made.'),
  same: count('Posts that were imported before, and are the same in the file.'),
  changed: count('Posts that were imported before, are different in the file, and were not changed here since.'),
  refused: count('Entries that are not imported.'),
}

const ImportBody = z
  .object({
    import_id: Id,
    name: z.string().openapi({ description: 'The name of the file.' }),
    format: z.enum(FORMATS),
    status: Status,
    problem: z.string().nullable().openapi({ description: 'Why it failed; otherwise null.' }),
    progress: z
      .object({ done: count('How many are done.'), total: count('Of how many.') })
      .openapi({ description: 'How far the work is: looking at posts, importing them, or undoing that.' }),
    counts: z
      .object(counts)
      .openapi({ description: 'How many posts of the file are new, and so on; complete when it is `ready`.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .openapi('Import')

/** One import with its report. */
export const ImportWithReportBody = ImportBody.extend({
  report: z.object({
    ...counts,
    lossy: count('Posts that lose something.'),
    losses: z.array(ImportLoss.extend({ posts: count('In how many posts.') })).openapi({
      description:
        'What is lost in all, the most frequent first; at most 100 kinds. The list of posts has what each loses.',
    }),
    media: count('Pictures and files on other hosts, to which posts go on to lead.'),
    pictures: count(
      'Pictures that come along into the library: those of the file that posts name, and those of other hosts as they are taken over.',
    ),
    redirects: count('Former addresses that lead to posts: their former slugs.'),
    authors: z
      .array(z.object({ name: z.string(), posts: count('How many posts of the file are theirs.') }))
      .openapi({ description: 'Who wrote the posts; at most 100. Posts here have no authors.' }),
    undone: count('Posts that undoing has removed, or given back what they were.'),
    kept: count('Posts that undoing has left alone, because they were changed, published or sent to a site since.'),
  }),
}).openapi('ImportWithReport')

/** A page of imports. */
export const ImportPage = z.object({ data: z.array(ImportBody), pagination: Pagination }).openapi('ImportPage')

/** A page of the posts of an import. */
export const ImportedPostPage = z
  .object({
    data: z.array(
      z
        .object({
          place: z.int().min(0).openapi({ description: 'Where in the file.' }),
          source_id: z
            .string()
            .openapi({ description: 'What it is known by: the same whenever it is exported again.' }),
          title: z.string(),
          outcome: z.enum(OUTCOMES),
          reason: z.string().nullable().openapi({ description: 'Why it is refused; otherwise null.' }),
          slug: z.string().nullable().openapi({ description: 'The one that the post is to have, or has.' }),
          author: z.string().nullable(),
          losses: z.array(ImportLoss),
          media: z
            .array(z.string())
            .openapi({ description: 'Addresses of pictures and files on other hosts; at most 200.' }),
          redirects: z.array(z.object({ from: z.string(), to: z.string() })),
          post_id: Id.nullable().openapi({ description: 'The post that was made or changed; null before that.' }),
          undone: z.boolean().nullable().openapi({ description: 'Whether it was undone; null if that was not tried.' }),
        })
        .openapi('ImportedPost'),
    ),
    pagination: Pagination,
  })
  .openapi('ImportedPostPage')

/** Which posts of an import to list. */
export const ImportedPostQuery = PageQuery.extend({
  outcome: z.enum(OUTCOMES, `outcome must be one of ${OUTCOMES.join(', ')}.`).optional(),
  lossy: z
    .enum(['true', 'false'], 'lossy must be "true" or "false".')
    .optional()
    .openapi({ description: '`true`: only posts that lose something.' }),
})

/** How an import is run. */
export const RunImport = z
  .strictObject({
    pictures: z.boolean('pictures must be true or false.').optional().openapi({
      description:
        'Whether pictures that posts show from other hosts are taken over into the library, as `POST /api/media/from-url` does, and shown from there. One that cannot be taken is a loss of its post, which goes on to show it from where it is.',
    }),
  })
  .openapi('RunImport')

/** What an upload may say beside its bytes. */
export const UploadQuery = z.object({
  name: queryText('The name')
    .optional()
    .openapi({ description: 'The name of the file, if it is not sent as a form.', example: 'blog.xml' }),
})

/** Presents an import as on the wire. */
export function presentImport({ row, counts }: Import) {
  const { total, looked, done, undone, kept } = counts
  const todo = counts.new + counts.changed
  const progress =
    row.status === 'reading' || (row.status === 'failed' && done === 0)
      ? { done: looked, total }
      : row.status === 'undoing' || row.status === 'undone'
        ? { done: undone + kept, total: done }
        : { done, total: todo }
  return {
    import_id: row.id,
    name: row.name,
    format: row.format,
    status: row.status,
    problem: row.problem,
    progress,
    counts: { new: counts.new, same: counts.same, changed: counts.changed, refused: counts.refused },
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

/** Presents an import with its report as on the wire. */
export function presentReport({ row, counts, authors, losses, pictures }: ImportReport) {
  const { lossy, media, redirects, undone, kept } = counts
  const presented = presentImport({ row, counts })
  return {
    ...presented,
    report: { ...presented.counts, lossy, losses, media, pictures, redirects, authors, undone, kept },
  }
}

/** Presents an entry of a file as on the wire. */
export function presentItem(item: ItemRow) {
  return {
    place: item.place,
    source_id: item.source_id,
    title: item.title,
    outcome: item.outcome ?? ('refused' as const),
    reason: item.reason,
    slug: item.slug,
    author: item.author,
    losses: item.losses,
    media: item.media,
    redirects: item.redirects,
    post_id: item.post_id,
    undone: item.undone,
  }
}
