import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { EgressError, printable } from './failure.ts'

/** What came back over one connection. `started`: the request may have reached the peer. */
export type ExchangeResult =
  | { kind: 'answered'; status: number; headers: Record<string, string>; body: Uint8Array; truncated: boolean }
  | { kind: 'failed'; error: unknown; started: boolean }

const NOTHING = new Uint8Array(0)

/**
 * Reads one response up to a limit. As soon as the status is known there is an answer: whatever goes wrong afterwards
 * (reset, deadline, more bytes than wanted) only makes it `truncated`. Calls `done` exactly once.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #limit: number
  readonly #done: (result: ExchangeResult) => void
  #settled = false
  #started = false
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #chunks: Buffer[] = []
  #length = 0

  constructor(maxResponseBytes: number, done: (result: ExchangeResult) => void) {
    this.#limit = maxResponseBytes
    this.#done = done
  }

  /** Ends the exchange from outside: an answer if the status has arrived, else a failure with this error. */
  stop(error: unknown): void {
    if (this.#status === 0) this.#settle({ kind: 'failed', error, started: this.#started })
    else this.#answer(true)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#started = true
    if (this.#settled) controller.abort(new EgressError('aborted', 'given up before it was sent'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // Informational responses are passed over; the connection's byte limit ends a flood of them.
    if (status < 200) return
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#length > this.#limit) this.#answer(true)
  }

  onResponseEnd(): void {
    this.#answer(false)
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.stop(error)
  }

  #answer(truncated: boolean): void {
    if (this.#settled) return
    const size = Math.min(this.#length, this.#limit)
    const body = size === 0 ? NOTHING : Buffer.concat(this.#chunks, size)
    this.#settle({ kind: 'answered', status: this.#status, headers: cleanHeaders(this.#headers), body, truncated })
  }

  #settle(result: ExchangeResult): void {
    if (this.#settled) return
    this.#settled = true
    this.#chunks = []
    this.#done(result)
  }
}

/** Repeated headers joined by commas, everything printable, and `__proto__` a name like any other. */
function cleanHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const entries: [string, string][] = []
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    entries.push([printable(name), printable(typeof value === 'string' ? value : value.join(', '))])
  }
  return Object.fromEntries(entries)
}
