/** Zip archives in memory. */
import { buffer } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'
import { ZipFile } from 'yazl'

/** The files of an archive, as text, by their names in its order. */
export async function filesIn(archive: Uint8Array, encoding: BufferEncoding = 'utf8'): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const zip = await fromBufferPromise(Buffer.from(archive))
  for await (const entry of zip.eachEntry())
    files.set(entry.fileName, (await buffer(await zip.openReadStreamPromise(entry))).toString(encoding))
  return files
}
/** An archive of these files. `mode` of all: a symbolic link is one of 0o120777. */
export async function archiveOf(
  files: Record<string, string | Uint8Array>,
  mode = 0o100664,
): Promise<Uint8Array<ArrayBuffer>> {
  const zip = new ZipFile()
  for (const [name, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), name, { mode, mtime: new Date(0) })
  zip.end()
  return new Uint8Array(await buffer(zip.outputStream))
}
