/** Taking all posts out of the service. */
import { z } from 'zod'
import { accountAuth } from '../../accounts/index.ts'
import type { Context } from '../../platform/context.ts'
import { type Endpoint, endpoint } from '../../platform/http/endpoint.ts'
import { wholePosts } from '../../posts/index.ts'
import { ghostFiles } from './ghost.ts'
import { jsonFiles } from './json.ts'
import { markdownFiles } from './markdown.ts'
import { albumOf } from './pictures.ts'
import { type ZipEntry, zipped } from './zip.ts'

const FORMATS = ['markdown', 'ghost', 'json'] as const

type Wanted = { format: (typeof FORMATS)[number]; media: boolean }

/** The files of an export: the posts, and then their pictures, if they are wanted. */
async function* filesOf(ctx: Context, accountId: string, { format, media }: Wanted): AsyncGenerator<ZipEntry> {
  const album = albumOf(ctx, wholePosts(ctx.db.root, accountId))
  if (format === 'json') yield* jsonFiles(album.posts)
  if (format === 'ghost') yield* ghostFiles(album.posts, ctx.clock.now())
  if (format === 'markdown') yield* markdownFiles(album.posts, media ? ctx.config.publicUrl : undefined)
  if (media) yield* album.files()
}

const ExportQuery = z.object({
  format: z
    .enum(FORMATS, `format must be one of ${FORMATS.join(', ')}.`)
    .default('json')
    .openapi({
      default: 'json',
      description:
        '`json` is complete: importing it makes the same posts again. `markdown`: a file with front matter per post, which static site generators understand. `ghost`: one JSON file that Ghost imports.',
    }),
  media: z.enum(['true', 'false'], 'media must be "true" or "false".').default('false').openapi({
    default: 'false',
    description:
      '`true`: the pictures of the account that posts show are in the archive, in the folder `media`. In the format `markdown` the texts have their addresses relative to the files.',
  }),
})

/** The export of an account's posts. */
export const exportRoute: Endpoint = endpoint({
  tag: 'Import and export',
  method: 'get',
  path: '/api/export',
  auth: accountAuth('posts:read'),
  name: 'exportPosts',
  summary: 'Export all posts',
  description:
    'A zip archive of all posts of the account, drafts and scheduled ones included, but for the trash and former versions. It is written while it is read. If the connection ends before the archive is complete, it cannot be opened: export again.',
  query: ExportQuery,
  replies: {
    200: {
      description: 'The archive.',
      schema: null,
      file: 'application/zip',
      headers: {
        'Content-Disposition': {
          description: 'A name for the file.',
          example: 'attachment; filename="postrider-json-2026-11-02.zip"',
        },
      },
    },
  },
  errors: [],
  async handler({ ctx, principal, query: { format, media } }) {
    const now = ctx.clock.now()
    const name = `postrider-${format}-${now.toISOString().slice(0, 10)}.zip`
    const files = filesOf(ctx, principal.accountId, { format, media: media === 'true' })
    const headers = { 'Content-Type': 'application/zip', 'Content-Disposition': `attachment; filename="${name}"` }
    return { status: 200, stream: zipped(files), headers }
  },
})
