/** Zip archives that are written while they are read, so that no more than two files of one are in memory. */
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'

/** A file of an archive. It is made when its turn has come. */
export type ZipEntry = { name: string; changedAt: Date; content: string | AsyncIterable<string> }

/** The bytes of an archive of these files. Equal files make equal bytes. */
export async function* zipped(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error) => output.destroy(error))
  void addAll(zip, output, entries).catch((error) => output.destroy(error))
  yield* output as AsyncIterable<Uint8Array>
}

async function addAll(zip: ZipFile, output: Readable, entries: AsyncIterable<ZipEntry>): Promise<void> {
  const closed = once(output, 'close')
  for await (const { name, changedAt, content } of entries) {
    const begun = new Promise<void>((resolve) => {
      zip.addReadStreamLazy(name, { mtime: changedAt, forceDosTimestamp: true }, (give) => {
        resolve()
        const pieces = Readable.from(typeof content === 'string' ? [Buffer.from(content)] : content)
        pieces.once('error', (error) => output.destroy(error))
        give(null, pieces)
      })
    })
    await Promise.race([begun, closed])
    if (output.destroyed) return
  }
  zip.end()
}
