/** Request bodies that are passed on as they come, without being in memory as a whole. */
import { Readable } from 'node:stream'
import { fail } from '../errors.ts'
import { announcedBytes, limitedPieces } from './body.ts'
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
  return { type, bytes: Readable.from(limitedPieces(body, mostBytes), { objectMode: false }) }
}
