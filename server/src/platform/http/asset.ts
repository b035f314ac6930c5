/** Texts that do not change while the process lives: compressed at the first request, kept in memory, and tagged. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { chooseEncoding } from './content-coding.ts'
import type { Reply, RequestFacts } from './endpoint.ts'
import { isKnown } from './etag.ts'

type Encoding = 'br' | 'gzip' | 'identity'
type Bytes = Uint8Array<ArrayBuffer>

// Above this quality brotli takes seconds for a tenth less.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }

const COMPRESS: Record<Encoding, (bytes: Bytes) => Promise<Bytes>> = {
  br: async (bytes) => new Uint8Array(await promisify(brotliCompress)(bytes, BROTLI)),
  gzip: async (bytes) => new Uint8Array(await promisify(gzip)(bytes)),
  identity: async (bytes) => bytes,
}

/** A text to serve. */
export type Asset = {
  /** Of the text: another text has another hash. */
  hash: string
  /**
   * Answers a request: compressed as the client accepts it, or 304 when the client has it. A URL that names the hash, as
   * in `?v=HASH`, never means another text and is cached as immutable; any other is cached but revalidated.
   */
  answer(request: Pick<RequestFacts, 'header' | 'url'>): Promise<Reply>
}

/** Makes an asset. `headers` go with it, `Content-Type` among them. */
export function createAsset(text: string, headers: Record<string, string>): Asset {
  const bytes = new TextEncoder().encode(text)
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  const compressed = new Map<Encoding, Promise<Bytes>>()
  return {
    hash,
    async answer({ header, url }) {
      const encoding = chooseEncoding(header('accept-encoding'), ['br', 'gzip'])
      const tag = `"${hash}-${encoding}"`
      const forGood = url.endsWith(`?v=${hash}`)
      const all = {
        ...headers,
        'Cache-Control': forGood ? 'public, max-age=31536000, immutable' : 'no-cache',
        ETag: tag,
        Vary: 'Accept-Encoding',
      }
      if (isKnown(tag, header('if-none-match'))) return { status: 304, headers: all }
      const body = compressed.get(encoding) ?? COMPRESS[encoding](bytes)
      compressed.set(encoding, body)
      const encoded = encoding === 'identity' ? {} : { 'Content-Encoding': encoding }
      try {
        return { status: 200, content: await body, headers: { ...all, ...encoded } }
      } catch (error) {
        compressed.delete(encoding) // the next request tries again
        throw error
      }
    },
  }
}
