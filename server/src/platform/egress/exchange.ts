import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { printable } from '../printable.ts'
import { EgressError } from './failure.ts'

/** What came back over one connection. `started`: the request may have reached the peer. */
export type ExchangeResult =
  | { kind: 'answered'; status: number; headers: IncomingHttpHeaders; body: Body; truncated: boolean }
  | { kind: 'failed'; error: unknown; started: boolean }

/** What was read, in chunks as received. The last chunk may reach beyond `length`. */
export type Body = { chunks: readonly Uint8Array[]; length: number }

/** Is told the result. */
export type ExchangeOwner = { onResult(result: ExchangeResult): void }

/**
 * Receives the body as it arrives. `start` is called once the status is known, then `data` for each chunk, then `end`: with
 * an error if there was or might have been more. Nothing is called when there is no answer.
 */
export type BodySink = {
  start(status: number, headers: Record<string, string>): void
  data(chunk: Uint8Array): void
  end(error?: unknown): void
}

/**
 * Reads one response up to a limit. As soon as the status is known there is an answer: whatever goes wrong afterwards
 * (reset, deadline, more bytes than wanted) only makes it `truncated`. Tells its owner exactly once. With a sink, the body
 * goes to the sink and the answer has none.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #limit: number
  readonly #owner: ExchangeOwner
  readonly #sink: BodySink | undefined
  #settled = false
  #started = false
  #status = 0
  #headers: IncomingHttpHeaders = {}
  readonly #chunks: Buffer[] = []
  #length = 0

  constructor(maxResponseBytes: number, owner: ExchangeOwner, sink?: BodySink) {
    this.#limit = maxResponseBytes
    this.#owner = owner
    this.#sink = sink
  }

  /** Ends the exchange from outside: an answer if the status has arrived, else a failure with this error. */
  stop(error: unknown): void {
    if (this.#status === 0) this.#settle({ kind: 'failed', error, started: this.#started })
    else this.#answer(error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#started = true
    if (this.#settled) controller.abort(new EgressError('aborted', 'given up before it was sent'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status
    this.#headers = headers
    if (!this.#settled) this.#sink?.start(status, cleanHeaders(headers))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return
    this.#length += chunk.length
    if (this.#sink === undefined) this.#chunks.push(chunk)
    else if (this.#length <= this.#limit) this.#sink.data(chunk)
    if (this.#length > this.#limit)
      this.#answer(new EgressError('protocol_error', `the response is longer than ${this.#limit} bytes`))
  }

  onResponseEnd(): void {
    this.#answer()
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.stop(error)
  }

  /** `cutBy`: what kept the body from being read to its end. */
  #answer(cutBy?: unknown): void {
    if (this.#settled) return
    this.#sink?.end(cutBy)
    this.#settle({
      kind: 'answered',
      status: this.#status,
      headers: this.#headers,
      body: { chunks: this.#chunks, length: Math.min(this.#length, this.#limit) },
      truncated: cutBy !== undefined,
    })
  }

  #settle(result: ExchangeResult): void {
    if (this.#settled) return
    this.#settled = true
    this.#owner.onResult(result)
  }
}

/** Repeated headers joined by commas, everything printable, and `__proto__` a name like any other. */
export function cleanHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const entries: [string, string][] = []
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    entries.push([printable(name), printable(typeof value === 'string' ? value : value.join(', '))])
  }
  return Object.fromEntries(entries)
}
