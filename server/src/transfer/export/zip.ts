/**
 * Zip archives that are written while they are read, a file after the other, so that one of them is in memory. Libraries begin to compress
 * files as soon as they are given them: an archive of ten thousand took a gigabyte.
 */
import { pipeline } from 'node:stream/promises'
import { constants, crc32, createDeflateRaw } from 'node:zlib'

/** A file of an archive. It is made when its turn has come. `isPacked`: it does not become smaller. */
export type ZipEntry = {
  name: string
  changedAt: Date
  content: string | AsyncIterable<string | Uint8Array>
  isPacked?: boolean
}

/** A file that was written: its entry in the list at the end. */
type Written = {
  name: Buffer
  time: number
  crc: number
  packed: number
  bytes: number
  offset: number
  isStream: boolean
}

const MOST = 0xffff_ffff
const LOCAL = 0x0403_4b50
const CENTRAL = 0x0201_4b50
const DESCRIPTOR = 0x0807_4b50
const END = 0x0605_4b50
const END_64 = 0x0606_4b50
const LOCATOR_64 = 0x0706_4b50

/** The bytes of an archive of these files (APPNOTE.TXT of PKWARE). Equal files make equal bytes. */
export async function* zipped(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const packer = new Packer()
  try {
    yield* archived(entries, packer)
  } finally {
    packer.close()
  }
}

async function* archived(entries: AsyncIterable<ZipEntry>, packer: Packer): AsyncGenerator<Uint8Array> {
  const written: Written[] = []
  let offset = 0
  for await (const { name, changedAt, content, isPacked = false } of entries) {
    const isStream = typeof content !== 'string'
    const file: Written = {
      name: Buffer.from(name),
      time: dosTime(changedAt),
      crc: 0,
      packed: 0,
      bytes: 0,
      offset,
      isStream,
    }
    for await (const piece of isStream ? streamed(file, content, isPacked) : whole(file, content, packer)) {
      offset += piece.length
      yield piece
    }
    written.push(file)
  }
  const start = offset
  for (const file of written) {
    const entry = centralHeader(file)
    offset += entry.length
    yield entry
  }
  yield ending(written.length, start, offset - start)
}

/**
 * Packs texts, one after the other. Buffers wait for a full collection of garbage, which comes late: those that `deflateRaw` makes for each of
 * ten thousand files took 100 MB. Here all files share those for what goes in, and nearly all for what comes out.
 */
class Packer {
  readonly #deflate = createDeflateRaw()
  #bytes = Buffer.alloc(0)

  async pack(text: string): Promise<{ bytes: number; crc: number; packed: Buffer[] }> {
    const most = Buffer.byteLength(text)
    if (this.#bytes.length < most) this.#bytes = Buffer.allocUnsafeSlow(most)
    const bytes = this.#bytes.subarray(0, this.#bytes.write(text))
    const packed: Buffer[] = []
    const take = (piece: Buffer) => void packed.push(piece)
    this.#deflate.on('data', take).write(bytes)
    await new Promise<void>((resolve) => this.#deflate.flush(constants.Z_FINISH, resolve))
    this.#deflate.off('data', take).reset()
    return { bytes: most, crc: crc32(bytes), packed }
  }

  close(): void {
    this.#deflate.close()
  }
}

/** A file whose sizes are known when it begins. */
async function* whole(file: Written, content: string, packer: Packer): AsyncGenerator<Buffer> {
  const { packed, ...facts } = await packer.pack(content)
  Object.assign(file, facts, { packed: packed.reduce((sum, { length }) => sum + length, 0) })
  yield localHeader(file)
  yield* packed
}

/** A file whose sizes follow it. */
async function* streamed(
  file: Written,
  content: AsyncIterable<string | Uint8Array>,
  isPacked: boolean,
): AsyncGenerator<Buffer> {
  yield localHeader(file)
  const deflate = createDeflateRaw(isPacked ? { level: constants.Z_NO_COMPRESSION } : {})
  const counted = async function* () {
    for await (const piece of content) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
      file.crc = crc32(bytes, file.crc)
      file.bytes += bytes.length
      yield bytes
    }
  }
  // Whoever reads hears of what goes wrong.
  const writing = pipeline(counted, deflate).catch(() => {})
  for await (const piece of deflate as AsyncIterable<Buffer>) {
    file.packed += piece.length
    yield piece
  }
  await writing
  yield fields([4, DESCRIPTOR], [4, file.crc], [4, file.packed], [4, file.bytes])
}

/** Little-endian numbers of so many bytes each. */
function fields(...all: ReadonlyArray<readonly [bytes: number, value: number]>): Buffer {
  const buffer = Buffer.alloc(all.reduce((sum, [bytes]) => sum + bytes, 0))
  let at = 0
  for (const [bytes, value] of all) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), at)
    else buffer.writeUIntLE(value, at, bytes)
    at += bytes
  }
  return buffer
}

