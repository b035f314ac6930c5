/** The process that opens pictures (`process.ts`): what they hold comes from anybody. It answers each question with one message. */
import { open, readFile, writeFile } from 'node:fs/promises'
import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp'
import { endOf } from './end.ts'
import { plainJpeg } from './plain-jpeg.ts'
import type { Conversion, Inspected, Question } from './process.ts'
import { HEAD_BYTES, PICTURE_TYPES, type PictureType, typeOf } from './types.ts'

process.once('disconnect', () => process.exit(0))

sharp.cache(false)
sharp.concurrency(1)
// Nothing but these is opened, whatever the bytes say: libvips also knows formats that are programs, or that name other files.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif'].map((format) => `VipsForeignLoad${format}File`),
})

/** The most pixels of one that is decoded row by row. */
const MOST_PIXELS = 50_000_000
/** The most memory for one that has to be decoded as a whole, in bytes. */
const MOST_MEMORY = 90_000_000
/** How many times its pixels a picture takes while it is decoded as a whole, as measured. */
const COPIES: Record<PictureType, number> = {
  'image/jpeg': 2,
  'image/png': 1,
  'image/gif': 1,
  'image/webp': 1,
  'image/avif': 7,
}
const LONGEST_SIDE = 16_383

const OPTIONS = { limitInputPixels: MOST_PIXELS, failOn: 'error', sequentialRead: true } satisfies SharpOptions

process.on('message', (question: Question) => {
  const answer = question.do === 'inspect' ? inspect(question) : convert(question)
  answer
    .catch((error: unknown) => ({ failed: error instanceof Error ? error.message : String(error) }))
    .then((value) => process.send?.(value))
})

async function inspect({ path, plainPath }: Extract<Question, { do: 'inspect' }>): Promise<Inspected> {
  const type = typeOf(await headOf(path))
  if (typeof type !== 'string') return type
  try {
    const metadata = await sharp(path, { ...OPTIONS, limitInputPixels: false }).metadata()
    const problem = problemOf(metadata, type)
    if (problem !== undefined) return { refused: problem }
    // Reads all of it: what was cut off fails here.
    await sharp(path, OPTIONS).resize({ width: 64, height: 64, fit: 'inside' }).raw().toBuffer()
    const isPlain = await makePlain(path, plainPath, type, metadata)
    const { width, height } = metadata.autoOrient
    return { type, width, height, animated: (metadata.pages ?? 1) > 1, isPlain }
  } catch {
    return { refused: 'The picture is damaged or incomplete. Export it again and upload that.' }
  }
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Why a picture is not taken, if it is not. */
function problemOf(metadata: Metadata, type: PictureType): string | undefined {
  const { width, height, pages = 1, channels, depth, isProgressive = false, format, compression } = metadata
  const isOther = type === 'image/avif' ? compression !== 'av1' : format !== PICTURE_TYPES[type].format
  if (isOther) return 'The picture is not what its first bytes say. Export it again and upload that.'
  const frame = width * (metadata.pageHeight ?? height)
  const tall = metadata.pageHeight ?? height
  const size = `${width.toLocaleString('en')} × ${tall.toLocaleString('en')} pixels`
  if (frame > MOST_PIXELS || width > LONGEST_SIDE || tall > LONGEST_SIDE || frame * pages > 4 * MOST_PIXELS)
    return `The picture has ${size}${pages > 1 ? ` in ${pages} frames` : ''}: make it smaller, at most 50 megapixels and 16,383 on a side.`
  const isStreamed = !isProgressive && (type === 'image/jpeg' || type === 'image/png')
  const pixelBytes = channels * (depth === 'ushort' ? 2 : 1) * COPIES[type]
  if (!isStreamed && frame * pixelBytes > MOST_MEMORY)
    return `The picture has ${size}, too many for its format. Make it smaller, at most ${Math.floor(MOST_MEMORY / pixelBytes / 1e6)} megapixels, or save it as a plain JPEG.`
}

/** Writes the picture without what it says of its origin to `plainPath`; true if it is plain already, and nothing was written. */
async function makePlain(path: string, plainPath: string, type: PictureType, metadata: Metadata): Promise<boolean> {
  const bytes = await readFile(path)
  if (type === 'image/jpeg') {
    const plain = plainJpeg(bytes, metadata.orientation ?? 1)
    if (plain?.equals(bytes)) return true
    if (plain !== undefined) {
      await writeFile(plainPath, plain)
      return false
    }
  } else {
    const { exif, xmp, iptc, comments } = metadata
    const says = exif !== undefined || xmp !== undefined || iptc !== undefined || (comments ?? []).length > 0
    if (!says && endOf(bytes, type) === bytes.length) return true
  }
  const { format } = PICTURE_TYPES[type]
  await sharp(path, { ...OPTIONS, animated: true })
    .autoOrient()
    .keepIccProfile()
    .toFormat(format, { quality: 90 })
    .toFile(plainPath)
  return false
}

async function convert({ path, targetPath, width, type }: Conversion): Promise<object> {
  const { format } = PICTURE_TYPES[type]
  const quality = { jpeg: 80, webp: 78, avif: 52, png: 100, gif: 100 }[format]
  const small = sharp(path, OPTIONS).autoOrient().resize({ width, withoutEnlargement: true })
  const from = format === 'avif' ? await decoded(small) : small
  await from.toFormat(format, { quality, ...(format === 'avif' ? { effort: 2 } : {}) }).toFile(targetPath)
  return {}
}

/** A picture's pixels. Decoding some and encoding an AVIF both take much memory, so that is not done at once. */
async function decoded(picture: Sharp): Promise<Sharp> {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true })
  return sharp(data, { raw: info })
}
