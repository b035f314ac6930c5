/** One response of server-sent events (HTML standard, section 9.2), as a body with a bounded buffer. */

/** The headers of every such response. No intermediary may cache it, buffer it, or reuse its connection. */
export const EVENT_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
  Connection: 'close',
}

/** How long a browser waits before it connects again (milliseconds). */
const RETRY_MS = 2_000

/** The text of one event. */
export function eventText(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/** A comment, which shows that the connection lives. */
export const HEARTBEAT = ':\n\n'

/** Why a stream ended: the client left, could not keep up, or the service ended it. */
export type EndReason = 'left' | 'too_slow' | 'over'

const encoder = new TextEncoder()

/** Buffers text and passes it on as fast as the client reads. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
  readonly #mostWaiting: number
  #waiting = [`retry: ${RETRY_MS}\n\n`]
  #waitingLength = 0
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined
  #wanted = false
  #ended: EndReason | undefined
  #onEnd: Array<(reason: EndReason) => void> = []

  /** `mostWaiting`: a client that leaves more characters than this waiting is dropped. */
  constructor(mostWaiting = 64 * 1024) {
    this.#mostWaiting = mostWaiting
    this.body = new ReadableStream(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => {
          this.#wanted = true
          this.#give()
        },
        cancel: () => this.#finish('left'),
      },
      { highWaterMark: 0 },
    )
  }

  /** Calls `listener` once, when the stream has ended. */
  onEnd(listener: (reason: EndReason) => void): void {
    this.#onEnd.push(listener)
  }

  /** Sends text, unless the stream has ended. */
  send(text: string): void {
    if (this.#ended !== undefined) return
    if (this.#waitingLength > this.#mostWaiting) {
      this.#waiting = []
      this.#finish('too_slow')
      this.#controller?.close()
      return
    }
    this.#waiting.push(text)
    this.#waitingLength += text.length
    this.#give()
  }

  /** Ends the stream; text that is still waiting is lost. */
  end(): void {
    if (this.#ended !== undefined) return
    this.#finish('over')
    this.#controller?.close()
  }

  #give(): void {
    if (!this.#wanted || this.#waiting.length === 0 || this.#ended !== undefined) return
    this.#wanted = false
    const text = this.#waiting.splice(0).join('')
    this.#waitingLength = 0
    this.#controller?.enqueue(encoder.encode(text))
  }

  #finish(reason: EndReason): void {
    if (this.#ended !== undefined) return
    this.#ended = reason
    for (const listener of this.#onEnd.splice(0)) listener(reason)
  }
}
