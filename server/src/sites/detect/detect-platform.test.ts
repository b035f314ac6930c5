/** Answers that never end and redirects that lead away, against real servers. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createEgress, type Egress } from '../../platform/egress/egress.ts'
import { redirectWithinSite } from '../same-site.ts'
import { detectPlatform } from './detect-platform.ts'

const closers: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo // it listens on TCP
  return `http://127.0.0.1:${port}/`
}

/** An egress with deadlines of a twentieth, so that the test does not wait for them. */
function hastyEgress(): Egress {
  const egress = createEgress({ allow: 'loopback', userAgent: 'test' })
  closers.push(() => egress.close())
  return { ...egress, send: (request) => egress.send({ ...request, deadlineMs: request.deadlineMs / 20 }) }
}

const never = new AbortController().signal
const page = '<div id="___gatsby"></div>'
const HTML = { 'content-type': 'text/html' }

describe('a slow site', () => {
  it('that says nothing is to be looked at later', async () => {
    const url = await serve(() => {})
    expect(await detectPlatform(hastyEgress(), url, never)).toEqual({ kind: 'later', reason: 'timeout' })
  })

  it('that never ends its page is judged by what came', async () => {
    const url = await serve((request, response) => {
      response.writeHead(200, HTML)
      if (request.url === '/') response.write(page)
      else response.end('{"webpackCompilationHash":"1"}')
    })
    expect(await detectPlatform(hastyEgress(), url, never)).toEqual({ kind: 'settled', platform: 'gatsby' })
  })

  it('that hangs at the probe is to be looked at later', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/') response.writeHead(200, HTML).end(page)
    })
    expect(await detectPlatform(hastyEgress(), url, never)).toEqual({ kind: 'later', reason: 'timeout' })
  })

  it('is left at once when the caller stops', async () => {
    const stop = new AbortController()
    const url = await serve(() => stop.abort())
    expect(await detectPlatform(hastyEgress(), url, stop.signal)).toEqual({ kind: 'interrupted' })
  })
})

describe('an address', () => {
  it.each([
    ['http://192.168.0.1/', 'blocked_address'],
    ['https://user:password@example.com/', 'invalid_url'],
    ['https://[::1', 'invalid_url'],
    ['ftp://example.com/', 'invalid_url'],
  ])('that cannot be called stays custom, and unreached: %s', async (url, unreached) => {
    const look = { kind: 'settled', platform: 'custom', unreached }
    expect(await detectPlatform(hastyEgress(), url, never)).toEqual(look)
  })

  it('with http is looked for by https where http is not called', async () => {
    const asked: string[] = []
    const egress: Egress = {
      ...hastyEgress(),
      async send({ url }) {
        asked.push(url)
        const blocked = url.startsWith('http:')
        return { kind: 'unreachable', cause: blocked ? 'blocked_address' : 'dns_error', detail: '', tookMs: 1 }
      },
    }
    expect(await detectPlatform(egress, 'http://blog.example.com/a', never)).toMatchObject({ kind: 'later' })
    expect(asked).toEqual(['http://blog.example.com/a', 'https://blog.example.com/a'])
  })
})

describe('a redirect', () => {
  it.each([
    ['https://example.com/', '/en/', 'https://example.com/en/'],
    ['http://example.com/', 'https://example.com/', 'https://example.com/'],
    ['http://example.com/', 'https://www.example.com/', 'https://www.example.com/'],
    ['https://www.example.com/', 'https://example.com/a', 'https://example.com/a'],
    ['http://example.com/', '/a', 'http://example.com/a'],
  ])('from %s to %s is followed', (from, location, to) => {
    expect(redirectWithinSite(new URL(from), location)?.href).toBe(to)
  })

  it.each([
    ['https://example.com/', 'http://example.com/'],
    ['https://example.com/', 'https://blog.example.com/'],
    ['https://example.com/', 'https://example.com:8443/'],
    ['https://example.com/', '//other.example/'],
    ['https://example.com/', 'javascript:alert(1)'],
    ['https://example.com/', 'https://['],
    ['https://example.com/', undefined],
  ])('from %s to %s is not', (from, location) => {
    expect(redirectWithinSite(new URL(from), location)).toBeUndefined()
  })
})
