/** Receiving files: from a request, as it is or in a form, and from another server. All end in the scratch directory first. */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import type { Context } from '../platform/context.ts'
import { fail, invalid } from '../platform/errors.ts'

/** What came: a file in the scratch directory, the hash of its bytes, and what was said of it. */
export type Received = { path: string; sha256: string; name: string | undefined; alt: string | undefined }

/** The most bytes of a text in a form, and how many texts it may have. */
const FIELDS = { fieldSize: 10_000, fields: 10, parts: 20 }

/** Writes a file of at most `mostBytes` to `path`. Resolves with the SHA-256 of its bytes. */
async function save(bytes: AsyncIterable<Uint8Array>, path: string, mostBytes: number): Promise<string> {
  const hash = createHash('sha256')
  const counted = async function* () {
    let size = 0
    for await (const piece of bytes) {
      size += piece.length
      if (size > mostBytes) throw tooLarge(mostBytes)
      hash.update(piece)
      yield piece
    }
  }
  await pipeline(counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  return hash.digest('hex')
}

function tooLarge(mostBytes: number): Error {
  const size = `${Math.floor(mostBytes / 2 ** 20).toLocaleString('en')} MiB`
  return fail('too_large', `The file is larger than ${size}, which is the most that is taken here. Make it smaller.`)
}

/** Saves the body of a request as a file. */
export async function receiveBytes(
  { config }: Pick<Context, 'config'>,
  bytes: Readable,
  path: string,
): Promise<Omit<Received, 'name' | 'alt'>> {
  return { path, sha256: await save(bytes, path, config.media.mostBytes) }
}

/** Saves the field `file` of a form, with the texts of `name` and `alt` if it has them. Throws `invalid` without a file. */
export async function receiveForm(
  { config }: Pick<Context, 'config'>,
  bytes: Readable,
  contentType: string,
  path: string,
): Promise<Received> {
  const { mostBytes } = config.media
  const texts: { name?: string; alt?: string } = {}
  let saving: Promise<Pick<Received, 'name' | 'sha256'> | { error: unknown }> | undefined
  let opened: Readable | undefined
  const form = openForm(contentType, mostBytes)
  form.on('field', (field, value) => {
    if (field === 'name' || field === 'alt') texts[field] = value
  })
  form.on('file', (field, file, name) => {
    if (field !== 'file' || saving !== undefined) return void file.resume()
    opened = file
    // What is left of a file that is refused has to be read too, or the form would wait for it for ever.
    saving = save(file.iterator({ destroyOnReturn: false }), path, mostBytes).then(
      (sha256) => ({ name, sha256 }),
      (error: unknown) => {
        file.resume()
        return { error }
      },
    )
  })
  try {
    await pipeline(bytes, form)
  } catch (error) {
    opened?.destroy(error instanceof Error ? error : undefined)
    await saving
    throw error instanceof Error && error.message.startsWith('Unexpected end')
      ? invalid('file', 'The form ended before it was complete.', error)
      : error
  }
  const saved = await saving
  if (saved === undefined) throw invalid('file', 'Send the file as the field "file" of the form.')
  if ('error' in saved) throw saved.error
  return { path, sha256: saved.sha256, name: texts.name ?? saved.name, alt: texts.alt }
}

function openForm(contentType: string, mostBytes: number) {
  try {
    // One byte more, so that what is too large is seen here.
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { ...FIELDS, fileSize: mostBytes + 1, files: 2 },
    })
  } catch (error) {
    throw invalid('Content-Type', 'The form needs its boundary in Content-Type, as every HTTP client sends it.', error)
  }
}

const FETCH_MS = 30_000
const MOST_REDIRECTS = 5

/** Saves what an address on another server answers, following redirects. Throws `invalid` on `url` if that is no file. */
export async function receiveFrom(
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
    const name = decoded(url.pathname.split('/').at(-1) ?? '')
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

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
