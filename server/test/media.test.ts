/** Pictures: uploading them, what is served of them, which posts have them, and what is not taken. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readlink, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPullClient, type Medium, type PostriderClient } from '@postrider/sdk'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService, tokenOf } from './support/service.ts'

let service: TestService
let directory: string
let client: PostriderClient

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'postrider-media-test-'))
  service = await startService({ DATA_DIR: directory, MEDIA_MAX: '1MB' })
})
afterAll(async () => {
  await service.stop()
  await rm(directory, { recursive: true })
})
beforeEach(async () => {
  client = await newAccount(service)
})

let made = 0
/** A picture that no other test has. */
function picture(width = 800, height = 600) {
  made += 1
  return sharp({ create: { width, height, channels: 3, background: { r: (made * 83) % 256, g: 90, b: 30 } } })
}

const file = (bytes: Uint8Array<ArrayBufferLike>, name = 'Crème Brûlée.JPG') => new File([new Uint8Array(bytes)], name)
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const bytesAt = async (url: string) => Buffer.from(await (await fetch(here(url))).arrayBuffer())
/** Addresses have the service's configured address, which no test listens at. */
const here = (url: string) => url.replace('http://localhost:0', service.url)

async function refusal(bytes: Uint8Array<ArrayBufferLike>, name = 'a.jpg'): Promise<string> {
  const error = await client.media.upload(file(bytes, name)).then(
    () => 'taken',
    (thrown: Error) => thrown,
  )
  return error instanceof Error ? error.message : error
}

