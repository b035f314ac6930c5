/**
 * A JPEG without what is not part of the picture: EXIF data (where and by whom it was taken), XMP, IPTC, comments, previews, and whatever
 * follows its end. The picture itself is not touched. How it is turned stays, as the only entry of new EXIF data.
 */

const [SOI, EOI, SOS, APP0, APP1, APP2, APP14, APP15, COM] = [0xd8, 0xd9, 0xda, 0xe0, 0xe1, 0xe2, 0xee, 0xef, 0xfe]
const ICC = 'ICC_PROFILE\0'

/** The plain picture; undefined for one whose structure is broken. `orientation`: 1 to 8, as EXIF counts. */
export function plainJpeg(bytes: Buffer, orientation: number): Buffer | undefined {
  const parts = [Buffer.from([0xff, SOI]), ...(orientation > 1 ? [orientationOnly(orientation)] : [])]
  for (let at = 2; at + 4 <= bytes.length || bytes[at + 1] === EOI; ) {
    const marker = bytes[at + 1] ?? 0
    if (bytes[at] !== 0xff) return undefined
    if (marker === EOI) return Buffer.concat([...parts, Buffer.from([0xff, EOI])])
    if (marker === 0xff) {
      at += 1 // a fill byte
      continue
    }
    let end = at + 2 + bytes.readUInt16BE(at + 2)
    if (isOfPicture(marker, bytes.toString('latin1', at + 4, at + 4 + ICC.length))) {
      if (marker === SOS) end = endOfScan(bytes, end)
      parts.push(bytes.subarray(at, end))
    }
    at = end
  }
  return undefined
}

/** Colour profiles and Adobe's note of the colour space change how a picture looks. */
function isOfPicture(marker: number, name: string): boolean {
  if (marker === APP0 || marker === APP14) return true
  if (marker === APP2) return name === ICC
  return marker !== COM && !(marker >= APP1 && marker <= APP15)
}

/** Where the next marker is that is neither a stuffed byte nor a restart. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 2)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at
  }
  return bytes.length
}

function orientationOnly(orientation: number): Buffer {
  const tiff = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
  const data = Buffer.concat([Buffer.from('Exif\0\0'), Buffer.from(tiff)])
  return Buffer.concat([Buffer.from([0xff, APP1, 0, data.length + 2]), data])
}
