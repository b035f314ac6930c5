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

/** A PNG of 900 by 600 pixels in one colour. */
export function pngOf(background: string): Promise<Buffer> {
  return sharp({ create: { width: 900, height: 600, channels: 3, background } })
    .png()
    .toBuffer()
}