describe('a picture', () => {
  it('is described by its content, and served as it is to anybody, for ever', async () => {
    const bytes = await picture().jpeg().toBuffer()
    const medium = await client.media.upload(file(bytes), { alt: 'A dessert' })
    expect(medium).toMatchObject({
      sha256: sha256(bytes),
      name: 'Crème Brûlée.jpg',
      alt: 'A dessert',
      type: 'image/jpeg',
      width: 800,
      height: 600,
      bytes: bytes.length,
      used_in: [],
    })
    expect(medium.url).toMatch(/^http:\/\/localhost:0\/media\/[0-9a-f]{32}\/creme-brulee\.jpg$/)
    const answer = await fetch(here(medium.url))
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    const tag = answer.headers.get('etag') ?? ''
    expect((await fetch(here(medium.url), { headers: { 'if-none-match': tag } })).status).toBe(304)
    const head = await fetch(here(medium.url), { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)])
    expect((await fetch(here(medium.url.replace(/[^/]+$/, 'another-name')))).status).toBe(200)
    expect((await fetch(here(medium.url.replace(/[0-9a-f]{32}/, '0'.repeat(32))))).status).toBe(404)
  })

  it('is the same one when its bytes come again, and another one of another account', async () => {
    const bytes = await picture().png().toBuffer()
    const [first, second] = await Promise.all([client.media.upload(file(bytes)), client.media.upload(file(bytes))])
    expect(second.id).toBe(first.id)
    const other = await newAccount(service)
    const theirs = await other.media.upload(file(bytes))
    expect(theirs.sha256).toBe(first.sha256)
    expect(theirs.url).not.toBe(first.url)
    await other.media.delete(theirs.id)
    expect((await fetch(here(theirs.url))).status).toBe(404)
    expect((await fetch(here(first.url))).status).toBe(200)
  })

  it('comes in a form, or as bytes with a name', async () => {
    const token = await tokenOf(service, client)
    const form = new FormData()
    form.set('alt', 'A form')
    form.set('file', file(await picture().webp().toBuffer(), 'form.png'))
    const send = async (query: string, init: RequestInit) => {
      const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) }
      const answer = await fetch(`${service.url}/api/media${query}`, { ...init, method: 'POST', headers })
      return { status: answer.status, json: (await answer.json()) as Record<string, unknown> }
    }
    expect(await send('', { body: form })).toMatchObject({
      status: 201,
      json: { name: 'form.webp', alt: 'A form', type: 'image/webp' },
    })
    const raw = new Uint8Array(await picture().avif().toBuffer())
    expect(await send('?name=../../raw', { body: raw, headers: { 'content-type': 'image/png' } })).toMatchObject({
      status: 201,
      json: { name: 'raw.avif', type: 'image/avif' },
    })
    const empty = new FormData()
    empty.set('alt', 'Nothing')
    expect(await send('', { body: empty })).toMatchObject({ status: 400, json: { field: 'file' } })
    const large = new FormData()
    large.set('file', new File([new Uint8Array(1_100_000)], 'a.png'))
    expect(await send('', { body: large })).toMatchObject({ status: 413, json: { error: 'payload_too_large' } })
    expect(await readdir(join(directory, 'media/tmp'))).toEqual([])
  })

  it('is taken over from an address, redirects followed', async () => {
    const bytes = await picture().png().toBuffer()
    const site = createServer((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/photos/Old%20loaf.png' }).end()
      else if (request.url === '/gone') response.writeHead(404).end()
      else response.writeHead(200, { 'content-type': 'text/plain' }).end(bytes)
    })
    await once(site.listen(0, '127.0.0.1'), 'listening')
    const { port } = site.address() as AddressInfo
    const medium = await client.media.addFromUrl({ url: `http://127.0.0.1:${port}/`, alt: 'Bread' })
    expect(medium).toMatchObject({ name: 'Old loaf.png', alt: 'Bread', sha256: sha256(bytes) })
    for (const url of [`http://127.0.0.1:${port}/gone`, 'https://192.168.0.1/a.png'])
      await expect(client.media.addFromUrl({ url })).rejects.toMatchObject({ status: 400, field: 'url' })
    site.close()
  })

  it('is served in other sizes and formats, never larger', async () => {
    const medium = await client.media.upload(file(await picture(1000, 500).jpeg().toBuffer()))
    expect(medium.variants.map(({ width, type }) => `${width} ${type}`)).toEqual([
      '320 image/webp',
      '320 image/avif',
      '640 image/webp',
      '640 image/avif',
      '960 image/webp',
      '960 image/avif',
    ])
    const shapeAt = async (url: string) => {
      const { format, width, height } = await sharp(await bytesAt(url)).metadata()
      return `${format} ${width}x${height}`
    }
    for (const { url, width, type } of medium.variants.slice(0, 2)) {
      expect(await shapeAt(url)).toBe(`${type === 'image/avif' ? 'heif' : 'webp'} ${width}x${width / 2}`)
      const answer = await fetch(here(url))
      expect(answer.headers.get('content-type')).toBe(type)
      expect(answer.headers.get('cache-control')).toContain('immutable')
    }
    expect(await shapeAt(`${medium.url}?w=320`)).toBe('jpeg 320x160')
    expect(await shapeAt(`${medium.url}?w=1920`)).toBe('jpeg 1000x500')
    expect(await shapeAt(`${medium.url}?f=webp`)).toBe('webp 1000x500')
    expect((await fetch(here(`${medium.url}?w=321`))).status).toBe(400)
    expect((await fetch(here(`${medium.url}?f=exe`))).status).toBe(400)
  })

  it('keeps how it is turned, and nothing of where it was taken', async () => {
    const plain = await picture(400, 200).jpeg().toBuffer()
    const exif = { IFD0: { Copyright: 'Ada' }, IFD3: { GPSLatitude: '51/1 30/1 0/1', GPSLatitudeRef: 'N' } }
    const bytes = await sharp(plain).withExif(exif).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    expect((await sharp(bytes).metadata()).exif?.length).toBeGreaterThan(50)
    const medium = await client.media.upload(file(Buffer.concat([bytes, Buffer.from('PK\x03\x04 a second file')])))
    expect(medium).toMatchObject({ width: 200, height: 400 })
    const served = await bytesAt(medium.url)
    expect(medium.sha256).toBe(sha256(served))
    expect(served.includes('PK\x03\x04')).toBe(false)
    expect(served.includes('Ada')).toBe(false)
    const metadata = await sharp(served).metadata()
    expect(metadata.orientation).toBe(6)
    expect(metadata.exif?.length).toBe(32)
    const small = await sharp(await bytesAt(`${medium.url}?f=webp`)).metadata()
    expect([small.width, small.height, small.orientation]).toEqual([200, 400, undefined])
    expect((await client.media.upload(file(served))).id).toBe(medium.id)
    const png = await sharp(plain).withExif(exif).png().toBuffer()
    expect((await sharp(await bytesAt((await client.media.upload(file(png))).url)).metadata()).exif).toBeUndefined()
  })

  it.skipIf(process.platform !== 'linux')('is not held open for somebody who leaves before it comes', async () => {
    const { url } = await client.media.upload(file(await picture().jpeg().toBuffer()))
    const { port } = new URL(service.url)
    for (let count = 0; count < 30; count += 1) {
      const socket = connect(Number(port), '127.0.0.1')
      const left = new Promise((resolve) => socket.once('close', resolve))
      socket.write(`GET ${new URL(url).pathname} HTTP/1.1\r\nHost: x\r\n\r\n`, () => socket.destroy())
      await left
    }
    const openFiles = async () => {
      const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
      return (await Promise.all(links)).filter((path) => path.startsWith(join(directory, 'media', 'files')))
    }
    await expect.poll(openFiles).toEqual([])
    expect(service.logged.filter(({ event }) => event === 'request.unsent')).toEqual([])
  })

  it('that moves is served as it is', async () => {
    const frames = await Promise.all([picture(64, 64), picture(64, 64)].map((one) => one.png().toBuffer()))
    const gif = await sharp(frames, { join: { animated: true } })
      .gif({ loop: 0 })
      .toBuffer()
    const medium = await client.media.upload(file(gif))
    expect(medium).toMatchObject({ type: 'image/gif', width: 64, height: 64, variants: [] })
    expect((await bytesAt(`${medium.url}?w=320&f=webp`)).equals(gif)).toBe(true)
  })
})

