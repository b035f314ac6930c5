/**
 * The OpenAPI document at `/openapi.json`, and at `/docs` a page to read and try it. The page is Scalar's; the service
 * serves everything it needs, and its content security policy forbids requests to other hosts.
 */
import { readFile } from 'node:fs/promises'
import { createApiDocument } from '../openapi.ts'
import { type Asset, createAsset } from '../platform/http/asset.ts'
import type { SystemRoute } from '../platform/http/pipeline.ts'

const SCALAR = '/docs/scalar.js'
const START = '/docs/start.js'

// Scalar's script adds its style sheets and positions to the page, so inline styles must be allowed; inline scripts are not.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
}

const SCRIPT = { 'Content-Type': 'text/javascript; charset=utf-8' }

const PAGE_FILE = new URL('./page.html', import.meta.url)
const START_FILE = new URL('./start.js', import.meta.url)

/** The routes of the document and its page, for a service at this address. Both are made at the first request. */
export function referenceRoutes(publicUrl: string): SystemRoute[] {
  const description = once(async () =>
    createAsset(JSON.stringify(createApiDocument(publicUrl)), { 'Content-Type': 'application/json' }),
  )
  const start = once(async () => createAsset(await readFile(START_FILE, 'utf8'), SCRIPT))
  const scalar = once(async () => createAsset((await import('./scalar.ts')).scalarBundle(), SCRIPT))
  const page = once(async () => {
    const html = (await readFile(PAGE_FILE, 'utf8'))
      .replace('{{scalar}}', `${SCALAR}?v=${(await scalar()).hash}`)
      .replace('{{start}}', `${START}?v=${(await start()).hash}`)
    return createAsset(html, PAGE_HEADERS)
  })
  const routes = { '/openapi.json': description, '/docs': page, '/docs/': page, [SCALAR]: scalar, [START]: start }
  return Object.entries(routes).map(([path, asset]) => ({
    path,
    answer: async (request) => (await asset()).answer(request),
  }))
}

/** Makes an asset once; after a failure, such as too many open files, the next request tries again. */
function once(make: () => Promise<Asset>): () => Promise<Asset> {
  let made: Promise<Asset> | undefined
  return () => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    return made
  }
}
