/** Finds out what a file is, and reads its posts. */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { OWN_MANIFEST } from '../../own-format.ts'
import { FileRefused, type Found, isRefused } from '../source-post.ts'
import { type Archive, type ArchiveFile, openArchive } from './archive.ts'
import { readGhost } from './ghost.ts'
import { postOfMarkdown } from './markdown.ts'
import { postOfOwn } from './own.ts'
import { type KeepPicture, shelfOf, withPictures } from './pictures.ts'
import { readWordPress } from './wordpress.ts'

/** Where posts come from. */
export const FORMATS = ['wordpress', 'ghost', 'markdown', 'postrider'] as const
export type Format = (typeof FORMATS)[number]

/** What a file is, and its posts as they come. */
export type Reading = { format: Format; posts: AsyncIterable<Found> }

const NOT_KNOWN =
  'This file is none that can be imported: WordPress’s export (XML), Ghost’s export (JSON), or a zip archive of Markdown files or of an export of Postrider.'

/** Opens a file on the disk; `keep` keeps pictures of an archive. Reading on may throw FileRefused as well. */
export async function readFile(
  path: string,
  keep: (archive: Archive) => KeepPicture,
  use: (reading: Reading) => Promise<void>,
): Promise<void> {
  const start = await firstBytes(path)
  const again = async () => createReadStream(path)
  const text = start
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()
  if (
    start.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004')) ||
    start.subarray(0, 4).equals(Buffer.from('PK\u0005\u0006'))
  ) {
    const archive = await openArchive(path)
    try {
      return await use(await readingOf(archive, keep(archive)))
    } finally {
      archive.close()
    }
  }
  if (text.startsWith('<')) return use({ format: 'wordpress', posts: readWordPress(again) })
  if (text.startsWith('{')) return use({ format: 'ghost', posts: readGhost(again, isWrapped(text)) })
  throw new FileRefused(NOT_KNOWN)
}

const isWrapped = (text: string) => /^\{\s*"db"/.test(text)

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1_024), 0, 1_024, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const nameOf = ({ path }: ArchiveFile) => path.split('/').at(-1) ?? ''

async function readingOf(archive: Archive, keep: KeepPicture): Promise<Reading> {
  const { files } = archive
  const manifest = files.find((file) => nameOf(file) === OWN_MANIFEST)
  const ending = (pattern: RegExp) => files.filter(({ path }) => pattern.test(path))
  if (manifest !== undefined) {
    const own = ending(/(?:^|\/)posts\/[^/]+\.json$/i)
    return { format: 'postrider', posts: each(archive, own, postOfOwn, keep) }
  }
  const markdown = ending(/\.(?:md|markdown|mdx)$/i)
  if (markdown.length > 0) return { format: 'markdown', posts: each(archive, markdown, postOfMarkdown, keep) }
  const xml = ending(/\.xml$/i)
  if (xml.length > 0)
    return { format: 'wordpress', posts: all(xml.map((file) => readWordPress(() => archive.open(file)))) }
  const [json] = ending(/\.json$/i)
  if (json === undefined) throw new FileRefused('There are no posts in the archive: no Markdown files, and no export.')
  const start = await startOf(await archive.open(json))
  return { format: 'ghost', posts: readGhost(() => archive.open(json), isWrapped(start)) }
}

async function startOf(stream: Readable): Promise<string> {
  for await (const bytes of stream) {
    stream.destroy()
    return (bytes as Buffer).toString('utf8').trimStart()
  }
  return ''
}

/** A post per file, by where the file is; a folder that holds them all is not a part of that. */
async function* each(
  archive: Archive,
  files: readonly ArchiveFile[],
  postOf: (path: string, text: string) => Found,
  keep: KeepPicture,
): AsyncGenerator<Found> {
  const [top = ''] = files[0]?.path.match(/^[^/]+\//) ?? []
  const from = files.every(({ path }) => path.startsWith(top)) ? top.length : 0
  const shelf = shelfOf(archive.pictures)
  for (const file of files) {
    const found = postOf(file.path.slice(from), await archive.text(file))
    yield isRefused(found) ? found : await withPictures(found, file.path, shelf, keep)
  }
}

async function* all(readings: ReadonlyArray<AsyncIterable<Found>>): AsyncGenerator<Found> {
  for (const posts of readings) yield* posts
}
