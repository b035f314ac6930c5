/** A web server with pictures, at a host name of this machine that is not the site's. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32, deflateSync } from 'node:zlib'

/** `asked` has the path of each request; what is in `failing` is answered 500. */
export type PictureServer = { host: string; url: string; asked: string[]; failing: Set<string>; close(): Promise<void> }

const HOST = '127.0.0.2'

/** Answers `/NUMBER….png` with a picture of that colour, `/page.png` with something that is none, and `/slow…` after ten seconds. */
export async function startPictures(): Promise<PictureServer> {
  const asked: string[] = []
  const failing = new Set<string>()
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    asked.push(path)
    if (failing.has(path)) return void response.writeHead(500).end()
    const body = path === '/page.png' ? '<script>alert(1)</script>' : png(Number(/\d+/.exec(path)?.[0] ?? 0))
    setTimeout(
      () => response.writeHead(200, { 'content-type': 'image/png' }).end(body),
      path.startsWith('/slow') ? 10_000 : 0,
    )
  }).listen(0, HOST)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    host: HOST,
    url: `http://${HOST}:${port}`,
    asked,
    failing,
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A PNG of 400 × 300 pixels in one shade. */
function png(shade: number): Buffer {
  const [width, height] = [400, 300]
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8) // grey, 8 bits
  const row = Buffer.alloc(width + 1, shade % 256)
  row[0] = 0
  const pixels = deflateSync(Buffer.concat(Array<Buffer>(height).fill(row)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, sum])
}
