/** The kinds of pictures that are taken, told from their bytes alone: a name or a header may say anything. */

/** The media types of pictures, each with what its format is called and the ending of its files. */
export const PICTURE_TYPES = {
  'image/jpeg': { format: 'jpeg', ending: 'jpg' },
  'image/png': { format: 'png', ending: 'png' },
  'image/gif': { format: 'gif', ending: 'gif' },
  'image/webp': { format: 'webp', ending: 'webp' },
  'image/avif': { format: 'avif', ending: 'avif' },
} as const
export type PictureType = keyof typeof PICTURE_TYPES

const TAKEN = 'Upload a JPEG, PNG, GIF, WebP or AVIF picture.'

/** How many of a file's first bytes `typeOf` needs. */
export const HEAD_BYTES = 1024

/** The type of a picture by its first bytes, or a sentence that says why it is not taken. */
export function typeOf(head: Buffer): PictureType | { refused: string } {
  const text = head.toString('latin1')
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (/^GIF8[79]a/.test(text)) return 'image/gif'
  if (/^RIFF[\s\S]{4}WEBP/.test(text)) return 'image/webp'
  const brands = text.slice(4, 8) === 'ftyp' ? text.slice(8, Math.max(16, head.readUInt32BE(0))) : ''
  if (/avi[fs]/.test(brands)) return 'image/avif'
  if (/hei[cx]|hevc|mif1|msf1/.test(brands))
    return { refused: 'HEIC pictures are not taken, because few browsers show them. Export it as JPEG.' }
  if (/<svg[\s>]|<!doctype svg/i.test(text))
    return { refused: 'SVG is not taken, because it can contain programs. Export it as PNG or WebP.' }
  if (head.length === 0) return { refused: `The file is empty. ${TAKEN}` }
  return { refused: `This file is no picture of a kind that is taken. ${TAKEN}` }
}
