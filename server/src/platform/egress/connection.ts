import type { Socket } from 'node:net'
import { Client, type Dispatcher } from 'undici'
import { EgressError } from './failure.ts'
import { InterimResponses } from './interim.ts'

/** Response header bytes (names and values) beyond this end the attempt. */
const MAX_HEADER_BYTES = 16_384

/** What a peer may send besides headers and body in one exchange: status lines, chunk sizes, blank lines, trailers. */
const FRAMING_ALLOWANCE_BYTES = 65_536

/** Idle connections are closed after this, which is less than the 5 s at which many servers close theirs. */
const IDLE_MS = 4_000
/** A server may ask for a longer idle time, up to this. */
const LONGEST_IDLE_MS = 10_000
const IDLE_MARGIN_MS = 1_000

/**
 * One connected and vetted socket with undici's HTTP/1.1 client on top. undici is given exactly this socket and ends with
 * it, so it never reconnects, resolves the name again or sends a request a second time on its own.
 */
export class Connection {
  readonly openedAtMs: number
  readonly #client: Client
  readonly #socket: Socket
  readonly #interim: InterimResponses
  readonly #onGone: (connection: Connection) => void
  #gone = false
  #exchanges = 0
  #byteLimit = Number.POSITIVE_INFINITY

  constructor(parts: { origin: string; socket: Socket; openedAtMs: number; onGone: (connection: Connection) => void }) {
    this.openedAtMs = parts.openedAtMs
    this.#socket = parts.socket
    this.#interim = new InterimResponses(parts.socket)
    this.#onGone = parts.onGone
    this.#client = new Client(parts.origin, {
      connect: handOver(parts.socket),
      allowH2: false,
      useMilo: false,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Attempts carry their own deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: LONGEST_IDLE_MS,
      keepAliveTimeoutThreshold: IDLE_MARGIN_MS,
    })
    this.#client.on('disconnect', () => this.destroy())
    this.#client.on('connectionError', () => this.destroy())
    this.#socket.on('readable', () => this.#checkBytes())
  }

  /** Whether the socket is still open. */
  get alive(): boolean {
    return !this.#gone && !this.#socket.destroyed
  }

  /**
   * Whether it can carry another exchange: not if the peer answered without reading the rest of the request. Ask one turn of
   * the event loop after the answer: over TLS, the answer may arrive before the write is reported as done.
   */
  get usable(): boolean {
    return this.alive && this.#socket.writableLength === 0
  }

  /** True as long as no exchange went over it. */
  get fresh(): boolean {
    return this.#exchanges === 0
  }

  /** True when an earlier exchange went over it, so that the peer may have closed it meanwhile. */
  get reused(): boolean {
    return this.#exchanges > 1
  }

  /** Sends one request. The peer may answer with `maxResponseBytes` of body and a bounded amount around it. */
  send(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler, maxResponseBytes: number): void {
    this.#exchanges += 1
    this.#interim.expect()
    this.#byteLimit = this.#socket.bytesRead + 2 * maxResponseBytes + MAX_HEADER_BYTES + FRAMING_ALLOWANCE_BYTES
    this.#client.dispatch(options, handler)
  }

  /** Closes the socket at once; an exchange under way is told `reason`. */
  destroy(reason: Error = new EgressError('connection_reset', 'connection closed')): void {
    if (this.#gone) return
    this.#gone = true
    this.#client.destroy(reason, () => {})
    this.#socket.destroy()
    this.#onGone(this)
  }

  /** Resolves when the socket is closed; never rejects. */
  whenClosed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.closed) resolve()
      else this.#socket.once('close', () => resolve())
    })
  }

  /** Counts at the socket, because the parser silently skips some bytes: blank lines, the reason phrase, chunk extensions. */
  #checkBytes(): void {
    if (this.#socket.bytesRead <= this.#byteLimit) return
    this.destroy(new EgressError('protocol_error', 'the server sent far more bytes than the response needs'))
  }
}

/** A connector that hands out this socket once and then refuses. */
function handOver(socket: Socket): NonNullable<Client.Options['connect']> {
  let given = false
  return (_options: unknown, callback: (...result: [null, Socket] | [Error, null]) => void) => {
    const first = !given && !socket.destroyed
    given = true
    // Not synchronously: undici does not expect the callback before its own call has returned.
    queueMicrotask(() => {
      if (first && !socket.destroyed) callback(null, socket)
      else callback(new EgressError('connection_reset', 'connection closed'), null)
    })
  }
}
