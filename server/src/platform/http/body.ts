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
    for await (const piece of limitedPieces(body, mostBytes)) {
      size += piece.length
      if (pieces.length > MOST_PIECES) throw fail('too_large', 'The body came in too many small pieces. Send fewer.')
      if (size > reserved) reserve(size - reserved)
      pieces.push(piece)
    }
  } catch (error) {
    done()
    body.resume() // also when nothing of it was read
    throw error
  }
  const [only] = pieces
  return { bytes: pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces), done }
}

/**
 * The pieces of a body of at most `mostBytes`. Throws a failure when it is larger, or ends before it is complete. What is left when the
 * reader stops is discarded: the answer goes out, and the next request comes, over the same connection.
 */
export async function* limitedPieces(body: Readable, mostBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const piece of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      size += piece.length
      if (size > mostBytes) throw tooLarge(mostBytes)
      yield piece
    }
  } catch (error) {
    // The client hung up: nobody reads the answer, but the log must not blame the service.
    throw body.errored === null ? error : invalid('body', 'The body ended before it was complete.', error)
  } finally {
    body.resume()
  }
}

/** The refusal of a body of more than `most` bytes. */
function tooLarge(most: number): Failure {
  return fail('too_large', `The body is larger than ${most} bytes.`)
}
