/** What reaches the listener but is hardly a request. Every answer is JSON and carries a request id all the same. */
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Api, newApi } from './support/api.ts'
import { request } from './support/http.ts'
import { startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let api: Api

beforeAll(async () => {
  service = await startService({ CORS_ORIGINS: 'https://app.example.com' })
  api = await newApi(service)
})
afterAll(() => service.stop())
afterEach(async () => {
  await service.caughtUp()
  expect(service.logged.splice(0).filter(({ level }) => level === 'error')).toEqual([])
})

/** Sends bytes and resolves with all that comes back before the service hangs up. */
function exchange(bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(bytes))
    let answer = ''
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

/** Sends bytes and resolves with the beginning of the answer, without waiting for the service to hang up. */
function answerTo(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(bytes))
    socket.on('error', reject).once('data', (answer) => {
      resolve(answer.toString())
      socket.destroy()
    })
  })
}

const HOST = 'Host: localhost\r\nConnection: close\r\n'
const JSON_BODY = 'Content-Type: application/json\r\n'

describe('connections', () => {
  it('are kept longer than proxies keep them', async () => {
    const { headers } = await request(`${service.url}/healthz`)
    expect(headers.get('keep-alive')).toBe('timeout=75')
  })

  it('that become idle while the service stops do not hold it up', { timeout: 30_000 }, async () => {
    const stopping = await startService()
    const receiver = await startReceiver()
    const client = await newAccount(stopping)
    const site = await connectSite(client, receiver)
    receiver.answerNext((_, response) => setTimeout(() => response.writeHead(200).end(), 300))
    const answer = client.sites.testDelivery(site.id)
    await expect.poll(() => receiver.received.length).toBe(1)
    const stopped = stopping.stop()
    expect(await answer).toMatchObject({ success: true })
    await stopped
    await receiver.close()
  })
})

describe('bytes that are no valid request', () => {
  it.each([
    ['something else', 400, '\x16\x03\x01\x02\x00\r\n\r\n'],
    ['a header without a colon', 400, `GET / HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`],
    ['a path that is not ASCII', 400, Buffer.from(`GET /é HTTP/1.1\r\n${HOST}\r\n`)],
    ['no host', 400, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a host with a space', 400, 'GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n'],
    ['a host with a path', 400, 'GET / HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n'],
    [
      'a host with a space, of a pull request',
      400,
      'GET /api/pull/posts HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
    ],
    ['an address that is none', 400, `GET http://[/api HTTP/1.1\r\n${HOST}\r\n`],
    ['an asterisk', 400, `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`],
    ['a backslash', 400, `GET /api\\posts HTTP/1.1\r\n${HOST}\r\n`],
    ['a length that is no number', 400, `POST /api/auth/login HTTP/1.1\r\n${HOST}Content-Length: x\r\n\r\n`],
    ['a chunk without a size', 400, `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ['a header of 40,000 characters', 413, `GET / HTTP/1.1\r\n${HOST}X: ${'x'.repeat(40_000)}\r\n\r\n`],
    ['an address of 40,000 characters', 413, `GET /?${'x'.repeat(40_000)} HTTP/1.1\r\n${HOST}\r\n`],
  ])('%s', async (_, status, bytes) => {
    const [head = '', body = ''] = (await exchange(bytes)).split('\r\n\r\n')
    expect(head.split('\r\n')[0]).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head.toLowerCase()).toContain('content-type: application/json')
    expect(head).toMatch(/x-request-id: [0-9a-f-]{36}/i)
    const error = status === 413 ? 'payload_too_large' : 'validation_error'
    expect(JSON.parse(body)).toMatchObject({ error, message: expect.any(String) })
  })
})

describe('odd but valid requests', () => {
  it('HTTP/1.0 without a host, as some load balancers ask for health', async () => {
    expect(await exchange('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 OK[\s\S]*\{"status":"ok"\}$/)
  })

  it.each(['/api/pull/p%6Fsts', 'http://elsewhere.example/api/pull/posts'])(
    '%s is an address of the Pull API',
    async (address) => {
      const answer = await exchange(`GET ${address} HTTP/1.1\r\n${HOST}\r\n`)
      expect(answer).toMatch(/^HTTP\/1.1 401 [\s\S]*X-API-Key/)
    },
  )

  it('an expectation nobody knows is ignored', async () => {
    const body = 'Expect: wonders\r\nContent-Length: 2\r\n\r\n{}'
    const answer = await exchange(`POST /api/auth/login HTTP/1.1\r\n${HOST}${JSON_BODY}${body}`)
    expect(answer).toContain('"field":"email"')
  })

  it('a preflight carries a request id', async () => {
    const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'PATCH' }
    const preflight = await request(`${service.url}/api/posts`, { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
    expect(preflight.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('a compressed body is refused by its encoding, whatever it holds', async () => {
    const { status, json, headers } = await api.post('/api/posts', { title: 'x' }, { 'content-encoding': 'gzip' })
    expect({ status, error: json.error }).toEqual({ status: 415, error: 'unsupported_media_type' })
    expect(headers.get('accept-encoding')).toBe('identity')
    expect((await api.post('/api/posts', { title: 'x' }, { 'content-encoding': 'identity' })).status).toBe(201)
  })

  it('a body may come in small pieces, but not byte by byte', async () => {
    const head = `POST /api/posts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${api.token}\r\n${JSON_BODY}`
    const inPieces = (size: number) => {
      const text = JSON.stringify({ title: 'x', excerpt: 'x'.repeat(100_000) }).padEnd(200_000)
      const pieces = text.match(new RegExp(`.{${size}}`, 'g')) ?? []
      const chunks = pieces.map((piece) => `${size.toString(16)}\r\n${piece}\r\n`)
      return answerTo(`${head}Transfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`)
    }
    expect(await inPieces(100)).toMatch(/^HTTP\/1.1 400 [\s\S]*"field":"excerpt"/)
    expect(await inPieces(1)).toMatch(/^HTTP\/1.1 413 [\s\S]*too many small pieces/)
  })

  it('a body that is much too large is told so while it is still being sent', async () => {
    const body = { title: 'x'.repeat(30_000_000) }
    expect((await api.post('/api/posts', body)).json).toMatchObject({ error: 'payload_too_large' })
  })

  it('a body that is cut off stores nothing and is no error of the service', async () => {
    const head = `POST /api/posts HTTP/1.1\r\n${HOST}Authorization: Bearer ${api.token}\r\n${JSON_BODY}`
    const before = (await api.get('/api/posts')).json.pagination
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
      socket.write(`${head}Content-Length: 500\r\n\r\n{"title": "half`, () => setTimeout(() => socket.destroy(), 50))
      socket.on('close', () => resolve())
    })
    await expect
      .poll(() => service.logged.find(({ fields }) => fields.route === 'POST /api/posts' && fields.status === 400))
      .toBeDefined()
    expect((await api.get('/api/posts')).json.pagination).toEqual(before)
  })
})
