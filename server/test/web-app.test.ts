/** A built web application beside the API: what is served from it, how, and what is left to the API. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request as plainRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from './support/service.ts'

const PAGE = '<!doctype html><title>Built</title>'
const SCRIPT = 'console.log("built")\n'.repeat(20)
const NAVIGATION = { 'sec-fetch-mode': 'navigate', accept: 'text/html,*/*;q=0.8' }

let directory: string
let service: TestService

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'postrider-web-app-'))
  await mkdir(join(directory, 'assets'))
  await writeFile(join(directory, 'index.html'), PAGE)
  await writeFile(join(directory, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  await writeFile(join(directory, '.stamp'), 'inputs')
  await writeFile(join(directory, 'assets/app-1a2b3c.js'), SCRIPT)
  await writeFile(join(directory, 'assets/app-1a2b3c.js.br'), brotliCompressSync(SCRIPT))
  await writeFile(join(directory, 'assets/app-1a2b3c.js.gz'), gzipSync(SCRIPT))
  service = await startService({}, { dashboardDirectory: directory })
})
afterAll(async () => {
  await service.stop()
  await rm(directory, { recursive: true })
})

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer }

/** As written: `fetch` would normalise paths, add headers and decompress. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const { hostname, port } = new URL(service.url)
  return new Promise((resolve, reject) => {
    plainRequest({ hostname, port, path, method, headers }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) })
    })
      .on('error', reject)
      .end()
  })
}

describe('the page', () => {
  it.each(['/', '/posts', '/posts/019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11', '/sites/new?url=x', '/index.html'])(
    'answers a navigation to %s',
    async (path) => {
      const { status, headers, body } = await get(path, NAVIGATION)
      expect([status, body.toString()]).toEqual([200, PAGE])
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(headers['cache-control']).toBe('no-cache')
      expect(headers['x-request-id']).toEqual(expect.any(String))
    },
  )

  it('carries a policy that lets nothing but its own files act', async () => {
    const { headers } = await get('/', NAVIGATION)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|script-src[^;]*(\*|https?:|data:)/)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
    expect(headers['strict-transport-security']).toBeUndefined()
  })

  it('is for navigations only', async () => {
    const script = await get('/assets/gone-000.js', { 'sec-fetch-mode': 'no-cors', accept: '*/*' })
    expect([script.status, JSON.parse(script.body.toString()).error]).toEqual([404, 'not_found'])
    const program = await get('/', { accept: '*/*' })
    expect(JSON.parse(program.body.toString())).toMatchObject({ name: 'Postrider', api: '/api' })
    expect((await get('/posts', NAVIGATION, 'POST')).status).toBe(404)
  })

  it.each(['/api', '/api/', '/api/nothing', '/healthz', '/openapi.json', '/readyz/x'])(
    'leaves %s to the API',
    async (path) => {
      const { headers } = await get(path, NAVIGATION)
      expect(headers['content-type']).toBe('application/json')
    },
  )
})

describe('files', () => {
  it('are cached for good under their hash and asked for again otherwise', async () => {
    const script = await get('/assets/app-1a2b3c.js')
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8')
    const icon = await get('/favicon.svg')
    expect(icon.headers['cache-control']).toBe('no-cache')
    const again = await get('/favicon.svg', { 'if-none-match': String(icon.headers.etag) })
    expect([again.status, again.body.length]).toEqual([304, 0])
  })

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['', undefined],
    ['identity', undefined],
  ])('for Accept-Encoding "%s" come as %s', async (accept, encoding) => {
    const { headers, body } = await get('/assets/app-1a2b3c.js', { 'accept-encoding': accept })
    expect(headers['content-encoding']).toBe(encoding)
    expect(headers.vary).toBe('Accept-Encoding')
    if (encoding === 'br') expect(brotliDecompressSync(body).toString()).toBe(SCRIPT)
    if (encoding === undefined) expect(body.toString()).toBe(SCRIPT)
  })

  it('of HEAD requests send no body', async () => {
    const { status, headers, body } = await get('/assets/app-1a2b3c.js', {}, 'HEAD')
    expect([status, body.length]).toEqual([200, 0])
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
  })

  it.each([
    '/../package.json',
    '/assets/../../package.json',
    '/%2e%2e/package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/app-1a2b3c.js.br',
    '/assets',
    '/.stamp',
  ])('outside the build do not exist: %s', async (path) => {
    expect((await get(path)).status).toBe(404)
  })
})

describe('without a build', () => {
  it('the service works and says what is missing', async () => {
    const bare = await startService({}, { dashboardDirectory: join(directory, 'none') })
    const answer = await fetch(bare.url, { headers: { accept: 'text/html' } })
    expect(await answer.json()).toMatchObject({
      name: 'Postrider',
      dashboard: expect.stringContaining('npm run build'),
    })
    await bare.stop()
  })
})
