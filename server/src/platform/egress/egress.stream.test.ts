import type net from 'node:net'
import { describe, expect, test } from 'vitest'
import { OPERATORS_NETWORKS } from './addresses.ts'
import { EgressError } from './failure.ts'
import { createFetch, type FetchBounds } from './fetch.ts'
import { post, startAnswering, startEgress, startReceiver, writeForEver } from './test-receivers.ts'

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-type: text/event-stream\r\n\r\n'
const SHORT_MS = 200

/** Streams one POST from a receiver that behaves like this. */
async function streamFrom(onRequest: (socket: net.Socket) => void, changes = {}) {
  const receiver = await startReceiver({ onRequest })
  const egress = startEgress()
  const answer = await egress.stream(post(`http://127.0.0.1:${receiver.port}/v1/x`, changes))
  return { receiver, egress, answer }
}

/** Reads to the end; what came, and the error that ended it. */
async function readAll(body: ReadableStream<Uint8Array>): Promise<{ text: string; error: unknown }> {
  let text = ''
  try {
    for await (const chunk of body) text += Buffer.from(chunk).toString('latin1')
    return { text, error: undefined }
  } catch (error) {
    return { text, error }
  }
}

function bodyOf(answer: Awaited<ReturnType<typeof streamFrom>>['answer']): ReadableStream<Uint8Array> {
  if (answer.kind !== 'response') throw new Error(`no response: ${answer.cause}`)
  return answer.body
}

describe('a streamed body', () => {
  test('comes piece by piece, and the connection is used again', async () => {
    const answering = Promise.withResolvers<net.Socket>()
    const { receiver, egress, answer } = await streamFrom((socket) => {
      socket.write(`${CHUNKED}5\r\nhello\r\n`)
      answering.resolve(socket)
    })
    const socket = await answering.promise
    const reader = bodyOf(answer).getReader()
    // The end has not been sent yet.
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('hello')
    socket.write('6\r\n world\r\n0\r\n\r\n')
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(' world')
    expect((await reader.read()).done).toBe(true)
    await egress.stream(post(`http://127.0.0.1:${receiver.port}/v1/x`))
    expect(receiver.connections).toBe(1)
  })

  test.each<[string, string, (socket: net.Socket) => void]>([
    ['cut off', 'connection_reset', (socket) => socket.write(`${CHUNKED}5\r\nhello\r\n`, () => socket.destroy())],
    ['stalled', 'timeout', (socket) => socket.write(`${CHUNKED}5\r\nhello\r\n`)],
    ['endless', 'protocol_error', (socket) => writeForEver(socket, '5\r\nhello\r\n', CHUNKED)],
  ])('that is %s ends in %s after what had come', async (_what, cause, behave) => {
    const deadlineMs = cause === 'timeout' ? SHORT_MS : 30_000
    const { receiver, answer } = await streamFrom(behave, { deadlineMs, maxResponseBytes: 1_000 })
    const { text, error } = await readAll(bodyOf(answer))
    expect(text).toMatch(/^(hello)+$/)
    expect(text.length).toBeLessThanOrEqual(1_000)
    expect(error).toBeInstanceOf(EgressError)
    expect(error).toMatchObject({ failure: { cause } })
    await receiver.allClosed()
  })

  test('that nobody reads to its end closes the connection', async () => {
    const { receiver, answer } = await streamFrom((socket) => writeForEver(socket, '5\r\nhello\r\n', CHUNKED, 5))
    await bodyOf(answer).cancel()
    await receiver.allClosed()
  })

  test('is ended by the caller’s signal, and by closing the client', async () => {
    const abort = new AbortController()
    const slow = (socket: net.Socket) => writeForEver(socket, '5\r\nhello\r\n', CHUNKED, 5)
    const first = await streamFrom(slow, { signal: abort.signal })
    abort.abort()
    expect((await readAll(bodyOf(first.answer))).error).toMatchObject({ failure: { cause: 'aborted' } })
    const second = await streamFrom(slow)
    await second.egress.close()
    expect((await readAll(bodyOf(second.answer))).error).toMatchObject({ failure: { cause: 'aborted' } })
  })

  test('has no answer before the status', async () => {
    const { answer } = await streamFrom((socket) => socket.write('HTTP/1.1 2'), { deadlineMs: SHORT_MS })
    expect(answer).toMatchObject({ kind: 'unreachable', cause: 'timeout' })
  })
})

describe('a fetch', () => {
  const bounds = (port: number, changes: Partial<FetchBounds> = {}): FetchBounds => ({
    baseUrl: `http://127.0.0.1:${port}/v1`,
    allow: OPERATORS_NETWORKS,
    deadlineMs: 10_000,
    maxResponseBytes: 1_000,
    ...changes,
  })
  const init = { method: 'POST', body: '{}' }

  test('posts below its base address and gives what was answered, whatever the instance allows', async () => {
    const receiver = await startAnswering(
      'HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\ncontent-length: 2\r\n\r\nno',
    )
    const send = createFetch(startEgress({ allow: 'none' }), bounds(receiver.port))
    const headers = { authorization: 'Bearer x', 'content-type': 'application/json' }
    const response = await send(`http://127.0.0.1:${receiver.port}/v1/chat`, { ...init, headers })
    expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([429, '7', 'no'])
    expect(receiver.received).toMatch(/^POST \/v1\/chat HTTP\/1\.1\r\n/)
    expect(receiver.received).toContain('authorization: Bearer x\r\n')
  })

  test.each([
    ['http://127.0.0.1:PORT/v2/chat', init],
    ['http://127.0.0.1:PORT.example/v1/chat', init],
    ['http://127.0.0.2:PORT/v1/chat', init],
    ['http://127.0.0.1:PORT/v1/chat', { method: 'GET' }],
    ['http://127.0.0.1:PORT/v1/chat', { method: 'POST', body: new Uint8Array(1) }],
  ])('sends nothing else: %s', async (url, given) => {
    const receiver = await startAnswering('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    const send = createFetch(startEgress(), bounds(receiver.port))
    await expect(send(url.replace('PORT', String(receiver.port)), given)).rejects.toBeInstanceOf(EgressError)
    expect(receiver.connections).toBe(0)
  })

  test('never follows a redirect', async () => {
    const receiver = await startAnswering('HTTP/1.1 307 Go\r\nlocation: /v1/other\r\ncontent-length: 0\r\n\r\n')
    const response = await createFetch(startEgress(), bounds(receiver.port))(
      `http://127.0.0.1:${receiver.port}/v1/chat`,
      init,
    )
    expect(response.status).toBe(307)
    expect(receiver.requests).toBe(1)
  })

  test('rejects with the cause when nothing answers, and with the signal’s reason when that ended it', async () => {
    const receiver = await startReceiver({ onRequest: (socket) => socket.resetAndDestroy() })
    const url = `http://127.0.0.1:${receiver.port}/v1/chat`
    const send = createFetch(startEgress(), bounds(receiver.port))
    await expect(send(url, init)).rejects.toMatchObject({ failure: { cause: 'connection_reset' } })
    const reason = new Error('enough')
    await expect(send(url, { ...init, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })

  test.each([
    ['http://169.254.169.254/v1', 'blocked_address'],
    ['http://8.8.8.8/v1', 'blocked_address'],
  ])('may go to %s: %s', async (baseUrl, cause) => {
    const send = createFetch(startEgress(), bounds(1, { baseUrl }))
    await expect(send(`${baseUrl}/chat`, init)).rejects.toMatchObject({ failure: { cause } })
  })
})
