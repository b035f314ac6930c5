/** Receiving the file of an import, as it is or in a form: into a scratch file, because archives are read from their end. */
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { fail, invalid } from '../../platform/errors.ts'

/** A file that was received; `name`: as the form calls it. It is gone when the use of it ends. */
export type Received = { path: string; name: string | undefined }

/** Saves the body of a request of at most `mostBytes`, uses the file, and removes it. Throws `too_large`, and `invalid` for a form without file. */
export async function withReceived<T>(
  { bytes, type, header, mostBytes }: { bytes: Readable; type: string; header: string | undefined; mostBytes: number },
  use: (received: Received) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-import-'))
  const path = join(directory, 'file')
  try {
    const isForm = type === 'multipart/form-data'
    const name = isForm ? await saveForm(bytes, header ?? '', path, mostBytes) : await save(bytes, path, mostBytes)
    return await use({ path, name })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function save(bytes: AsyncIterable<Uint8Array>, path: string, mostBytes: number): Promise<undefined> {
  const limited = async function* () {
    let size = 0
    for await (const piece of bytes) {
      size += piece.length
      if (size > mostBytes) throw tooLarge(mostBytes)
      yield piece
    }
  }
  await pipeline(limited, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
}

function tooLarge(mostBytes: number): Error {
  const size = `${Math.floor(mostBytes / 2 ** 20)} MiB`
  return fail('too_large', `The file is larger than ${size}, which IMPORT_MAX allows. Split it, or ask the operator.`)
}

/** Resolves with the name that the form gives the file. */
async function saveForm(bytes: Readable, contentType: string, path: string, mostBytes: number): Promise<string> {
  const form = openForm(contentType, mostBytes)
  let saving: Promise<{ name: string } | { error: unknown }> | undefined
  let opened: Readable | undefined
  form.on('file', (field, file, name) => {
    if (field !== 'file' || saving !== undefined) return void file.resume()
    opened = file
    // What is left of a file that is refused has to be read too, or the form would wait for it for ever.
    saving = save(file.iterator({ destroyOnReturn: false }), path, mostBytes).then(
      () => ({ name }),
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
  const saved = await saving
  if (saved === undefined) throw invalid('file', 'Send the file as the field "file" of the form.')
  if ('error' in saved) throw saved.error
  return saved.name
}

function openForm(contentType: string, mostBytes: number) {
  try {
    // One byte more, so that what is too large is seen here.
    const limits = { fileSize: mostBytes + 1, files: 2, fieldSize: 1_000, fields: 10, parts: 20 }
    return new Busboy({ headers: { 'content-type': contentType }, limits })
  } catch (error) {
    throw invalid('Content-Type', 'The form needs its boundary in Content-Type, as every HTTP client sends it.', error)
  }
}
