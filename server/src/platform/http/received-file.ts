/** Files that requests bring, as their body or in a form (RFC 7578): they are written where the caller says while they come. */
import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { invalid } from '../errors.ts'

/** The most bytes of a file, and the failure of a larger one. */
export type FileLimit = { mostBytes: number; tooLarge: () => Error }

/** Writes a file to `path`, which must be free; `see` gets each piece of it. Throws `tooLarge()`. */
export async function saveFile(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
  { mostBytes, tooLarge }: FileLimit,
  see: (piece: Uint8Array) => void = () => {},
): Promise<void> {
  const limited = async function* () {
    let size = 0
    for await (const piece of bytes) {
      size += piece.length
      if (size > mostBytes) throw tooLarge()
      see(piece)
      yield piece
    }
  }
  await pipeline(limited, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
}

type FormOptions = {
  mostBytes: number
  /** The most bytes of a text, and what becomes of each. */
  textBytes: number
  onText?: (field: string, value: string) => void
}

/**
 * Hands the field `file` of a form to `save`. Resolves with its result and the name that the form gives the file. Rejects as `save` does,
 * and with `invalid` for a form without a file, without a boundary, or cut off.
 */
export async function receiveForm<Saved>(
  bytes: Readable,
  contentType: string,
  options: FormOptions,
  save: (file: AsyncIterable<Uint8Array>) => Promise<Saved>,
): Promise<{ name: string; saved: Saved }> {
  const form = openForm(contentType, options)
  let saving: Promise<{ name: string; saved: Saved } | { error: unknown }> | undefined
  let opened: Readable | undefined
  form.on('field', (field, value) => options.onText?.(field, value))
  form.on('file', (field, file, name) => {
    if (field !== 'file' || saving !== undefined) return void file.resume()
    opened = file
    // What is left of a file that is refused has to be read too, or the form would wait for it for ever.
    saving = save(file.iterator({ destroyOnReturn: false })).then(
      (saved) => ({ name, saved }),
      (error: unknown) => {
        file.resume()
        return { error }
      },
    )
  })
  try {
    await pipeline(bytes, form)
  } catch (error) {
    opened?.destroy(error instanceof Error ? error : undefined)
    await saving
    const isCutOff = error instanceof Error && error.message.startsWith('Unexpected end')
    throw isCutOff ? invalid('file', 'The form ended before it was complete.', error) : error
  }
  const received = await saving
  if (received === undefined) throw invalid('file', 'Send the file as the field "file" of the form.')
  if ('error' in received) throw received.error
  return received
}

function openForm(contentType: string, { mostBytes, textBytes }: FormOptions) {
  try {
    // One byte more, so that what is too large is seen by whoever saves it.
    const limits = { fileSize: mostBytes + 1, files: 2, fieldSize: textBytes, fields: 10, parts: 20 }
    return new Busboy({ headers: { 'content-type': contentType }, limits })
  } catch (error) {
    throw invalid('Content-Type', 'The form needs its boundary in Content-Type, as every HTTP client sends it.', error)
  }
}
