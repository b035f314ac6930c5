/** One response of server-sent events (HTML standard, section 9.2), as a body with a bounded buffer. */
import { Readable } from 'node:stream'

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

/** Buffers text, and passes it on as fast as the client reads. */
export class EventStream {
  /** The body of the answer. Who sends it destroys it when the client has left. */
  readonly body = new Readable({ read() {}, encoding: 'utf8' })
  readonly #mostWaiting: number
  #reason: EndReason = 'left'

  /** `mostWaiting`: a client that leaves more bytes than this waiting is cut off. */
  constructor(mostWaiting = 64 * 1024) {
    this.#mostWaiting = mostWaiting
    this.body.push(`retry: ${RETRY_MS}\n\n`)
  }

  /** Calls `listener` once, when the stream has ended. */
  onEnd(listener: (reason: EndReason) => void): void {
    this.body.once('close', () => listener(this.#reason))
  }

  /** Sends text, unless the stream has ended. */
  send(text: string): void {
    if (this.body.destroyed || this.#reason === 'over') return
    if (this.body.readableLength <= this.#mostWaiting) this.body.push(text)
    else {
      this.#reason = 'too_slow'
      this.body.destroy()
    }
  }

  /** Ends the stream. */
  end(): void {
    if (this.body.destroyed || this.#reason === 'over') return
    this.#reason = 'over'
    this.body.push(null)
  }
}
