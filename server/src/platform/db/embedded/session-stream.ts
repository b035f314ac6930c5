/**
 * The embedded session as the socket `pg` expects, one per client.
 *
 * `pg` keeps its own connection, protocol code and error classes. Messages are collected up to the next one that
 * makes the server answer (Sync, Query, Flush, end of a copy) and run as one batch. A stream is created unconnected,
 * holds the session from `connect` until it ends or is destroyed, and then leaves a clean session behind.
 */
import { Duplex } from 'node:stream'
import type { Session } from './session.ts'

/** AuthenticationOk, then ReadyForQuery (idle): nothing of the startup packet applies to the embedded session. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

const TERMINATE = 'X'.charCodeAt(0)
/** Sync, Query, Flush, CopyDone, CopyFail, FunctionCall. */
const ANSWERED = new Set([...'SQHcfF'].map((type) => type.charCodeAt(0)))

type Callback = (error?: Error | null) => void

export class SessionStream extends Duplex {
  readonly #session: Session
  #started = false
  #pending: Buffer[] = []
  #pendingBytes = 0
  /** Bytes needed before another look at `#pending` can find a complete message. */
  #wanted = 0

  constructor(session: Session) {
    super({ decodeStrings: true })
    this.#session = session
  }

  /** Called by `pg` in place of a socket's connect. */
  connect(): this {
    void this.#attach()
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Callback): void {
    this.#accept([chunk]).then(() => done(), done)
  }

  override _writev(chunks: { chunk: Buffer }[], done: Callback): void {
    this.#accept(chunks.map(({ chunk }) => chunk)).then(() => done(), done)
  }

  override _final(done: Callback): void {
    this.#session.detach(this).then(() => {
      this.push(null)
      done()
    }, done)
  }

  override _destroy(error: Error | null, done: Callback): void {
    this.#session.detach(this).then(
      () => done(error),
      (cause: Error) => done(error ?? cause),
    )
  }

  async #attach(): Promise<void> {
    try {
      await this.#session.attach(this)
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)))
      return
    }
    // A client that gave up while waiting has no use for the session any more.
    if (this.destroyed) await this.#session.detach(this)
    else this.emit('connect')
  }

  async #accept(chunks: Buffer[]): Promise<void> {
    for (const chunk of chunks) {
      this.#pending.push(chunk)
      this.#pendingBytes += chunk.length
    }
    if (this.#pendingBytes < this.#wanted) return
    let received = Buffer.concat(this.#pending)
    if (!this.#started) {
      if (received.length < 4 || received.length < received.readInt32BE(0)) return
      received = received.subarray(received.readInt32BE(0))
      this.#started = true
      this.push(WELCOME)
    }
    const { answered, wanted } = frame(received)
    this.#pending = [received.subarray(answered)]
    this.#pendingBytes = received.length - answered
    this.#wanted = wanted - answered
    if (answered === 0) return
    for (const bytes of await this.#session.execute(received.subarray(0, answered))) this.push(bytes)
  }
}

/**
 * Looks through frontend messages. `answered` is the end of the last complete message that the server answers,
 * `wanted` the length at which another look is worth while. Everything from Terminate on is left out.
 */
function frame(received: Buffer): { answered: number; wanted: number } {
  let answered = 0
  let at = 0
  while (at + 5 <= received.length) {
    const type = received[at] ?? TERMINATE
    const end = at + 1 + received.readInt32BE(at + 1)
    if (type === TERMINATE) return { answered, wanted: at }
    if (end > received.length) return { answered, wanted: end }
    at = end
    if (ANSWERED.has(type)) answered = at
  }
  return { answered, wanted: at + 5 }
}
