/** Reads request bodies into memory. */
import type { Readable } from 'node:stream'
import { type Failure, fail, invalid, unavailable } from '../errors.ts'
import type { RequestFacts } from './endpoint.ts'
import type { HeldMemory } from './held-memory.ts'
import { MAX_BODY_BYTES } from './json.ts'

const FIRST_BYTES = 16 * 1024
/** Each piece takes microseconds, however small it is; a body of pieces of 128 bytes is still read. */
const MOST_PIECES = MAX_BODY_BYTES / 128

/** How bodies are read: at most `most` bytes, and counted as kept by `whose` in `unfinished` while they are. */
export type Reading = { most: number; unfinished: HeldMemory; whose: string }

/** Reads a body. Rejects with a failure when it is too large, compressed, or ends before it is complete. */
export async function readBody(
  { header }: Pick<RequestFacts, 'header'>,
  body: Readable,
  reading: Reading,
): Promise<Uint8Array> {
  const encoding = header('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity')
    throw fail('unsupported_media_type', 'Send the body uncompressed, without the header Content-Encoding.', {
      headers: { 'Accept-Encoding': 'identity' },
    })
  if (Number(header('content-length') ?? 0) > reading.most) throw tooLarge(reading.most)
  return joined(body, reading)
}

/** The pieces are copied together as they come: each takes hundreds of bytes of its own, and a client may send a body byte by byte. */
function joined(body: Readable, { most, unfinished, whose }: Reading): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  let bytes = new Uint8Array(FIRST_BYTES)
  let [size, pieces] = [0, 0]
  const refuse = (failure: Failure) => {
    body.off('data', take).pause()
    reject(failure)
  }
  const take = (piece: Uint8Array) => {
    const end = size + piece.length
    pieces += 1
    if (end > most) return refuse(tooLarge(most))
    if (pieces > MOST_PIECES) return refuse(fail('too_large', 'The body came in too many small pieces. Send fewer.'))
    if (end > bytes.length) {
      const larger = new Uint8Array(Math.min(most, Math.max(end, 2 * bytes.length)))
      larger.set(bytes.subarray(0, size))
      held.grow(larger.length - bytes.length)
      bytes = larger
    }
    bytes.set(piece, size)
    size = end
  }
  const held = unfinished.hold(whose, FIRST_BYTES, () => refuse(tooManyUnfinished()))
  // The client hung up: nobody reads the answer, but the log must not blame the service.
  const broken = (cause?: unknown) => reject(invalid('body', 'The body ended before it was complete.', cause))
  body.on('data', take).once('error', broken).once('close', broken)
  body.once('end', () => resolve(bytes.subarray(0, size)))
  return promise.finally(held.free)
}

function tooManyUnfinished(): Failure {
  return unavailable('Too many request bodies were arriving at once, so this one was dropped. Send it again shortly.')
}

function tooLarge(most: number): Failure {
  return fail('too_large', `The body is larger than ${most} bytes.`)
}