describe('what is not taken', () => {
  it.each<[string, () => Promise<Uint8Array> | Uint8Array, RegExp]>([
    ['SVG', () => Buffer.from('<?xml version="1.0"?>\n<svg xmlns="…"><script>1</script></svg>'), /SVG is not taken/],
    ['a page', () => Buffer.from('<!doctype html><script>1</script>'), /no picture/],
    ['nothing', () => Buffer.alloc(0), /empty/],
    ['half a JPEG', async () => half(await picture().jpeg().toBuffer()), /damaged or incomplete/],
    ['half a PNG', async () => half(await noise(200).png().toBuffer()), /damaged or incomplete/],
    ['half a WebP', async () => half(await noise(200).webp().toBuffer()), /damaged or incomplete/],
    ['half an AVIF', async () => half(await noise(200).avif().toBuffer()), /damaged or incomplete/],
    ['half a GIF', async () => half(await noise(200).gif().toBuffer()), /damaged or incomplete/],
    ['a script that begins like a GIF', () => Buffer.from('GIF89a/*\0\0\0*/=1;alert(1)'), /damaged or incomplete/],
    [
      'a PDF with a JPEG in it',
      async () => Buffer.concat([Buffer.from('%PDF-1.4\n'), await picture().jpeg().toBuffer()]),
      /no picture/,
    ],
    ['a bomb of a PNG', () => bomb(), /30,000 × 30,000 pixels/],
    ['a HEIC', () => Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), /HEIC/],
  ])('is %s', async (_, bytes, message) => {
    expect(await refusal(await bytes())).toMatch(message)
    expect((await client.media.list()).media).toEqual([])
  })

  it('is anything while the operator has set no place for it', async () => {
    const bare = await startService({ DATABASE_URL: 'postgres://ignored/by-the-tests', DATA_DIR: '' })
    const somebody = await newAccount(bare)
    const upload = somebody.media.upload(file(await picture().png().toBuffer()))
    await expect(upload).rejects.toMatchObject({ status: 503, message: expect.stringContaining('DATA_DIR') })
    await bare.stop()
  })
})

