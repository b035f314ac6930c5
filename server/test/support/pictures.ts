import sharp from 'sharp'

/** A JPEG of 8 by 8 pixels, as bytes that can be sent. */
export async function smallPicture(): Promise<Uint8Array<ArrayBuffer>> {
  const background = { r: 200, g: 90, b: 30 }
  return new Uint8Array(
    await sharp({ create: { width: 8, height: 8, channels: 3, background } })
      .jpeg()
      .toBuffer(),
  )
}
