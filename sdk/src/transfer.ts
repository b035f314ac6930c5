import type { CallOptions, Transport } from './transport.ts'
import type { ExportPosts } from './types.ts'

/** The calls that take all posts out of the service. */
export function transferCalls(call: Transport) {
  return {
    /** All posts in a zip archive, as it comes. Read it to its end, or cancel it. */
    export: (query: ExportPosts = {}, { signal }: CallOptions = {}): Promise<ReadableStream<Uint8Array>> =>
      call({ method: 'GET', path: '/api/export', query, stream: true, signal }),
  }
}