const half = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)
const noise = (size: number) =>
  sharp({
    create: {
      width: size,
      height: size,
      channels: 3,
      background: 'red',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })

/** The head of a PNG of 30,000 × 30,000 pixels, as small as it can be. */
async function bomb(): Promise<Buffer> {
  const png = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  png.writeUInt32BE(30_000, 16)
  png.writeUInt32BE(30_000, 20)
  const { crc32 } = await import('node:zlib')
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  return png
}

describe('the pictures of a post', () => {
  it('are named to its sites, and only if there are any', async () => {
    const receiver = await startReceiver()
    const site = await connectSite(client, receiver)
    const [inside, feature] = [await upload('Loaf'), await upload('Feature')]
    const markdown = `![A loaf](${inside.url}?w=640)\n\n![Elsewhere](https://example.com/a.png)`
    const meta = { og_image: feature.url }
    const { id } = await client.posts.create({ title: 'Bread', body: { markdown }, meta, status: 'published' })
    await service.drain()
    const expected = [inside, feature].map(({ id, sha256, url, alt, width, height }) => {
      return { id, sha256, url, alt, width, height }
    })
    const bodies = () => receiver.received.map(({ body }) => JSON.parse(body.toString()).post)
    expect(bodies().at(-1).media).toEqual(expected)
    const pull = createPullClient({ baseUrl: service.url, apiKey: site.api_key })
    expect((await pull.get('bread')).media).toEqual(expected)
    expect((await client.media.get(inside.id)).used_in).toEqual([{ id, title: 'Bread', status: 'published' }])
    await client.posts.update(id, { body: { markdown: 'Without.' }, meta: { og_image: null } })
    await service.drain()
    expect(bodies().at(-1)).not.toHaveProperty('media')
    expect(await pull.get('bread')).not.toHaveProperty('media')
    const copy = await client.posts.restore(id, 1)
    expect(copy.version).toBe(3)
    expect((await client.media.get(feature.id)).used_in).toHaveLength(1)
    await receiver.close()
  })

  it('cannot be deleted unless somebody means it', async () => {
    const medium = await upload('Loaf')
    const { id } = await client.posts.create({ title: 'Bread', body: { html: `<img src="${medium.url}" alt="">` } })
    service.clock.advance(1)
    const copy = await client.posts.duplicate(id)
    expect((await client.media.get(medium.id)).used_in.map((use) => use.id)).toEqual([copy.id, id])
    await expect(client.media.delete(medium.id)).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('Bread (Copy)'),
    })
    await client.media.delete(medium.id, { force: true })
    expect((await fetch(here(medium.url))).status).toBe(404)
    const again = await upload('Another')
    await client.media.delete(again.id)
    await expect(client.media.get(again.id)).rejects.toMatchObject({ status: 404 })
  })

  it('count in changes that are not published yet', async () => {
    const medium = await upload('Loaf')
    const { id } = await client.posts.create({ title: 'Bread', status: 'published' })
    await client.posts.workingCopy.save(id, { body: { markdown: `![](${medium.url})` } })
    expect((await client.media.get(medium.id)).used_in).toEqual([{ id, title: 'Bread', status: 'published' }])
    await expect(client.media.delete(medium.id)).rejects.toMatchObject({ status: 409 })
    await client.posts.workingCopy.publish(id)
    expect((await client.media.get(medium.id)).used_in).toHaveLength(1)
  })

  it("are nobody else's", async () => {
    const medium = await upload('Loaf')
    const other = await newAccount(service)
    await other.posts.create({ title: 'Stolen', body: { markdown: `![](${medium.url})` } })
    expect((await client.media.get(medium.id)).used_in).toEqual([])
  })

  const upload = async (alt: string): Promise<Medium> =>
    client.media.upload(file(await picture(700).png().toBuffer(), `${alt}.png`), { alt })
})

it('lists pictures newest first, page by page, and finds them by name and alternative text', async () => {
  const add = async (name: string, alt: string) => {
    service.clock.advance(1)
    return client.media.upload(file(await picture().png().toBuffer(), name), { alt })
  }
  const [loaf] = [await add('loaf.png', 'Bread'), await add('100%.png', ''), await add('cat.png', 'On a LOAF')]
  const first = await client.media.list({ limit: 2 })
  expect(first.media.map(({ name }) => name)).toEqual(['cat.png', '100%.png'])
  expect((await client.media.list({ cursor: first.cursor ?? '' })).media.map(({ name }) => name)).toEqual(['loaf.png'])
  expect((await client.media.list({ search: 'loaf' })).media.map(({ name }) => name)).toEqual(['cat.png', 'loaf.png'])
  expect((await client.media.list({ search: '0%' })).media.map(({ name }) => name)).toEqual(['100%.png'])
  const renamed = await client.media.update(loaf.id, { name: 'Brot', alt: 'Ein Laib' })
  expect(renamed).toMatchObject({ name: 'Brot.png', alt: 'Ein Laib', url: expect.stringMatching(/\/brot\.png$/) })
  expect((await fetch(here(loaf.url))).status).toBe(200)
})

it('what comes into its place late, or was never named, is removed after an hour', async () => {
  const { id } = await client.media.upload(file(await picture().png().toBuffer()))
  const { user } = await client.account()
  const folder = join(directory, 'media/files', user.id, id)
  await client.media.delete(id)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'w320.webp'), 'made while the picture was deleted')
  await service.drain()
  expect(await readdir(folder)).toEqual(['w320.webp'])
  await service.advance(2 * 3_600_000)
  expect(await readdir(join(folder, '..'))).toEqual([])
})

it('what an upload left that was cut off is removed after an hour', async () => {
  const left = join(directory, 'media/tmp/left.upload')
  await client.media.upload(file(await picture().png().toBuffer()))
  await writeFile(left, 'half')
  const now = service.clock.now()
  await utimes(left, now, now)
  await service.drain()
  expect(await readdir(join(directory, 'media/tmp'))).toEqual(['left.upload'])
  await service.advance(2 * 3_600_000)
  expect(await readdir(join(directory, 'media/tmp'))).toEqual([])
})
