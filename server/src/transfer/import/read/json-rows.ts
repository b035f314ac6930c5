/** Reading JSON files that are too large for memory. */
import type { Readable } from 'node:stream'
import { JSONParser } from '@streamparser/json'
import { FileRefused, MOST_POST_BYTES } from '../source-post.ts'

/** A value, and the name of the list that has it. */
export type JsonRow = { list: string; value: unknown }

const MOST_DEPTH = 100
const BUFFER_BYTES = 64 * 1024

/**
 * The values at these paths (`$.data.posts.*`), as they come; they are `rowDepth` levels deep. Throws FileRefused if the file is no JSON, or has
 * a row of more than 8 MiB.
 */
export async function* jsonRows(file: Readable, paths: string[], rowDepth: number): AsyncGenerator<JsonRow> {
  const found: JsonRow[] = []
  const parser = new JSONParser({ paths, keepStack: false, stringBufferSize: BUFFER_BYTES })
  parser.onValue = ({ value, stack }) => void found.push({ list: String(stack.at(-1)?.key ?? ''), value })
  const assertBounded = boundsOf(rowDepth)
  try {
    for await (const bytes of file as AsyncIterable<Uint8Array>) {
      assertBounded(bytes)
      if (!parser.isEnded) parser.write(bytes)
      yield* found.splice(0)
    }
  } catch (error) {
    if (error instanceof FileRefused) throw error
    throw new FileRefused('The file is not valid JSON. Export it again: it may be cut off.', { cause: error })
  }
  if (!parser.isEnded) throw new FileRefused('The file ends in the middle. Export it again.')
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/** Counts, before anything is put together, how deep a file is and how large its rows are. */
function boundsOf(rowDepth: number): (bytes: Uint8Array) => void {
  let [depth, inRow, isString, isEscaped] = [0, 0, false, false]
  return (bytes) => {
    for (const byte of bytes) {
      inRow += 1
      if (isEscaped) isEscaped = false
      else if (isString) {
        if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isString = false
      } else if (byte === QUOTE) isString = true
      else if (OPENING.has(byte)) {
        depth += 1
        if (depth <= rowDepth) inRow = 0
      } else if (CLOSING.has(byte)) {
        depth -= 1
        if (depth < rowDepth) inRow = 0
      }
      if (depth > MOST_DEPTH) throw new FileRefused('The file is nested too deeply for an export.')
    }
    if (inRow > 2 * MOST_POST_BYTES) throw new FileRefused('A post in the file is larger than 16 MiB.')
  }
}
