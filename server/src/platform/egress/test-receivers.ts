import { once } from 'node:events'
import net from 'node:net'
import { onTestFinished } from 'vitest'
import { createEgress, type Egress, type EgressOptions, type EgressOutcome, type EgressRequest } from './egress.ts'

/** A listening server that counts what reaches it. */
export type Receiver = {
  port: number
  /** Connections accepted so far. */
  connections: number
  /** Complete requests received so far. */
  requests: number
  /** Everything received so far, as Latin-1 text. */
  received: string
  /** Stops listening; calls back when the port is free. */
  stop(done: () => void): void
  /** Resolves when every connection accepted so far is closed. */
  allClosed(): Promise<void>
}

/** What a receiver does with a connection; `onRequest` is called when a request's head and body have arrived. */
type Behaviour = {
  onConnection?: (socket: net.Socket) => void
  onRequest?: (socket: net.Socket, count: number) => void
}

/** Starts a TCP server on a loopback address; it goes when the test ends. */
export async function startReceiver(
  behaviour: Behaviour,
  at: { host?: string; port?: number } = {},
): Promise<Receiver> {
  const sockets = new Set<net.Socket>()
  const receiver: Receiver = {
    port: 0,
    connections: 0,
    requests: 0,
    received: '',
    stop: (done) => server.close(done),
    allClosed: async () => {
      // Not events.once: it would reject if the client's end causes a reset.
      const closing = [...sockets].filter((socket) => !socket.closed)
      await Promise.all(closing.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))))
    },
  }
  const server = net.createServer((socket) => {
    receiver.connections += 1
    sockets.add(socket)
    let pending = ''
    let requests = 0
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      receiver.received += chunk.toString('latin1')
      pending += chunk.toString('latin1')
      for (let size = requestSize(pending); size !== undefined; size = requestSize(pending)) {
        pending = pending.slice(size)
        requests += 1
        receiver.requests += 1
        behaviour.onRequest?.(socket, requests)
      }
    })
    behaviour.onConnection?.(socket)
  })
  server.listen(at.port ?? 0, at.host ?? '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  receiver.port = typeof address === 'object' && address !== null ? address.port : 0
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return receiver
}

/** A receiver that answers every request with this text, byte for byte. */
export function startAnswering(response: string, at?: { host?: string; port?: number }): Promise<Receiver> {
  return startReceiver({ onRequest: (socket) => socket.write(response, 'latin1') }, at)
}

/** A client that may call this machine, with the given options changed; closed when the test ends. */
export function startEgress(options: Partial<EgressOptions> = {}): Egress {
  const egress = createEgress({ allow: 'loopback', userAgent: 'Postrider/test', ...options })
  onTestFinished(() => egress.close())
  return egress
}

/** A POST of `{}` with a deadline that is long beside what a loopback exchange takes. */
export function post(url: string, changes: Partial<EgressRequest> = {}): EgressRequest {
  return { method: 'POST', url, headers: {}, body: '{}', deadlineMs: 10_000, ...changes }
}

/** Sends one POST to a receiver that answers it like this. */
export async function sendTo(onRequest: NonNullable<Behaviour['onRequest']>, changes: Partial<EgressRequest> = {}) {
  const receiver = await startReceiver({ onRequest })
  const egress = startEgress()
  return { receiver, egress, outcome: await egress.send(post(`http://127.0.0.1:${receiver.port}/hook`, changes)) }
}

/** Writes a start, then the same text as fast as the other side takes it, or every so many milliseconds. */
export function writeForEver(socket: net.Socket, text: string, start = '', everyMs = 0): void {
  socket.write(start)
  const more = () => {
    if (!socket.destroyed) socket.write(text, () => (everyMs === 0 ? setImmediate(more) : setTimeout(more, everyMs)))
  }
  more()
}

/** The outcome in brief: `200 hello`, `200 hel…` (truncated), or the cause of failure. */
export function brief(outcome: EgressOutcome): string {
  if (outcome.kind === 'unreachable') return outcome.cause
  const body = Buffer.from(outcome.body).toString('latin1')
  return `${outcome.status} ${body}${outcome.truncated ? '…' : ''}`
}

/** Bytes of the first complete request in the text, or undefined. */
function requestSize(text: string): number | undefined {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const size = headEnd + 4 + Number(/content-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? 0)
  return text.length >= size ? size : undefined
}
