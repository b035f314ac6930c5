/** Zip archives in memory. */
import { buffer } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'

/** The files of an archive, as text, by their names in its order. */
export async function filesIn(archive: Uint8Array): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const zip = await fromBufferPromise(Buffer.from(archive))
  for await (const entry of zip.eachEntry())
    files.set(entry.fileName, (await buffer(await zip.openReadStreamPromise(entry))).toString())
  return files
}
