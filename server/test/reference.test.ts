import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from './support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const get = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers })

/** The addresses that a page loads by itself. */
async function loadedBy(path: string): Promise<string[]> {
  const html = await (await get(path)).text()
  return [...html.matchAll(/<(?:script|link|img|iframe)\b[^>]*?(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? '')
}

describe('the API reference', () => {
  it('is a page that may run only scripts of the service, and ask nobody else', async () => {
    const { status, headers } = await get('/docs')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = new Map(
      headers
        .get('content-security-policy')
        ?.split('; ')
        .map((rule) => rule.split(/ (.*)/, 2)) as [],
    )
    expect(policy.get('default-src')).toBe("'none'")
    expect(policy.get('script-src')).toBe("'self'")
    expect(policy.get('connect-src')).toBe("'self'")
    expect([...policy.values()].join(' ')).not.toMatch(/https?:|\*|eval/)
    expect((await get('/docs/')).status).toBe(200)
  })

  it('loads only what the service has', async () => {
    const urls = (await loadedBy('/docs')).filter((url) => url !== 'data:,')
    expect(urls).toHaveLength(2)
    for (const url of urls) {
      const answer = await get(url)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect((await answer.text()).length).toBeGreaterThan(100)
    }
    expect(urls[0]).toMatch(/^\/docs\/scalar\.js\?v=/)
    expect(await (await get(urls[0] ?? '')).text()).toContain('createApiReference')
    const start = await (await get(urls[1] ?? '')).text()
    expect(start).toContain("url: '/openapi.json'")
    expect(start).not.toMatch(/https?:\/\//)
  })

  it('shows the document of the API', async () => {
    const answer = await get('/openapi.json')
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await answer.json()).toMatchObject({ openapi: '3.1.0', info: { title: 'Postrider' } })
  })
})

describe.each(['/docs', '/docs/scalar.js', '/docs/start.js', '/openapi.json'])('%s', (path) => {
  it('is sent as small as the client can take it, and the same in every form', async () => {
    const plain = await get(path, { 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    const text = await plain.text()
    for (const [accepted, encoding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip;q=1.0, *;q=0.5', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
    ] as const) {
      const answer = await get(path, { 'accept-encoding': accepted })
      expect(answer.headers.get('content-encoding')).toBe(encoding)
      expect(answer.headers.get('vary')).toBe('Accept-Encoding')
      expect(Number(answer.headers.get('content-length'))).toBeLessThan(text.length)
      expect(await answer.text()).toBe(text)
    }
  })

  it('is not sent again to who has it, and kept without asking only under an address of its own', async () => {
    const first = await get(path)
    expect(first.headers.get('cache-control')).toBe('no-cache')
    const tag = first.headers.get('etag') ?? ''
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const again = await get(path, { 'if-none-match': known })
      expect(again.status).toBe(304)
      expect(await again.text()).toBe('')
    }
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200)
    expect((await get(`${path}?v=other`)).headers.get('cache-control')).toBe('no-cache')
  })

  it('answers HEAD, and refuses what is not GET', async () => {
    expect((await fetch(service.url + path, { method: 'HEAD' })).status).toBe(200)
    const refused = await fetch(service.url + path, { method: 'POST' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})
