/** The calls of the Management API about pictures. */
import { allByCursor } from './all-pages.ts'
import { type CallOptions, nameOf, type Transport, UPLOAD_MS } from './transport.ts'
import type { AddMediumFromUrl, ListMedia, MediaPage, Medium, UpdateMedium } from './types.ts'

/** What is said of a file beside its bytes. A `File` has a name of its own. */
export type UploadOptions = CallOptions & { name?: string; alt?: string }

const PATH = '/api/media'
const at = (id: string) => `${PATH}/${encodeURIComponent(id)}`

/** The calls, which a client has under `media`. */
export function mediaCalls(call: Transport) {
  const list = (query: ListMedia = {}, { signal }: CallOptions = {}) =>
    call<MediaPage>({ method: 'GET', path: PATH, query, signal })
  return {
    /** Uploads a picture. The same bytes again are the same picture, so it is safe to repeat. */
    upload: (file: Blob, { name = nameOf(file), alt, signal }: UploadOptions = {}) =>
      call<Medium>({
        method: 'POST',
        path: PATH,
        query: { name, alt },
        content: file,
        timeoutMs: UPLOAD_MS,
        safe: true,
        signal,
      }),
    /** Has the service fetch a picture from an address. */
    addFromUrl: (input: AddMediumFromUrl, { signal }: CallOptions = {}) =>
      call<Medium>({ method: 'POST', path: `${PATH}/from-url`, body: input, safe: true, timeoutMs: UPLOAD_MS, signal }),
    /** A page of pictures, newest first. */
    list,
    /** All pictures, page by page. */
    all: (query: Omit<ListMedia, 'cursor'> = {}, options?: CallOptions): AsyncGenerator<Medium> =>
      allByCursor(async (from) => {
        const { media, cursor } = await list({ limit: 100, ...query, ...from }, options)
        return { items: media, next: cursor }
      }),
    get: (id: string, { signal }: CallOptions = {}) => call<Medium>({ method: 'GET', path: at(id), signal }),
    update: (id: string, change: UpdateMedium, { signal }: CallOptions = {}) =>
      call<Medium>({ method: 'PATCH', path: at(id), body: change, signal }),
    /** Deletes a picture: 409 while posts have it, unless `force` says that they may lose it. */
    delete: (id: string, { force, signal }: CallOptions & { force?: boolean } = {}) =>
      call<void>({ method: 'DELETE', path: at(id), query: { force }, signal }),
  }
}
