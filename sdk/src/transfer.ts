import { type CallOptions, nameOf, type Transport, UPLOAD_MS } from './transport.ts'
import type {
  ExportPosts,
  ImportedPostPage,
  ImportPage,
  ImportWithReport,
  ListImportedPosts,
  ListImports,
  RunImport,
} from './types.ts'

/** Options of an upload. */
export type UploadPosts = CallOptions & {
  /** The name of the file; by default that of a `File`. */
  name?: string
  /** Time limit, in milliseconds. Default: ten minutes. */
  timeoutMs?: number
}

const at = (id: string, action = '') => `/api/imports/${encodeURIComponent(id)}${action}`

/** The calls that bring posts along from other systems, and that take all posts out. */
export function transferCalls(call: Transport) {
  return {
    /** All posts in a zip archive, as it comes. Read it to its end, or cancel it. */
    export: (query: ExportPosts = {}, { signal }: CallOptions = {}): Promise<ReadableStream<Uint8Array>> =>
      call({ method: 'GET', path: '/api/export', query, stream: true, signal }),
    imports: {
      /** Uploads an export file of WordPress or Ghost, or a zip archive of Markdown files or of one of our own exports. */
      create: (file: Blob, { name = nameOf(file), timeoutMs = UPLOAD_MS, signal }: UploadPosts = {}) =>
        call<ImportWithReport>({
          method: 'POST',
          path: '/api/imports',
          query: { name },
          content: file.slice(0, file.size, 'application/octet-stream'),
          timeoutMs,
          signal,
        }),
      list: (query: ListImports = {}, { signal }: CallOptions = {}) =>
        call<ImportPage>({ method: 'GET', path: '/api/imports', query, signal }),
      /** An import with its report. */
      get: (id: string, { signal }: CallOptions = {}) =>
        call<ImportWithReport>({ method: 'GET', path: at(id), signal }),
      /** A page of the posts of an import, with what becomes of each. */
      posts: (id: string, query: ListImportedPosts = {}, { signal }: CallOptions = {}) =>
        call<ImportedPostPage>({ method: 'GET', path: at(id, '/posts'), query, signal }),
      /** Imports what is new and what has changed. `pictures`: those on other hosts are taken over into the library. */
      run: (id: string, input: RunImport = {}, { signal }: CallOptions = {}) =>
        call<ImportWithReport>({ method: 'POST', path: at(id, '/run'), body: input, signal }),
      /** Undoes an import that has been run; forgets any other (undefined). */
      delete: (id: string, { signal }: CallOptions = {}) =>
        call<ImportWithReport | undefined>({ method: 'DELETE', path: at(id), signal }),
    },
  }
}