/** Version 2.0; names in UTF-8, and sizes that follow the file; deflated; time; checksum and sizes; lengths of the name and of what follows it. */
function common({ name, time, crc, packed, bytes, isStream }: Written, areKnown: boolean, moreLength = 0) {
  const known = areKnown ? [crc, packed, bytes] : [0, 0, 0]
  const flags = 0x0800 | (isStream ? 0x0008 : 0)
  const sizes = known.map((value) => [4, value] as const)
  return [[2, 20], [2, flags], [2, 8], [4, time], ...sizes, [2, name.length], [2, moreLength]] as const
}

function localHeader(file: Written): Buffer {
  return Buffer.concat([fields([4, LOCAL], ...common(file, !file.isStream)), file.name])
}

/** A regular file that everybody may read. */
const MODE = 0o100644 * 0x10000

function centralHeader(file: Written): Buffer {
  const place = [
    [2, 0],
    [2, 0],
    [2, 0],
    [4, MODE],
    [4, Math.min(file.offset, MOST)],
  ] as const
  // Where 32 bits do not hold the place, 64 bits of their own do.
  const more = file.offset < MOST ? Buffer.alloc(0) : fields([2, 1], [2, 8], [8, file.offset])
  const head = fields([4, CENTRAL], [2, (3 << 8) | 20], ...common(file, true, more.length), ...place)
  return Buffer.concat([head, file.name, more])
}

/** More files than 16 bits count, and places that 32 bits do not hold, are in a second record. */
function ending(count: number, start: number, size: number): Buffer {
  const few = Math.min(count, 0xffff)
  const [length, place] = [Math.min(size, MOST), Math.min(start, MOST)]
  const end = fields([4, END], [2, 0], [2, 0], [2, few], [2, few], [4, length], [4, place], [2, 0])
  if (count < 0xffff && start < MOST) return end
  const record = fields(
    [4, END_64],
    [8, 44],
    [2, 45],
    [2, 45],
    [4, 0],
    [4, 0],
    [8, count],
    [8, count],
    [8, size],
    [8, start],
  )
  return Buffer.concat([record, fields([4, LOCATOR_64], [4, 0], [8, start + size], [4, 1]), end])
}

/** Date and time as MS-DOS has them, in UTC; it begins in 1980. */
function dosTime(at: Date): number {
  const year = Math.min(Math.max(at.getUTCFullYear(), 1980), 2107)
  if (year !== at.getUTCFullYear()) return fieldsOf(year, 1, 1, 0, 0, 0)
  return fieldsOf(year, at.getUTCMonth() + 1, at.getUTCDate(), at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds())
}

function fieldsOf(year: number, month: number, day: number, hours: number, minutes: number, seconds: number): number {
  const date = ((year - 1980) << 9) | (month << 5) | day
  return date * 0x10000 + ((hours << 11) | (minutes << 5) | (seconds >> 1))
}
