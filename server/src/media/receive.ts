/** Receiving files: from a request, as it is or in a form, and from another server. All end in the scratch directory first. */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Context } from '../platform/context.ts'
import { fail, invalid } from '../platform/errors.ts'
import { receiveForm, saveFile } from '../platform/http/received-file.ts'
import { decodedPart } from '../platform/http/url.ts'

/** What came: a file in the scratch directory, the hash of its bytes, and what was said of it. */
export type Received = { path: string; sha256: string; name: string | undefined; alt: string | undefined }

/** The most bytes of a text in a form. */
const TEXT_BYTES = 10_000

/** Writes a file of at most `mostBytes` to `path`. Resolves with the SHA-256 of its bytes. */
async function save(bytes: AsyncIterable<Uint8Array>, path: string, mostBytes: number): Promise<string> {
  const hash = createHash('sha256')
  await saveFile(bytes, path, { mostBytes, tooLarge: () => tooLarge(mostBytes) }, (piece) => hash.update(piece))
  return hash.digest('hex')
}

function tooLarge(mostBytes: number): Error {
  const size = `${Math.floor(mostBytes / 2 ** 20).toLocaleString('en')} MiB`
  return fail('too_large', `The file is larger than ${size}, which is the most that is taken here. Make it smaller.`)
}

/** Saves the body of a request as a file. */
export async function receivePicture(
  { config }: Pick<Context, 'config'>,
  bytes: Readable,
  path: string,
): Promise<Omit<Received, 'name' | 'alt'>> {
  return { path, sha256: await save(bytes, path, config.media.mostBytes) }
}

/** Saves the field `file` of a form, with the texts of `name` and `alt` if it has them. Throws `invalid` without a file. */
export async function receivePictureForm(
  { config }: Pick<Context, 'config'>,
  bytes: Readable,
  contentType: string,
  path: string,
): Promise<Received> {
  const { mostBytes } = config.media
  const texts: { name?: string; alt?: string } = {}
  const onText = (field: string, value: string) => {
    if (field === 'name' || field === 'alt') texts[field] = value
  }
  const { name, saved } = await receiveForm(bytes, contentType, { mostBytes, textBytes: TEXT_BYTES, onText }, (file) =>
    save(file, path, mostBytes),
  )
  return { path, sha256: saved, name: texts.name ?? name, alt: texts.alt }
}

const FETCH_MS = 30_000
const MOST_REDIRECTS = 5

/** Saves what an address on another server answers, following redirects. Throws `invalid` on `url` if that is no file. */
export async function fetchPicture(
  { config, egress }: Pick<Context, 'config' | 'egress'>,
  address: string,
  path: string,
): Promise<Received> {
  const { mostBytes } = config.media
  let url = new URL(address)
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const headers = { accept: 'image/avif,image/webp,image/*,*/*;q=0.1' }
    const answer = await egress.stream({
      method: 'GET',
      url: url.href,
      headers,
      deadlineMs: FETCH_MS,
      maxResponseBytes: mostBytes + 1,
    })
    if (answer.kind === 'unreachable') {
      const isPlain = answer.cause === 'blocked_address' && url.protocol === 'http:'
      if (!isPlain) throw invalid('url', `The picture could not be fetched: ${answer.detail}.`)
      url = new URL(url.href.replace('http:', 'https:')) // public servers are called by https only
      continue
    }
    const next = answer.status >= 300 && answer.status < 400 ? URL.parse(answer.headers.location ?? '', url) : null
    if (next !== null) {
      await answer.body.cancel()
      url = next
      continue
    }
    if (answer.status !== 200) {
      await answer.body.cancel()
      throw invalid('url', `The picture could not be fetched: the server answered ${answer.status}.`)
    }
    if (Number(answer.headers['content-length'] ?? 0) > mostBytes) {
      await answer.body.cancel()
      throw tooLarge(mostBytes)
    }
    const name = decodedPart(url.pathname.split('/').at(-1) ?? '')
    return { path, sha256: await saveFetched(answer.body, path, mostBytes), name, alt: undefined }
  }
  throw invalid('url', 'The picture could not be fetched: there are too many redirects.')
}

async function saveFetched(body: AsyncIterable<Uint8Array>, path: string, mostBytes: number): Promise<string> {
  try {
    return await save(body, path, mostBytes)
  } catch (error) {
    if (error instanceof Error && 'failure' in error)
      throw invalid('url', 'The picture could not be fetched: it did not arrive whole, or is too large.', error)
    throw error
  }
}
