import { once } from 'node:events'
import type net from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test } from 'vitest'
import { brief, post, type Receiver, startAnswering, startEgress, startReceiver } from './test-receivers.ts'

const KEPT = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const urlOf = (receiver: Receiver) => `http://127.0.0.1:${receiver.port}/`

describe('keeping connections', () => {
  test('one after the other share a connection, at the same moment they do not', async () => {
    const receiver = await startAnswering(KEPT)
    const egress = startEgress()
    for (let count = 0; count < 5; count += 1) expect(brief(await egress.send(post(urlOf(receiver))))).toBe('200 ok')
    expect(receiver.connections).toBe(1)
    await Promise.all([1, 2, 3].map(() => egress.send(post(urlOf(receiver)))))
    expect(receiver.connections).toBe(3)
    expect(receiver.requests).toBe(8)
  })

  test.each([
    ['connection: close', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'],
    ['an idle time of a second', 'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok'],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
  ])('none is kept after %s', async (_what, response) => {
    const receiver = await startAnswering(response)
    const egress = startEgress()
    for (let count = 0; count < 2; count += 1) expect(brief(await egress.send(post(urlOf(receiver))))).toBe('200 ok')
    expect(receiver.connections).toBe(2)
    await receiver.allClosed()
  })

  test('a busy connection is given up after a minute', async () => {
    let now = 0
    const receiver = await startAnswering(KEPT)
    const egress = startEgress({ nowMs: () => now })
    await egress.send(post(urlOf(receiver)))
    now = 60_001
    await egress.send(post(urlOf(receiver)))
    await egress.send(post(urlOf(receiver)))
    expect(receiver.connections).toBe(2)
  })

  test('a connection that is kept keeps nothing of the requests that went over it', async () => {
    const receiver = await startAnswering(KEPT)
    const egress = startEgress()
    const send = async () => {
      const body = Buffer.alloc(100_000)
      await egress.send(post(urlOf(receiver), { body }))
      return new WeakRef(body)
    }
    const bodies = [await send(), await send(), await send()]
    expect(receiver.connections).toBe(1)
    await collectGarbage()
    expect(bodies.map((one) => one.deref())).toEqual([undefined, undefined, undefined])
  })

  test('what a server says without being asked never becomes an answer', async () => {
    const receiver = await startReceiver({
      onRequest: (socket, count) =>
        socket.write(count === 1 ? `${KEPT}HTTP/1.1 500 Smuggled\r\ncontent-length: 0\r\n\r\n` : KEPT),
    })
    const egress = startEgress()
    expect(brief(await egress.send(post(urlOf(receiver))))).toBe('200 ok')
    expect(brief(await egress.send(post(urlOf(receiver))))).toBe('200 ok')
    expect(receiver.connections).toBe(2)
  })
})

describe('one request per call', () => {
  test('a kept connection that the peer has closed is noticed before writing, and another one taken', async () => {
    const port = await startHastyServer()
    const egress = startEgress()
    const url = `http://127.0.0.1:${port}/`
    expect(brief(await egress.send(post(url)))).toBe('200 1')
    // Meanwhile the server, on its own thread, closes the connection; this thread learns of it only after the next call.
    blockFor(100)
    expect(brief(await egress.send(post(url)))).toBe('200 2')
  })

  test('nothing is sent when aborted while a kept connection is looked at', async () => {
    const receiver = await startAnswering(KEPT)
    const egress = startEgress()
    const controller = new AbortController()
    await egress.send(post(urlOf(receiver)))
    blockFor(50)
    const aborted = egress.send(post(urlOf(receiver), { signal: controller.signal }))
    controller.abort()
    expect(brief(await aborted)).toBe('aborted')
    expect(brief(await egress.send(post(urlOf(receiver))))).toBe('200 ok')
    expect(receiver.requests).toBe(2)
  })

  test.each([
    ['closed', (socket: net.Socket) => socket.end()],
    ['reset', (socket: net.Socket) => socket.resetAndDestroy()],
  ])('a kept connection %s after the request was written: reported, not repeated', async (_what, cut) => {
    const receiver = await startReceiver({
      onRequest: (socket, count) => (count === 1 ? socket.write(KEPT) : cut(socket)),
    })
    const egress = startEgress()
    expect(brief(await egress.send(post(urlOf(receiver))))).toBe('200 ok')
    expect(brief(await egress.send(post(urlOf(receiver))))).toBe('connection_reset')
    expect(receiver.requests).toBe(2)
    expect(receiver.connections).toBe(1)
  })

  test('nothing is sent after the deadline', async () => {
    const receiver = await startReceiver({
      onRequest: (socket, count) => setTimeout(() => socket.write(KEPT), count === 1 ? 100 : 0),
    })
    const egress = startEgress({ perOriginConnections: 1 })
    const outcomes = await Promise.all([
      egress.send(post(urlOf(receiver))),
      egress.send(post(urlOf(receiver), { deadlineMs: 20 })),
    ])
    expect(outcomes.map(brief)).toEqual(['200 ok', 'timeout'])
    expect(brief(await egress.send(post(urlOf(receiver))))).toBe('200 ok')
    expect(receiver.requests).toBe(2)
  })
})

describe('a connection that is not worth keeping', () => {
  test('is one whose server has answered without reading the request', async () => {
    const receiver = await startReceiver({
      onConnection(socket) {
        if (receiver.connections > 1) return
        socket.pause()
        socket.write('HTTP/1.1 413 Too large\r\ncontent-length: 2\r\n\r\nno')
      },
      onRequest: (socket) => socket.write(KEPT),
    })
    const egress = startEgress()
    expect(brief(await egress.send(post(urlOf(receiver), { body: Buffer.alloc(32 * 1024 ** 2) })))).toBe('413 no')
    expect(brief(await egress.send(post(urlOf(receiver))))).toBe('200 ok')
    expect(receiver.connections).toBe(2)
  })

  test('is one that comes after the deadline, however many wait behind it', async () => {
    let now = 0
    const receiver = await startReceiver({
      onConnection: () => {
        now += 20_000
      },
    })
    const egress = startEgress({ perOriginConnections: 2, nowMs: () => now })
    const outcomes = await Promise.all(Array.from({ length: 4_000 }, () => egress.send(post(urlOf(receiver)))))
    expect(new Set(outcomes.map(brief))).toEqual(new Set(['timeout']))
    await receiver.allClosed()
    expect(receiver.requests).toBe(0)
  })
})

describe('limits', () => {
  test('requests beyond the limit of an origin wait in order', async () => {
    const receiver = await startReceiver({ onRequest: (socket) => setImmediate(() => socket.write(KEPT)) })
    const egress = startEgress({ perOriginConnections: 2 })
    const done: number[] = []
    const sends = [0, 1, 2, 3, 4, 5].map(async (index) => {
      expect(brief(await egress.send(post(urlOf(receiver))))).toBe('200 ok')
      done.push(index)
    })
    await Promise.all(sends)
    expect(receiver.connections).toBe(2)
    expect(done).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('a place held by a dead connection is passed on', async () => {
    const receiver = await startReceiver({
      onRequest: (socket) => (receiver.connections === 1 ? socket.resetAndDestroy() : socket.write(KEPT)),
    })
    const egress = startEgress({ perOriginConnections: 1 })
    const outcomes = await Promise.all([1, 2, 3].map(() => egress.send(post(urlOf(receiver)))))
    expect(outcomes.map(brief)).toEqual(['connection_reset', '200 ok', '200 ok'])
  })

  test('a place held by a dial that timed out or was refused is passed on', async () => {
    const receiver = await startAnswering(KEPT)
    let calls = 0
    const egress = startEgress({
      perOriginConnections: 1,
      lookup: (_hostname, _options, callback) => {
        calls += 1
        // The first query is never answered; the second comes too late to join it.
        if (calls === 2) callback(null, [{ address: '10.0.0.1', family: 4 }])
        if (calls === 3) callback(null, [{ address: '127.0.0.1', family: 4 }])
      },
      nowMs: () => calls * 10_000,
    })
    const url = `http://hook.example:${receiver.port}/`
    const outcomes = await Promise.all([
      egress.send(post(url, { deadlineMs: 50 })),
      egress.send(post(url, { deadlineMs: 60_000 })),
      egress.send(post(url, { deadlineMs: 60_000 })),
    ])
    expect(outcomes.map(brief)).toEqual(['timeout', 'blocked_address', '200 ok'])
  })

  test('one who waits leaves the line when aborted', async () => {
    const controller = new AbortController()
    const receiver = await startReceiver({
      onRequest: (socket) => {
        controller.abort()
        setImmediate(() => socket.write(KEPT))
      },
    })
    const egress = startEgress({ perOriginConnections: 1 })
    const waiting = { signal: controller.signal }
    const outcomes = await Promise.all([
      egress.send(post(urlOf(receiver))),
      egress.send(post(urlOf(receiver), waiting)),
      egress.send(post(urlOf(receiver))),
    ])
    expect(outcomes.map(brief)).toEqual(['200 ok', 'aborted', '200 ok'])
    expect(receiver.requests).toBe(2)
  })

  test('beyond what is kept, the origin used longest ago loses an idle connection', async () => {
    const first = await startAnswering(KEPT)
    const second = await startAnswering(KEPT)
    const third = await startAnswering(KEPT)
    const egress = startEgress({ keptConnections: 3 })
    await Promise.all([egress.send(post(urlOf(first))), egress.send(post(urlOf(first)))])
    for (const receiver of [second, first, third]) await egress.send(post(urlOf(receiver)))
    await second.allClosed()
    for (const receiver of [third, first, second]) await egress.send(post(urlOf(receiver)))
    expect([first, second, third].map(({ connections }) => connections)).toEqual([2, 2, 1])
  })

  test('busy connections count, and are not closed for others', async () => {
    const slow = await startReceiver({ onRequest: (socket) => setTimeout(() => socket.write(KEPT), 100) })
    const others = await Promise.all([1, 2, 3].map(() => startAnswering(KEPT)))
    const egress = startEgress({ keptConnections: 1 })
    const pending = egress.send(post(urlOf(slow)))
    for (const receiver of others) await egress.send(post(urlOf(receiver)))
    await Promise.all(others.slice(0, -1).map((receiver) => receiver.allClosed()))
    expect(brief(await pending)).toBe('200 ok')
    expect(brief(await egress.send(post(urlOf(slow))))).toBe('200 ok')
    expect(slow.connections).toBe(1)
  })
})

describe('closing', () => {
  test('ends what is under way, closes what is idle, refuses what comes later', async () => {
    const idle = await startAnswering(KEPT)
    const silent = await startReceiver({})
    const egress = startEgress()
    await egress.send(post(urlOf(idle)))
    const pending = egress.send(post(urlOf(silent)))
    const resolving = startEgress({ lookup: () => {} })
    const unresolved = resolving.send(post('https://hook.example/'))
    await Promise.all([egress.close(), resolving.close()])
    expect(brief(await pending)).toBe('aborted')
    expect(brief(await unresolved)).toBe('aborted')
    await Promise.all([idle.allClosed(), silent.allClosed()])
    expect(brief(await egress.send(post(urlOf(idle))))).toBe('aborted')
    expect(idle.connections).toBe(1)
  })
})

/** Blocks this thread's event loop, as a busy process does. */
function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Runs a server in a worker thread that numbers its answers and closes each connection unannounced. Resolves with its port. */
async function startHastyServer(): Promise<number> {
  const code = `
    let count = 0
    const server = require('node:net').createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\\r\\ncontent-length: 1\\r\\n\\r\\n' + ++count))
    })
    server.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(server.address().port))`
  const worker = new Worker(code, { eval: true })
  onTestFinished(async () => void (await worker.terminate()))
  const [port] = await once(worker, 'message')
  return Number(port)
}

/** Waits a turn first: a WeakRef that was made or read in this turn of the event loop keeps its target alive until the next. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  await nextTurn()
  runInNewContext('gc')()
}
