/** Reads request bodies into memory. */
import type { Readable } from 'node:stream'
import { type Failure, fail, invalid, unavailable } from '../errors.ts'
import type { ByteBudget } from './byte-budget.ts'
import type { RequestFacts } from './endpoint.ts'
import { MAX_BODY_BYTES } from './json.ts'

/** Each piece takes microseconds and hundreds of bytes, however small it is; a body of pieces of 128 bytes is still read. */
const MOST_PIECES = MAX_BODY_BYTES / 128

/** Refuses a body in an encoding, and one that is announced as larger than `mostBytes`; returns how many bytes are announced. */
export function announcedBytes({ header }: Pick<RequestFacts, 'header'>, mostBytes: number): number {
  const encoding = header('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity')
    throw fail('unsupported_media_type', 'Send the body uncompressed, without the header Content-Encoding.', {
      headers: { 'Accept-Encoding': 'identity' },
    })
  const announced = Number(header('content-length') ?? 0)
  if (announced > mostBytes) throw tooLarge(mostBytes)
  return announced
}

/** A body in memory; `done` returns its bytes to the budget. */
export type HeldBody = { bytes: Uint8Array; done(): void }

/**
 * Reads a body of at most `mostBytes`, which the tenant has reserved in `budget` until `done`. Throws a failure when it is too large, does
 * not fit into the budget, or ends before it is complete.
 */
export async function readBody(
  body: Readable,
  {
    announced,
    mostBytes,
    budget,
    tenant,
  }: { announced: number; mostBytes: number; budget: ByteBudget; tenant: string },
): Promise<HeldBody> {
  const pieces: Uint8Array[] = []
  let [size, reserved] = [0, 0]
  const reserve = (bytes: number) => {
    if (!budget.reserve(tenant, bytes))
      throw unavailable('Too many request bodies are arriving or waiting. Send this one again shortly.')
    reserved += bytes
  }
  const done = () => budget.return(tenant, reserved)
  try {
    reserve(announced)
    // Not destroyed when it is left unread: the answer goes out on the same connection.
    for await (const piece of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      size += piece.length
      if (size > mostBytes) throw tooLarge(mostBytes)
      if (pieces.length > MOST_PIECES) throw fail('too_large', 'The body came in too many small pieces. Send fewer.')
      if (size > reserved) reserve(size - reserved)
      pieces.push(piece)
    }
  } catch (error) {
    done()
    body.resume() // what is left is discarded: the next request comes over the same connection
    // The client hung up: nobody reads the answer, but the log must not blame the service.
    throw body.errored === null ? error : invalid('body', 'The body ended before it was complete.', error)
  }
  const [only] = pieces
  return { bytes: pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces), done }
}

/** The refusal of a body of more than `most` bytes. */
export function tooLarge(most: number): Failure {
  return fail('too_large', `The body is larger than ${most} bytes.`)
}
