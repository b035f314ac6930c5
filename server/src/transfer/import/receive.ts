/** Receiving the file of an import, as it is or in a form: into a scratch file, because archives are read from their end. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Context } from '../../platform/context.ts'
import { fail } from '../../platform/errors.ts'
import { receiveForm, saveFile } from '../../platform/http/received-file.ts'
import { makeScratch } from '../../platform/scratch.ts'

/** The most bytes of a text in a form. */
const TEXT_BYTES = 1_000

/** A file that was received; `name`: as the form calls it. It is gone when the use of it ends. */
export type Received = { path: string; name: string | undefined }

/** Saves the body of a request of at most `mostBytes`, uses the file, and removes it. Throws `too_large`, and `invalid` for a form without file. */
export async function withReceived<T>(
  ctx: Pick<Context, 'ids' | 'scratch'>,
  { bytes, type, header, mostBytes }: { bytes: Readable; type: string; header: string | undefined; mostBytes: number },
  use: (received: Received) => Promise<T>,
): Promise<T> {
  await makeScratch(ctx)
  const path = join(ctx.scratch, `${ctx.ids.next()}.import`)
  try {
    const save = (file: AsyncIterable<Uint8Array>) =>
      saveFile(file, path, { mostBytes, tooLarge: () => tooLarge(mostBytes) })
    const isForm = type === 'multipart/form-data'
    const name = isForm
      ? (await receiveForm(bytes, header ?? '', { mostBytes, textBytes: TEXT_BYTES }, save)).name
      : await save(bytes).then(() => undefined)
    return await use({ path, name })
  } finally {
    await rm(path, { force: true })
  }
}

function tooLarge(mostBytes: number): Error {
  const size = `${Math.floor(mostBytes / 2 ** 20)} MiB`
  return fail('too_large', `The file is larger than ${size}, which IMPORT_MAX allows. Split it, or ask the operator.`)
}
