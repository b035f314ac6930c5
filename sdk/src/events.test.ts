import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { createClient } from './client.ts'
import { type ServerSentEvent, serverSentEvents } from './server-sent-events.ts'

async function read(chunks: Array<string | Uint8Array>): Promise<ServerSentEvent[]> {
  const encoder = new TextEncoder()
  const body = ReadableStream.from(chunks.map((chunk) => (typeof chunk === 'string' ? encoder.encode(chunk) : chunk)))
  return Array.fromAsync(serverSentEvents(body, () => {}))
}

const block = (change: Partial<ServerSentEvent>): ServerSentEvent => ({
  event: 'message',
  data: undefined,
  retryMs: undefined,
  ...change,
})

describe('server-sent events', () => {
  it.each([
    ['an event', 'event: a\nid: 7\ndata: {"x":1}\n\n', [block({ event: 'a', data: '{"x":1}' })]],
    ['data of several lines', 'data: a\ndata:\ndata:b\n\n', [block({ data: 'a\n\nb' })]],
    ['a comment', ': hello\n\n', [block({})]],
    ['how long to wait', 'retry: 250\n\nretry: soon\n\n', [block({ retryMs: 250 }), block({})]],
    ['all line ends', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', ['a', 'b', 'c'].map((data) => block({ data }))],
    ['colons in values, and one space only', 'data:  a: b\n\n', [block({ data: ' a: b' })]],
    ['nothing of a block that was cut off', 'data: a\n\ndata: b\n', [block({ data: 'a' })]],
  ])('are read: %s', async (_, text, expected) => {
    expect(await read([text])).toEqual(expected)
  })

  it('are the same however the bytes are cut', async () => {
    const bytes = new TextEncoder().encode(
      'event: é🦊\r\ndata: ü\r\n\r\n: x\r\n\r\nid: 1\rdata: y\r\rretry: 5\n\ndata: z\n\n',
    )
    const whole = await read([bytes])
    expect(whole).toHaveLength(5)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: bytes.length })), async (places) => {
        const cuts = [0, ...places.sort((a, b) => a - b), bytes.length]
        expect(await read(cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end)))).toEqual(whole)
      }),
    )
  })
})

type Handler = (request: IncomingMessage, response: ServerResponse) => void
const closers: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A service that handles its connections one after the other as `ways` say; the last one is repeated. */
async function startService(...ways: [Handler, ...Handler[]]): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    ;(ways[requests.length - 1] ?? ways.at(-1))?.(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const { port } = server.address() as AddressInfo // it listens on TCP
  return { url: `http://127.0.0.1:${port}`, requests }
}

const say =
  (text: string, then: 'stays' | 'ends' | 'breaks' = 'stays'): Handler =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`retry: 1\n\n${text}`, () => {
      if (then === 'ends') response.end()
      if (then === 'breaks') setTimeout(() => response.destroy(), 20)
    })
  }
const refuse =
  (status: number, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    response.writeHead(status, headers).end('{"error":"x","message":"No."}')

const READY = 'event: ready\ndata: {}\n\n'
const CHANGED = 'event: post.changed\ndata: {"ids":["p"]}\n\n'

/** The names of the first `count` events. */
async function first(count: number, url: string, options: { silenceMs?: number } = {}) {
  const names: string[] = []
  for await (const { event } of createClient({ baseUrl: url, token: 't' }).events(options)) {
    names.push(event)
    if (names.length === count) break
  }
  return names
}

describe('following events', () => {
  it('gives their data, and asks as who one is', async () => {
    const { url, requests } = await startService(say(READY + CHANGED))
    const seen = []
    for await (const one of createClient({ baseUrl: `${url}/`, token: 'secret' }).events()) {
      seen.push(one)
      if (one.event === 'post.changed') break
    }
    expect(seen).toEqual([
      { event: 'ready', data: {} },
      { event: 'post.changed', data: { ids: ['p'] } },
    ])
    expect(requests[0]?.url).toBe('/api/events')
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer secret',
      accept: 'text/event-stream',
    })
  })

  it.each(['ends', 'breaks'] as const)('goes on with a new connection, from its `ready`, when one %s', async (then) => {
    const { url, requests } = await startService(say(READY, then), say(READY + CHANGED))
    expect(await first(3, url)).toEqual(['ready', 'ready', 'post.changed'])
    expect(requests).toHaveLength(2)
  })

  it('tries again after refusals that pass', async () => {
    const { url, requests } = await startService(
      refuse(503, { 'retry-after': '0' }),
      refuse(429, { 'retry-after': '0' }),
      say(READY),
    )
    expect(await first(1, url)).toEqual(['ready'])
    expect(requests).toHaveLength(3)
  })

  it.each([400, 401, 403, 404])('throws what %d says', async (status) => {
    const { url, requests } = await startService(refuse(status))
    await expect(first(1, url)).rejects.toMatchObject({ name: 'PostriderError', status, message: 'No.' })
    expect(requests).toHaveLength(1)
  })

  it('gives up a connection that has fallen silent', async () => {
    const { url, requests } = await startService(say(READY), say(CHANGED))
    expect(await first(2, url, { silenceMs: 50 })).toEqual(['ready', 'post.changed'])
    expect(requests).toHaveLength(2)
  })

  it('keeps a connection that may be silent for longer than a timer can wait', async () => {
    const { url, requests } = await startService((request, response) => {
      say(READY)(request, response)
      setTimeout(() => response.write(CHANGED), 100)
    })
    expect(await first(2, url, { silenceMs: Number.POSITIVE_INFINITY })).toEqual(['ready', 'post.changed'])
    expect(requests).toHaveLength(1)
  })

  it('leaves the connection when the loop is left', async () => {
    const left = Promise.withResolvers<void>()
    const { url } = await startService((request, response) => {
      response.on('close', () => left.resolve())
      say(READY)(request, response)
    })
    await first(1, url)
    await left.promise
  })

  it('ends without an error when the signal aborts: while it waits, listens, or before it begins', async () => {
    const { url, requests } = await startService(say(READY), refuse(503, { 'retry-after': '3600' }))
    const client = createClient({ baseUrl: url })
    const listening = new AbortController()
    for await (const { event } of client.events({ signal: listening.signal })) {
      expect(event).toBe('ready')
      listening.abort()
    }
    const waiting = new AbortController()
    const waited = Array.fromAsync(client.events({ signal: waiting.signal }))
    while (requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 1))
    waiting.abort()
    expect(await waited).toEqual([])
    expect(await Array.fromAsync(client.events({ signal: AbortSignal.abort() }))).toEqual([])
    expect(requests).toHaveLength(2)
  })
})
