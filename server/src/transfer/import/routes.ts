/** Bringing posts along from other systems. */
import { accountAuth } from '../../accounts/index.ts'
import { MOST_IMPORT_BYTES } from '../../platform/config.ts'
import { invalid } from '../../platform/errors.ts'
import { type Endpoint, endpoint, IdParams } from '../../platform/http/endpoint.ts'
import { PageQuery, pagination } from '../../platform/http/pagination.ts'
import {
  exampleBegun,
  exampleImportedPost,
  exampleListed,
  exampleReady,
  exampleRunning,
  exampleUndoing,
} from './examples.ts'
import { createImport, getImport, listImportsPage, listItemsPage, removeImport, runImport } from './operations.ts'
import {
  ImportedPostPage,
  ImportedPostQuery,
  ImportPage,
  ImportWithReportBody,
  presentImport,
  presentItem,
  presentReport,
  RunImport,
  UploadQuery,
} from './wire.ts'

const shared = { tag: 'Import and export' } as const

const TYPES = [
  'multipart/form-data',
  'application/zip',
  'application/x-zip-compressed',
  'application/json',
  'application/xml',
  'text/xml',
  'application/rss+xml',
  'application/octet-stream',
]

const NOT_CACHED = {
  sent: { 'Cache-Control': 'no-store' },
  documented: {
    'Cache-Control': {
      description: 'The import changes while it is worked on: do not store the response.',
      example: 'no-store',
    },
  },
} as const

/** The imports of an account. */
export const importRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/imports',
    auth: accountAuth('posts:publish'),
    name: 'createImport',
    summary: 'Upload posts of another system',
    description:
      "Takes an export file of WordPress (XML) or Ghost (JSON), or a zip archive of Markdown files with front matter, of one of these, or of an export of Postrider: as the field `file` of a form, or as the body itself. The content says what it is, whatever its type. At most `IMPORT_MAX` bytes (256 MiB unless the operator says otherwise). Nothing is imported yet: the posts are looked at, and the import's report says what would become of them. Poll it until it is `ready`, then run it.",
    query: UploadQuery,
    upload: { mostBytes: MOST_IMPORT_BYTES, types: TYPES },
    replies: {
      202: {
        description: 'The new import.',
        schema: ImportWithReportBody,
        examples: { 'A new import': exampleBegun },
        headers: {
          Location: { description: 'The path of the import.', example: `/api/imports/${exampleBegun.import_id}` },
        },
      },
    },
    errors: [],
    async handler({ ctx, principal, query, upload, header }) {
      if (upload === undefined) throw invalid('body', 'Send a file.')
      const file = { ...upload, header: header('content-type') }
      const created = await createImport(ctx, principal.accountId, file, query.name)
      return { status: 202, body: presentReport(created), headers: { Location: `/api/imports/${created.row.id}` } }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/imports',
    auth: accountAuth('posts:read'),
    name: 'listImports',
    summary: 'List imports',
    description:
      'The imports of the account, newest first. Each is kept for 30 days after anything last happened to it.',
    query: PageQuery,
    replies: {
      200: {
        description: 'A page of imports.',
        schema: ImportPage,
        examples: { 'One import': { data: [exampleListed], pagination: pagination(1, 20, 1) } },
      },
    },
    errors: [],
    async handler({ ctx, principal, query: { page, limit } }) {
      const { imports, total } = await listImportsPage(ctx, principal.accountId, { page, limit })
      return { status: 200, body: { data: imports.map(presentImport), pagination: pagination(page, limit, total) } }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/imports/{id}',
    auth: accountAuth('posts:read'),
    name: 'getImport',
    summary: 'Get an import',
    description: 'The state of the import, and its report: complete when it is `ready`.',
    params: IdParams,
    replies: {
      200: {
        description: 'The import.',
        schema: ImportWithReportBody,
        examples: { 'Ready to be run': exampleReady, 'Under way': exampleRunning },
        headers: NOT_CACHED.documented,
      },
    },
    errors: [],
    async handler({ ctx, principal, params }) {
      const found = await getImport(ctx, principal.accountId, params.id)
      return { status: 200, body: presentReport(found), headers: NOT_CACHED.sent }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/imports/{id}/posts',
    auth: accountAuth('posts:read'),
    name: 'listImportedPosts',
    summary: 'List the posts of an import',
    description:
      'The posts of the file in its order: what becomes of each, and what is lost of it. Posts that were not looked at yet are missing.',
    params: IdParams,
    query: ImportedPostQuery,
    replies: {
      200: {
        description: 'A page of them.',
        schema: ImportedPostPage,
        examples: { 'One post': { data: [exampleImportedPost], pagination: pagination(1, 20, 1) } },
      },
    },
    errors: [],
    async handler({ ctx, principal, params, query: { page, limit, outcome, lossy } }) {
      const filter = { outcome, lossy: lossy === 'true' }
      const { rows, total } = await listItemsPage(ctx, principal.accountId, params.id, filter, { page, limit })
      return { status: 200, body: { data: rows.map(presentItem), pagination: pagination(page, limit, total) } }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/imports/{id}/run',
    atomic: true,
    auth: accountAuth('posts:publish'),
    name: 'runImport',
    summary: 'Run an import',
    description:
      'Imports what is new and what has changed. Published posts arrive as published, with their dates, and no site is sent them: sites that pull see them, and a backfill sends them. A post that was imported before is changed only if nobody has changed it here since; sites that were sent it are sent the change.',
    params: IdParams,
    body: RunImport,
    bodyOptional: true,
    bodyExamples: { 'As it is': {}, 'With pictures of other hosts': { pictures: true } },
    replies: {
      202: {
        description: 'The import, which is under way.',
        schema: ImportWithReportBody,
        examples: { 'Under way': exampleRunning },
      },
    },
    errors: ['conflict'],
    async handler({ ctx, principal, params, body: { pictures = false } }) {
      const running = await runImport(ctx, principal.accountId, params.id, { pictures })
      return { status: 202, body: presentReport(running) }
    },
  }),
  endpoint({
    ...shared,
    method: 'delete',
    path: '/api/imports/{id}',
    auth: accountAuth('posts:publish'),
    name: 'deleteImport',
    summary: 'Undo or forget an import',
    description:
      'Undoes an import that has been run, also while it runs: posts that it made are removed, and those that it changed become what they were. Posts that were changed, published or sent to a site since are left alone. An import that did nothing yet, or was undone, is forgotten.',
    params: IdParams,
    replies: {
      202: {
        description: 'The import, which is being undone.',
        schema: ImportWithReportBody,
        examples: { 'Being undone': exampleUndoing },
      },
      204: { description: 'The import is forgotten.', schema: null },
    },
    errors: [],
    async handler({ ctx, principal, params }) {
      const undoing = await removeImport(ctx, principal.accountId, params.id)
      return undoing === undefined ? { status: 204 } : { status: 202, body: presentReport(undoing) }
    },
  }),
]
