import type { Socket } from 'node:net'

const NOTHING = Buffer.alloc(0)

/** How every response begins, and how an interim one does. 101 is none here: nothing asks for another protocol. */
const START = 'HTTP/1.'
const INTERIM = /^HTTP\/1\.\d 1(?!01)\d\d/
const STATUS_LENGTH = 'HTTP/1.1 100'.length
const END = '\r\n\r\n'

/**
 * Takes interim responses out of what a peer sends: a client has to pass over them, whether it expects them or not (RFC 9110, 15.2), but
 * undici ends the connection at a `100 Continue` that it has not asked for.
 */
export class InterimResponses {
  #isStart = false
  /** The beginning of a response, until it is known what it is. */
  #held: Buffer = NOTHING

  /** From now on undici reads from the socket what is left. */
  constructor(socket: Socket) {
    const read = socket.read.bind(socket)
    socket.read = (size?: number) => {
      for (let chunk = read(size); chunk !== null; chunk = read(size)) {
        const rest = this.#isStart ? this.#passOver(chunk) : chunk
        if (rest.length > 0) return rest
      }
      return null
    }
  }

  /** What comes next is the beginning of a response. */
  expect(): void {
    this.#isStart = true
    this.#held = NOTHING
  }

  /** What is left of the next bytes; nothing while they may belong to an interim response. */
  #passOver(chunk: Buffer): Buffer {
    let rest = Buffer.concat([this.#held, chunk])
    for (;;) {
      const start = rest.toString('latin1', 0, STATUS_LENGTH)
      if (!START.startsWith(start.slice(0, START.length))) break
      if (start.length === STATUS_LENGTH && !INTERIM.test(start)) break
      const end = start.length < STATUS_LENGTH ? -1 : rest.indexOf(END)
      if (end === -1) {
        this.#held = rest
        return NOTHING
      }
      rest = rest.subarray(end + END.length)
    }
    this.#isStart = false
    this.#held = NOTHING
    return rest
  }
}
