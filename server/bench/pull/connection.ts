/** A keep-alive connection that has one request under way at a time and parses no more of an answer than it must. */
import { connect, type Socket } from 'node:net'

/** A request as it goes over the wire; `length` is that of the answer's body when it is known before. */
export type Wire = { bytes: Buffer; length?: number | undefined }

const BUFFER_BYTES = 256 * 1024
const STATUS_AT = 'HTTP/1.1 '.length
const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * `onAnswer` is told the status and the length of the body; `onLost` is told the request that was under way when the server closed
 * the connection, as it may while idle: it is to be sent again. Anything else is a failure of the bench and thrown.
 */
export class Connection {
  readonly #socket: Socket
  #lost = false
  readonly #onAnswer: (status: number, length: number) => void
  #wire: Wire | undefined
  #status = 0
  #length = 0
  /** Bytes of the answer that are still missing; undefined while its head is not complete. */
  #missing: number | undefined
  #head = Buffer.alloc(0)

  constructor(
    port: number,
    onAnswer: (status: number, length: number) => void,
    onLost: (wire: Wire) => void = () => {
      throw new Error('the connection was closed before the answer came')
    },
  ) {
    this.#onAnswer = onAnswer
    const read = (count: number, buffer: Uint8Array) => {
      this.#take(Buffer.from(buffer.buffer, buffer.byteOffset, count))
      return true
    }
    this.#socket = connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: { buffer: Buffer.allocUnsafe(BUFFER_BYTES), callback: read },
    })
    this.#socket.on('error', () => {}) // what follows is 'close'
    this.#socket.on('close', () => {
      this.#lost = true
      if (this.#missing !== undefined && this.#wire !== undefined) throw new Error('an answer ended before its end')
      if (this.#wire !== undefined) onLost(this.#wire)
    })
  }

  get lost(): boolean {
    return this.#lost
  }

  send(wire: Wire): void {
    this.#wire = wire
    this.#missing = undefined
    this.#socket.write(wire.bytes)
  }

  end(): void {
    this.#wire = undefined
    this.#socket.destroy()
  }

  #take(bytes: Buffer): void {
    if (this.#missing === undefined) {
      const all = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes])
      const end = all.indexOf(HEAD_END)
      if (end === -1) {
        this.#head = Buffer.from(all)
        return
      }
      this.#head = Buffer.alloc(0)
      this.#status = Number(all.toString('latin1', STATUS_AT, STATUS_AT + 3))
      this.#length = this.#bodyLength(all, end)
      this.#missing = this.#length - (all.length - end - HEAD_END.length)
    } else this.#missing -= bytes.length
    if (this.#missing < 0) throw new Error('the answer is longer than it should be')
    if (this.#missing > 0) return
    this.#wire = undefined
    this.#onAnswer(this.#status, this.#length)
  }

  #bodyLength(all: Buffer, end: number): number {
    if (this.#status === 304) return 0
    if (this.#wire?.length !== undefined && this.#status === 200) return this.#wire.length
    const [, length] = /\r\ncontent-length: (\d+)/i.exec(all.toString('latin1', 0, end)) ?? []
    if (length === undefined) throw new Error(`an answer without a length:\n${all.toString('latin1', 0, end)}`)
    return Number(length)
  }
}
