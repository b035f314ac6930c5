/**
 * A built web application, served from memory. Its files are read once, so a build that replaces the directory while
 * the service runs cannot mix two builds; a request path is only ever looked up in a map, never joined to a directory.
 * A navigation to a path without a file gets the page: the application routes by the address itself.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { isNoSuchFile } from '../thrown.ts'
import { chooseEncoding } from './content-coding.ts'
import { pathOf, type Reply, type RequestFacts } from './endpoint.ts'
import { isKnown } from './etag.ts'

type FileRequest = Pick<RequestFacts, 'method' | 'url' | 'header'>

/** Answers requests with the application's files, or with its page; undefined for all other requests. */
export type WebApp = { answer(request: FileRequest): Reply | undefined }

type Content = { type: string; tag: string; cacheControl: string; encodings: Map<string, Uint8Array<ArrayBuffer>> }

const PAGE = '/index.html'

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/gzip',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.zip': 'application/zip',
}

/** File name endings of the precompressed files beside an original, and their encodings, the best first. */
const ENCODINGS = [
  ['.br', 'br'],
  ['.gz', 'gzip'],
] as const

/** Files under this path carry the hash of their content in their name. */
const HASHED = '/assets/'

/** Reads a built application; undefined when there is none in the directory. `pageHeaders` go with its page. */
export async function loadWebApp(directory: string, pageHeaders: Record<string, string>): Promise<WebApp | undefined> {
  const files = await readFiles(directory)
  const page = files.get(PAGE)
  if (page === undefined) return undefined
  return {
    answer(request) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
      const pathname = pathOf(request.url)
      const file = pathname === PAGE ? undefined : files.get(pathname)
      if (file !== undefined) return respond(request, file)
      return isNavigation(request) ? respond(request, page, pageHeaders) : undefined
    },
  }
}

async function readFiles(directory: string): Promise<Map<string, Content>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch((error) => {
    if (isNoSuchFile(error)) return []
    throw error
  })
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const originals = names.filter((name) => TYPES[extname(name)] !== undefined)
  const files = originals.map(async (name): Promise<[string, Content]> => {
    const path = name.slice(directory.length).replaceAll('\\', '/')
    return [path, await readContent(name, path, new Set(names))]
  })
  return new Map(await Promise.all(files))
}

async function readContent(name: string, path: string, names: ReadonlySet<string>): Promise<Content> {
  const original = new Uint8Array(await readFile(name))
  const encodings = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const [ending, encoding] of ENCODINGS) {
    if (names.has(name + ending)) encodings.set(encoding, new Uint8Array(await readFile(name + ending)))
  }
  return {
    type: TYPES[extname(name)] ?? '',
    tag: createHash('sha256').update(original).digest('base64url').slice(0, 27),
    cacheControl: path.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache',
    encodings: encodings.set('identity', original),
  }
}

/** Browsers send `Sec-Fetch-Mode`; older ones and tools are judged by whether they accept HTML. */
function isNavigation({ header }: FileRequest): boolean {
  const mode = header('sec-fetch-mode')
  return mode === undefined ? (header('accept') ?? '').includes('text/html') : mode === 'navigate'
}

function respond({ header }: FileRequest, content: Content, more: Record<string, string> = {}): Reply {
  const encoding = chooseEncoding(header('accept-encoding'), [...content.encodings.keys()])
  const tag = `"${content.tag}${encoding === 'identity' ? '' : `-${encoding}`}"`
  const headers = {
    ...more,
    'Content-Type': content.type,
    'Cache-Control': content.cacheControl,
    ETag: tag,
    Vary: 'Accept-Encoding',
    'Cross-Origin-Resource-Policy': 'same-origin',
  }
  if (isKnown(tag, header('if-none-match'))) return { status: 304, headers }
  const encoded = encoding === 'identity' ? {} : { 'Content-Encoding': encoding }
  return { status: 200, content: content.encodings.get(encoding) ?? '', headers: { ...headers, ...encoded } }
}
