/**
 * The backup as a file. It appears under its name by one rename, when it is complete and on disk; until then it is
 * `FILE.partial`. If two are written to one FILE at once, the first fails. Reading checks everything: a file that was cut or
 * changed ends in BackupError, at the latest at its end.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream'
import { pipeline as pipelined } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { syncDirectory } from '../directory-sync.ts'
import { isNoSuchFile } from '../thrown.ts'
import {
  BackupError,
  type BackupHeader,
  type BackupTable,
  damaged,
  parseHeader,
  parseTrailer,
  trailerLine,
} from './format.ts'

/** Measured on rows of posts and deliveries: at most half the time of level 6, for files two percent larger. */
const GZIP_LEVEL = 3

/** Rows handed over at once while reading. */
const BATCH = { rows: 1_000, bytes: 1024 * 1024 }

/** The regular file that `path` leads to, following links; undefined when there is nothing. Throws BackupError for anything else. */
export async function regularFile(path: string): Promise<string | undefined> {
  if (await isMissing(path)) return undefined
  if (!(await stat(path)).isFile())
    throw new BackupError(
      `${path} is not a regular file. A backup must be one: it gets its name only when complete, and restoring reads it twice.`,
    )
  return realpath(path)
}

async function isMissing(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return false
  } catch (error) {
    if (isNoSuchFile(error)) return true
    throw error
  }
}

/** Writes the lines and their checksum to `path`, readable by its owner only. Resolves with the file's size in bytes. */
export async function writeBackupFile(path: string, lines: AsyncIterable<string>): Promise<number> {
  const partial = `${path}.partial`
  await rm(partial, { force: true })
  const file = await open(partial, 'wx', 0o600)
  const { ino } = await file.stat()
  const isOurs = async () => (await stat(partial).catch(() => undefined))?.ino === ino
  try {
    await pipelined(
      withTrailer(lines),
      createGzip({ level: GZIP_LEVEL }),
      async (compressed: AsyncIterable<Buffer>) => {
        for await (const bytes of compressed) await file.writeFile(bytes)
      },
    )
    await file.sync()
    const { size } = await file.stat()
    if (!(await isOurs())) throw new BackupError(`Another backup is being written to ${path}.`)
    await rename(partial, path)
    await syncDirectory(dirname(path))
    return size
  } catch (error) {
    if (await isOurs()) await rm(partial)
    throw error
  } finally {
    await file.close()
  }
}

async function* withTrailer(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const text of lines) {
    const bytes = Buffer.from(text)
    hash.update(bytes)
    yield bytes
  }
  yield Buffer.from(trailerLine(hash.digest('hex')))
}

/** Takes rows of a table, a batch at a time. */
export type TakeRows = (table: BackupTable, lines: string[]) => Promise<void>

/** Reads a backup to its end and hands over its rows. Resolves with the header once the checksum is proven right. */
export async function readBackupFile(path: string, take: TakeRows = async () => {}): Promise<BackupHeader> {
  const lines = readLines(path)
  try {
    const first = await lines.next()
    const header = parseHeader(first.done ? '' : first.value.text)
    for (const table of header.tables) await readTable(lines, table, take)
    const last = await lines.next()
    if (last.done) throw damaged('its end is missing')
    if (parseTrailer(last.value.text) !== last.value.sumBefore())
      throw damaged('its checksum does not match its contents')
    if (!(await lines.next()).done) throw damaged('there is data after its end')
    return header
  } finally {
    await lines.return(undefined)
  }
}

async function readTable(lines: Lines, table: BackupTable, take: TakeRows): Promise<void> {
  let batch: string[] = []
  let bytes = 0
  for (let row = 1; row <= table.rows; row++) {
    const line = await lines.next()
    if (line.done) throw damaged(`rows of ${table.name} are missing`)
    batch.push(line.value.text)
    bytes += line.value.text.length
    if (row < table.rows && batch.length < BATCH.rows && bytes < BATCH.bytes) continue
    await take(table, batch)
    batch = []
    bytes = 0
  }
}

/** A line, and the checksum of all that stands before it; call `sumBefore` before reading the next line. */
type Line = { text: string; sumBefore: () => string }
type Lines = AsyncGenerator<Line, undefined>

async function* readLines(path: string): Lines {
  const hash = createHash('sha256')
  const contents = createGunzip()
  // An error of the file ends the loop below; the callback is only there because `pipeline` requires one.
  pipeline(createReadStream(path), contents, () => {})
  try {
    for await (const bytes of splitLines(contents)) {
      yield { text: bytes.toString('utf8'), sumBefore: () => hash.copy().digest('hex') }
      hash.update(bytes).update('\n')
    }
  } catch (error) {
    if (isZlibError(error)) throw damaged('it cannot be decompressed', error)
    throw error
  } finally {
    contents.destroy()
  }
}

const NEWLINE = 0x0a

/** Lines end with a newline and nothing else: `node:readline` would also split at characters that occur within text. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      yield begun.length === 0 ? chunk.subarray(from, end) : Buffer.concat([...begun, chunk.subarray(from, end)])
      begun = []
      from = end + 1
    }
    if (from < chunk.length) begun.push(chunk.subarray(from))
  }
  if (begun.length > 0) throw damaged('its last line is cut off')
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_')
}
