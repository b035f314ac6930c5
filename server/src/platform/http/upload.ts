/** Request bodies that are passed on as they come, without being in memory as a whole. */
import { Readable } from 'node:stream'
import { fail, invalid } from '../errors.ts'
import { announcedBytes, tooLarge } from './body.ts'
import type { RequestFacts, Upload, UploadLimits } from './endpoint.ts'

/** Opens the body of a request as an upload. Throws `unsupported_media_type` or `too_large` from what is declared. */
export function openUpload(
  facts: Pick<RequestFacts, 'header'>,
  body: Readable,
  { mostBytes, types }: UploadLimits,
): Upload {
  announcedBytes(facts, mostBytes)
  const type = facts.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!types.includes(type))
    throw fail('unsupported_media_type', `Send the body as ${types.join(' or ')}, and say which in Content-Type.`)
  return { type, bytes: Readable.from(limited(body, mostBytes), { objectMode: false }) }
}

async function* limited(body: Readable, mostBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    // Not destroyed when it is left unread: the answer goes out on the same connection.
    for await (const piece of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      size += piece.length
      if (size > mostBytes) throw tooLarge(mostBytes)
      yield piece
    }
  } catch (error) {
    body.resume() // what is left is discarded: the next request comes over the same connection
    throw body.errored === null ? error : invalid('body', 'The body ended before it was complete.', error)
  }
}
