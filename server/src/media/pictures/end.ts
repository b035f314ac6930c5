/** Where a picture ends by its own account: what follows is something else, which a reader of another kind might take for a file. */
import type { PictureType } from './types.ts'

/** The length of the picture that bytes begin with; more than there are if it is cut off, -1 for a GIF that holds notes. */
export function endOf(bytes: Buffer, type: Exclude<PictureType, 'image/jpeg'>): number {
  if (type === 'image/webp') return 8 + bytes.readUInt32LE(4)
  if (type === 'image/gif') return endOfGif(bytes)
  let at = type === 'image/png' ? 8 : 0
  while (at + 8 <= bytes.length) {
    const length = bytes.readUInt32BE(at)
    const name = bytes.toString('latin1', at + 4, at + 8)
    at += type === 'image/png' ? length + 12 : length === 0 ? bytes.length - at : Math.max(length, 8)
    if (name === 'IEND') break
  }
  return at
}

const [EXTENSION, IMAGE, TRAILER] = [0x21, 0x2c, 0x3b]
const [COMMENT, APPLICATION] = [0xfe, 0xff]
/** How often an animation is repeated. */
const LOOPS = ['NETSCAPE2.0', 'ANIMEXTS1.0']

function endOfGif(bytes: Buffer): number {
  const tableBytes = (flags = 0) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)
  let at = 13 + tableBytes(bytes[10])
  while (at < bytes.length && bytes[at] !== TRAILER) {
    if (bytes[at] === EXTENSION) {
      const label = bytes[at + 1]
      const isLoop = LOOPS.includes(bytes.toString('latin1', at + 3, at + 14))
      if (label === COMMENT || (label === APPLICATION && !isLoop)) return -1
      at += 2
    } else if (bytes[at] === IMAGE) at += 11 + tableBytes(bytes[at + 9])
    else return -1
    // Blocks of data, each after its length; none is the end.
    for (let length = bytes[at] ?? 0; length !== 0; length = bytes[at] ?? 0) at += length + 1
    at += 1
  }
  return at + 1
}
