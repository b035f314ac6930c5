import type net from 'node:net'
import { describe, expect, test } from 'vitest'
import { brief, post, sendTo, startEgress, startReceiver, writeForEver } from './test-receivers.ts'

const SHORT_MS = 200

describe('no answer', () => {
  const START = 'HTTP/1.1 200 OK\r\nx-test: '

  test.each<[string, string, (socket: net.Socket) => void]>([
    ['reset after the request', 'connection_reset', (socket) => socket.resetAndDestroy()],
    [
      'reset within the headers',
      'connection_reset',
      (socket) => socket.write(START, () => setImmediate(() => socket.resetAndDestroy())),
    ],
    ['close after the request', 'connection_reset', (socket) => socket.end()],
    ['close within the headers', 'connection_reset', (socket) => socket.end(START)],
    ['garbage', 'protocol_error', (socket) => socket.write('\u0000\u0001garbage\r\n\r\n')],
    ['another protocol', 'protocol_error', (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')],
    ['bad header', 'protocol_error', (socket) => socket.write('HTTP/1.1 200 OK\r\nbad header\r\n\r\n')],
    [
      'upgrade nobody asked for',
      'protocol_error',
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ],
    ['huge header', 'protocol_error', (socket) => socket.write(`${START}${'x'.repeat(20_000)}\r\n\r\n`)],
    ['many headers', 'protocol_error', (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}\r\n`)],
    ['endless header', 'protocol_error', (socket) => writeForEver(socket, 'x'.repeat(1_000), START)],
    ['endless reason phrase', 'protocol_error', (socket) => writeForEver(socket, 'x'.repeat(10_000), 'HTTP/1.1 200 ')],
    ['endless blank lines', 'protocol_error', (socket) => writeForEver(socket, '\r\n'.repeat(5_000))],
    [
      'endless informational responses',
      'protocol_error',
      (socket) => writeForEver(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    ],
  ])('%s: %s', async (_what, cause, behave) => {
    const { outcome, receiver } = await sendTo(behave)
    expect(brief(outcome)).toBe(cause)
    await receiver.allClosed()
    expect(receiver.requests).toBe(1)
  })

  test('nothing is sent once the deadline is over, though the timer has not been heard yet', async () => {
    const receiver = await startReceiver({ onRequest: (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n') })
    let now = 0
    const egress = startEgress({
      nowMs: () => now,
      lookup: (_hostname, _options, callback) => {
        now += 60_000 // the process was stopped
        callback(null, [{ address: '127.0.0.1', family: 4 }])
      },
    })
    const outcome = await egress.send(post(`http://hook.example:${receiver.port}/`, { deadlineMs: 30_000 }))
    expect(brief(outcome)).toBe('timeout')
    expect(receiver).toMatchObject({ connections: 1, requests: 0 })
  })

  test.each<[string, (socket: net.Socket) => void]>([
    ['silence', () => {}],
    ['half a status line', (socket) => socket.write('HTTP/1.1 2')],
    ['slow headers', (socket) => writeForEver(socket, 'x', 'HTTP/1.1 200 OK\r\nx-test: ', 10)],
    ['nothing but informational responses', (socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('timeout: %s', async (_what, behave) => {
    const { outcome, receiver } = await sendTo(behave, { deadlineMs: SHORT_MS })
    expect(outcome).toMatchObject({
      kind: 'unreachable',
      cause: 'timeout',
      detail: `no response within ${SHORT_MS} ms`,
    })
    await receiver.allClosed()
  })

  test('reset on connecting', async () => {
    const receiver = await startReceiver({ onConnection: (socket) => socket.resetAndDestroy() })
    expect(brief(await startEgress().send(post(`http://127.0.0.1:${receiver.port}/`)))).toBe('connection_reset')
    expect(receiver.connections).toBe(1)
  })

  test('a server that speaks first', async () => {
    const receiver = await startReceiver({ onConnection: (socket) => socket.write('220 mail.example ESMTP\r\n') })
    expect(brief(await startEgress().send(post(`http://127.0.0.1:${receiver.port}/`)))).toBe('protocol_error')
  })

  test('closed port', async () => {
    const receiver = await startReceiver({})
    const { port } = receiver
    await new Promise<void>((resolve) => receiver.stop(resolve))
    expect(brief(await startEgress().send(post(`http://127.0.0.1:${port}/`)))).toBe('connection_refused')
    expect(brief(await startEgress().send(post(`http://localhost:${port}/`)))).toBe('connection_refused')
  })
})

describe('resolving', () => {
  const failing = (code: string) =>
    Object.assign(new Error(`getaddrinfo ${code} hook.example`), { code, hostname: 'hook.example' })

  test.each(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ESOMETHING'])('%s is a dns_error', async (code) => {
    const egress = startEgress({ lookup: (_hostname, _options, callback) => callback(failing(code), []) })
    expect(await egress.send(post('https://hook.example/'))).toMatchObject({ cause: 'dns_error', detail: code })
  })

  test('a resolver that throws, or finds nothing, is a dns_error', async () => {
    const throwing = startEgress({
      lookup: () => {
        throw new Error('broken')
      },
    })
    expect(brief(await throwing.send(post('https://hook.example/')))).toBe('dns_error')
    const empty = startEgress({ lookup: (_hostname, _options, callback) => callback(null, []) })
    expect(brief(await empty.send(post('https://hook.example/')))).toBe('dns_error')
  })

  test('a resolver that hangs is a timeout, and its late answer opens no connection', async () => {
    const receiver = await startReceiver({})
    let answerLate = () => {}
    const egress = startEgress({
      lookup: (_hostname, _options, callback) => {
        answerLate = () => callback(null, [{ address: '127.0.0.1', family: 4 }])
      },
    })
    const outcome = await egress.send(post(`http://hook.example:${receiver.port}/`, { deadlineMs: SHORT_MS }))
    expect(outcome).toMatchObject({ cause: 'timeout', detail: `no connection within ${SHORT_MS} ms` })
    answerLate()
    expect(brief(await egress.send(post(`http://127.0.0.1:${receiver.port}/`, { deadlineMs: SHORT_MS })))).toBe(
      'timeout',
    )
    expect(receiver.connections).toBe(1)
  })

  test('those who ask at the same moment share a question, later ones ask again', async () => {
    const receiver = await startReceiver({ onRequest: (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n') })
    let calls = 0
    const egress = startEgress({
      lookup: (_hostname, _options, callback) => {
        calls += 1
        setImmediate(() => callback(null, [{ address: '127.0.0.1', family: 4 }]))
      },
    })
    const url = `http://hook.example:${receiver.port}/`
    await Promise.all([1, 2, 3, 4].map(() => egress.send(post(url))))
    expect({ calls, connections: receiver.connections }).toEqual({ calls: 1, connections: 4 })
    await egress.send(post(url))
    expect(calls).toBe(2)
  })
})

describe('aborting', () => {
  test('before the start nothing is opened', async () => {
    const receiver = await startReceiver({})
    const signal = AbortSignal.abort()
    expect(brief(await startEgress().send(post(`http://127.0.0.1:${receiver.port}/`, { signal })))).toBe('aborted')
    expect(receiver.connections).toBe(0)
  })

  test('while waiting for an answer the socket is destroyed', async () => {
    const controller = new AbortController()
    const { outcome, receiver } = await sendTo(() => controller.abort(), { signal: controller.signal })
    expect(brief(outcome)).toBe('aborted')
    await receiver.allClosed()
  })

  test('while resolving', async () => {
    const controller = new AbortController()
    const egress = startEgress({ lookup: () => setImmediate(() => controller.abort()) })
    expect(brief(await egress.send(post('https://hook.example/', { signal: controller.signal })))).toBe('aborted')
  })

  test('once the status is known it is an answer', async () => {
    const controller = new AbortController()
    const body = (socket: net.Socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello')
      setTimeout(() => controller.abort(), SHORT_MS)
    }
    const { outcome } = await sendTo(body, { signal: controller.signal })
    expect(brief(outcome)).toBe('200 hello…')
  })

  test('of one signal ends its attempts and no others', async () => {
    const [ours, others] = [new AbortController(), new AbortController()]
    const receiver = await startReceiver({ onRequest: () => {} })
    const egress = startEgress()
    const send = (signal?: AbortSignal) =>
      egress
        .send(post(`http://127.0.0.1:${receiver.port}/`, { deadlineMs: 4 * SHORT_MS, ...(signal && { signal }) }))
        .then(brief)
    const outcomes = Promise.all([send(ours.signal), send(others.signal), send(), send(ours.signal)])
    ours.abort()
    expect(await outcomes).toEqual(['aborted', 'timeout', 'timeout', 'aborted'])
  })

  test('listeners do not pile up on a long-lived signal', async () => {
    const { signal } = new AbortController()
    let listeners = 0
    const counted = Object.assign(Object.create(signal), {
      addEventListener: () => (listeners += 1),
      removeEventListener: () => (listeners -= 1),
    })
    const { egress, receiver } = await sendTo(
      (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
      { signal: counted },
    )
    await egress.send(post(`http://127.0.0.1:${receiver.port}/`, { signal: counted }))
    expect(listeners).toBe(0)
  })
})
