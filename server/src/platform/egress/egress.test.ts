import type net from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { brief, post, sendTo, startAnswering, startEgress, startReceiver, writeForEver } from './test-receivers.ts'

const SHORT_MS = 200

describe('what goes out', () => {
  test('the request as given, with the client’s own framing', async () => {
    const receiver = await startAnswering('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    const headers = {
      'Content-Type': 'application/json',
      Host: 'elsewhere.example',
      'Content-Length': '1',
      'Transfer-Encoding': 'chunked',
      Connection: 'close',
      'Accept-Encoding': 'gzip',
    }
    const body = '{"title":"Grüße"}'
    await startEgress().send(post(`http://127.0.0.1:${receiver.port}/a/b?c=d%20e#f`, { headers, body }))
    const [head, sent] = receiver.received.split('\r\n\r\n')
    expect(head?.split('\r\n')).toEqual([
      'POST /a/b?c=d%20e HTTP/1.1',
      `host: 127.0.0.1:${receiver.port}`,
      'connection: keep-alive',
      'accept-encoding: identity',
      'Content-Type: application/json',
      'user-agent: Postrider/test',
      `content-length: ${Buffer.byteLength(body)}`,
    ])
    expect(Buffer.from(sent ?? '', 'latin1').toString()).toBe(body)
  })

  test('bytes as they are, and a user agent of the caller’s', async () => {
    const receiver = await startAnswering('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    const body = Uint8Array.from({ length: 256 }, (_, index) => index).subarray(1)
    await startEgress().send(post(`http://127.0.0.1:${receiver.port}/`, { body, headers: { 'User-Agent': 'Own/1' } }))
    expect(receiver.received).toContain('User-Agent: Own/1\r\n')
    expect(receiver.received).not.toContain('Postrider')
    expect(receiver.received.endsWith(Buffer.from(body).toString('latin1'))).toBe(true)
  })

  test.each(['GET', 'HEAD'] as const)('%s', async (method) => {
    const receiver = await startAnswering(
      `HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n${method === 'HEAD' ? '' : 'hello'}`,
    )
    const outcome = await startEgress().send({
      method,
      url: `http://127.0.0.1:${receiver.port}/`,
      headers: {},
      deadlineMs: 10_000,
    })
    expect(brief(outcome)).toBe(method === 'HEAD' ? '200 ' : '200 hello')
    expect(receiver.received).toMatch(new RegExp(`^${method} / HTTP/1.1\r\n`))
    expect(receiver.received).not.toContain('content-length')
  })

  test.each([{ 'x-test': 'a\r\nx-smuggled: b' }, { 'x-test': 'a\u0000' }, { 'x test': 'a' }, { 'x-test': 'Grüße 🌍' }])(
    'headers that cannot be sent fail the attempt: %j',
    async (headers) => {
      const { outcome, receiver } = await sendTo((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'), { headers })
      expect(brief(outcome)).toBe('protocol_error')
      expect(receiver.received).toBe('')
    },
  )
})

describe('answers', () => {
  test('status, headers and body of any status', async () => {
    const { outcome } = await sendTo((socket) =>
      socket.write('HTTP/1.1 418 Short\r\nX-Test: a\r\nx-test: b\r\n__proto__: c\r\ncontent-length: 5\r\n\r\nhello'),
    )
    expect(outcome).toMatchObject({ kind: 'response', status: 418, truncated: false })
    if (outcome.kind !== 'response') return
    expect(Object.entries(outcome.headers)).toEqual([
      ['x-test', 'a, b'],
      ['__proto__', 'c'],
      ['content-length', '5'],
    ])
    expect(Buffer.from(outcome.body).toString()).toBe('hello')
    expect(outcome.tookMs).toBeGreaterThan(0)
  })

  test('control characters in headers become spaces', async () => {
    const { outcome } = await sendTo((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nx-test: a\u0085b\u009fc\td\r\ncontent-length: 0\r\n\r\n', 'latin1'),
    )
    expect(outcome).toMatchObject({ headers: { 'x-test': 'a b c d' } })
  })

  test('a NUL in a header never gets through', async () => {
    const { outcome } = await sendTo((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nx-test: a\u0000b\r\ncontent-length: 0\r\n\r\n'),
    )
    expect(JSON.stringify(outcome)).not.toContain('\\u0000')
  })

  test('a body up to the limit is whole, one byte more is truncated', async () => {
    const answer = (size: number) => (socket: net.Socket) =>
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n${'x'.repeat(size)}`)
    expect(brief((await sendTo(answer(8), { maxResponseBytes: 8 })).outcome)).toBe('200 xxxxxxxx')
    expect(brief((await sendTo(answer(9), { maxResponseBytes: 8 })).outcome)).toBe('200 xxxxxxxx…')
    expect(brief((await sendTo(answer(9), { maxResponseBytes: 0 })).outcome)).toBe('200 …')
  })

  test('an endless body is cut at the limit and the connection destroyed', async () => {
    const { outcome, receiver } = await sendTo((socket) =>
      writeForEver(socket, 'x'.repeat(1_000), 'HTTP/1.1 200 OK\r\n\r\n'),
    )
    expect(outcome).toMatchObject({ kind: 'response', status: 200, truncated: true })
    expect(outcome.kind === 'response' && outcome.body.length).toBe(16_384)
    await receiver.allClosed()
  })

  test('a slow body is cut at the deadline and the connection destroyed', async () => {
    const { outcome, receiver } = await sendTo(
      (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello'),
      { deadlineMs: SHORT_MS },
    )
    expect(brief(outcome)).toBe('200 hello…')
    await receiver.allClosed()
  })

  test.each([
    ['reset', (socket: net.Socket) => socket.resetAndDestroy()],
    ['close', (socket: net.Socket) => socket.end()],
  ])('a %s within the body leaves an answer', async (_what, cut) => {
    const { outcome } = await sendTo((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello', () => setImmediate(cut, socket)),
    )
    expect(outcome).toMatchObject({ kind: 'response', status: 200, truncated: true })
  })

  test('a body that ends with the connection is whole', async () => {
    expect(brief((await sendTo((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhello'))).outcome)).toBe('200 hello')
  })

  test('too long a body in the last packet of a closing connection', async () => {
    const text = `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 20\r\n\r\n${'x'.repeat(20)}`
    expect(brief((await sendTo((socket) => socket.end(text), { maxResponseBytes: 4 })).outcome)).toBe('200 xxxx…')
  })

  test('endless chunk extensions leave an answer', async () => {
    const { outcome, receiver } = await sendTo((socket) =>
      writeForEver(socket, 'x'.repeat(10_000), 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;x='),
    )
    expect(brief(outcome)).toBe('200 …')
    await receiver.allClosed()
  })

  test('nothing is decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000))
    const { outcome } = await sendTo((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
      socket.write(bomb)
    })
    expect(outcome).toMatchObject({ kind: 'response', truncated: false })
    expect(outcome.kind === 'response' && bomb.equals(outcome.body)).toBe(true)
  })

  test.each([
    ['first', ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok']],
    ['by itself', ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok']],
    ['in pieces', ['HTTP/1.', '1 10', '0 Continue\r\n', '\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\no', 'k']],
    ['twice', ['HTTP/1.1 100 \r\na: b\r\n\r\nHTTP/1.1 100 \r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok']],
  ])('100 Continue is passed over: %s, on each request of a connection', async (_what, pieces) => {
    const receiver = await startReceiver({
      async onRequest(socket) {
        for (const piece of pieces) {
          socket.write(piece)
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      },
    })
    const egress = startEgress()
    for (const _ of [1, 2]) {
      const outcome = await egress.send(post(`http://127.0.0.1:${receiver.port}/`))
      expect(brief(outcome)).toBe('200 ok')
    }
    expect(receiver).toMatchObject({ connections: 1, requests: 2 })
  })

  test('informational responses are passed over', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(5)
    const { outcome } = await sendTo((socket) =>
      socket.write(`HTTP/1.1 102 Processing\r\n\r\n${hints}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`),
    )
    expect(brief(outcome)).toBe('200 ok')
    expect(outcome).toMatchObject({ headers: { 'content-length': '2' } })
  })
})
