/** Zip archives from anybody: what is in them is checked before anything of them is unpacked, and nothing of them is written to a disk. */
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { FileRefused, MOST_POST_BYTES, MOST_POSTS } from '../source-post.ts'

/** A file of an archive. */
export type ArchiveFile = { path: string; bytes: number; entry: Entry }

/** An open archive. Close it. */
export type Archive = {
  files: readonly ArchiveFile[]
  pictures: readonly ArchiveFile[]
  open(file: ArchiveFile): Promise<Readable>
  text(file: ArchiveFile): Promise<string>
  close(): void
}

const MOST_ENTRIES = MOST_POSTS
/** What is read of an archive may be so large unpacked. */
const MOST_TEXT_BYTES = 2 * 1024 ** 3
/** Texts are a third to a tenth of their size when they are packed; what unpacks to more than this is made to fill disks. */
const MOST_RATIO = 100
const ALWAYS_BYTES = 32 * 1024 ** 2
/** What archives hold besides: the droppings of file managers. */
const NO_POSTS = /(?:^|\/)(?:__MACOSX|\.git|node_modules)\/|(?:^|\/)\.|\/$/
const READ = /\.(?:md|markdown|mdx|json|xml)$/i
const PICTURE = /\.(?:jpe?g|png|gif|webp|avif)$/i

/** Opens an archive and checks its list of files. Throws FileRefused. */
export async function openArchive(path: string): Promise<Archive> {
  const zip = await openPromise(path, { autoClose: false, strictFileNames: false }).catch((error) => refuse(error))
  try {
    const { size } = await stat(path)
    const files = await filesOf(zip, Math.min(MOST_TEXT_BYTES, Math.max(size * MOST_RATIO, ALWAYS_BYTES)))
    return {
      files: files.filter((file) => READ.test(file.path)),
      pictures: files.filter((file) => PICTURE.test(file.path)),
      async open({ entry }) {
        const stream = await zip.openReadStreamPromise(entry).catch((error) => refuse(error))
        // What is damaged may fail before anybody reads, and whoever reads hears of it.
        return stream.on('error', () => {})
      },
      async text({ path: name, bytes, entry }) {
        if (bytes > MOST_POST_BYTES) throw new FileRefused(`${name} is larger than 8 MiB unpacked. No post is so long.`)
        try {
          return (await buffer(await zip.openReadStreamPromise(entry))).toString('utf8')
        } catch (error) {
          throw refusal(error)
        }
      },
      close: () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw error
  }
}

async function filesOf(zip: ZipFile, mostBytes: number): Promise<ArchiveFile[]> {
  if (zip.entryCount > MOST_ENTRIES)
    throw new FileRefused(`The archive has ${zip.entryCount} files. At most ${MOST_ENTRIES} are read: split it.`)
  const files: ArchiveFile[] = []
  let bytes = 0
  try {
    for await (const entry of zip.eachEntry()) {
      const kind = (entry.externalFileAttributes >>> 28) & 0xf
      if (kind === 0xa)
        throw new FileRefused(`The archive has a link in it (${entry.fileName}). Pack the files themselves.`)
      if (entry.isEncrypted()) throw new FileRefused('The archive is encrypted. Pack it again without a password.')
      if (NO_POSTS.test(entry.fileName) || !(READ.test(entry.fileName) || PICTURE.test(entry.fileName))) continue
      bytes += entry.uncompressedSize
      if (bytes > mostBytes) throw new FileRefused(tooLarge(mostBytes))
      files.push({ path: entry.fileName, bytes: entry.uncompressedSize, entry })
    }
  } catch (error) {
    throw refusal(error)
  }
  return files
}

function tooLarge(mostBytes: number): string {
  if (mostBytes === MOST_TEXT_BYTES) return 'The archive is larger than 2 GiB unpacked. It is not imported.'
  return `The archive is ${MOST_RATIO} times as large unpacked, and larger. It is not imported.`
}

function refuse(error: unknown): never {
  throw refusal(error)
}

/** Of names that lead out of the archive, sizes that are not true, and everything else that is wrong. */
function refusal(error: unknown): FileRefused {
  if (error instanceof FileRefused) return error
  const message = error instanceof Error ? error.message : ''
  return new FileRefused(`The archive cannot be read (${message}). Pack it again.`, { cause: error })
}
