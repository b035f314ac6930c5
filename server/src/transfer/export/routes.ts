/** Taking all posts out of the service. */
import { z } from 'zod'
import { accountAuth } from '../../accounts/index.ts'
import { type Endpoint, endpoint } from '../../platform/http/endpoint.ts'
import { type WholePost, wholePosts } from '../../posts/index.ts'
import { ghostFiles } from './ghost.ts'
import { jsonFiles } from './json.ts'
import { markdownFiles } from './markdown.ts'
import { type ZipEntry, zipped } from './zip.ts'

const FORMATS = ['markdown', 'ghost', 'json'] as const

const FILES: Record<(typeof FORMATS)[number], (posts: AsyncIterable<WholePost>, now: Date) => AsyncIterable<ZipEntry>> =
  { markdown: markdownFiles, ghost: ghostFiles, json: jsonFiles }

const ExportQuery = z.object({
  format: z
    .enum(FORMATS, `format must be one of ${FORMATS.join(', ')}.`)
    .default('json')
    .openapi({
      default: 'json',
      description:
        '`json` is complete: importing it makes the same posts again. `markdown`: a file with front matter per post, which static site generators understand. `ghost`: one JSON file that Ghost imports.',
    }),
})

/** The export of an account's posts. */
export const exportRoute: Endpoint = endpoint({
  tag: 'Import and export',
  auth: accountAuth,
  method: 'get',
  path: '/api/export',
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
  async handler({ ctx, principal, query: { format } }) {
    const now = ctx.clock.now()
    const name = `postrider-${format}-${now.toISOString().slice(0, 10)}.zip`
    const headers = { 'Content-Type': 'application/zip', 'Content-Disposition': `attachment; filename="${name}"` }
    return { status: 200, stream: zipped(FILES[format](wholePosts(ctx.db.root, principal.accountId), now)), headers }
  },
})
