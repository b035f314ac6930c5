import { endOfTurn } from '../end-of-turn.ts'
import { Linked } from '../linked-list.ts'
import type { Allowed } from './addresses.ts'
import { Answer } from './answer.ts'
import type { Connection } from './connection.ts'
import { type BodySink, Exchange, type ExchangeOwner, type ExchangeResult } from './exchange.ts'
import { EgressError, toFailure } from './failure.ts'
import type { EgressOutcome, EgressRequest } from './message.ts'
import type { Ask, ConnectionPool } from './pool.ts'
import type { Target } from './target.ts'

const DEFAULT_MAX_RESPONSE_BYTES = 16_384
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Headers that only the client sets: message framing, the host, and that the response must not be compressed. */
const OWN_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** What an attempt needs from the client it belongs to. */
export type AttemptParts = { pool: ConnectionPool; userAgent: string; nowMs: () => number }

/** What one attempt is about. */
type Plan = { request: EgressRequest; target: Target; allowed: Allowed; sink: BodySink | undefined }

/**
 * One request, from URL to outcome. Settles exactly once, at the deadline at the latest; from then on nothing more is
 * sent for it. The request is handed to a connection again only if that connection turned out to be closed before a
 * byte was written.
 */
export class Attempt extends Linked<Attempt> implements Ask, ExchangeOwner {
  readonly target: Target
  readonly allowed: Allowed
  withdraw: (() => void) | undefined
  readonly #parts: AttemptParts
  readonly #request: EgressRequest
  readonly #settle: (outcome: EgressOutcome) => void
  readonly #sink: BodySink | undefined
  readonly #startedAtMs: number
  #timer: NodeJS.Timeout | undefined
  #stopped = false
  #settled = false
  #connection: Connection | undefined
  #exchange: Exchange | undefined

  /** `settle` is told the outcome, once. */
  constructor(parts: AttemptParts, { request, target, allowed, sink }: Plan, settle: (outcome: EgressOutcome) => void) {
    super()
    this.target = target
    this.allowed = allowed
    this.#parts = parts
    this.#request = request
    this.#sink = sink
    this.#settle = settle
    this.#startedAtMs = parts.nowMs()
  }

  /** Ends the attempt when it aborts. */
  get signal(): AbortSignal | undefined {
    return this.#request.signal
  }

  start(): void {
    this.#timer = setTimeout(onDeadline, Math.min(this.#request.deadlineMs, LONGEST_TIMER_MS), this)
    try {
      this.#parts.pool.take(this)
    } catch (error) {
      this.#fail(error)
    }
  }

  onDeadline(): void {
    const missing = this.#connection === undefined ? 'connection' : 'response'
    this.stop('timeout', `no ${missing} within ${this.#request.deadlineMs} ms`)
  }

  /** Ends the attempt from outside. If the status has arrived, it counts as answered. */
  stop(cause: 'aborted' | 'timeout', detail: string): void {
    const error = new EgressError(cause, detail)
    this.#stopped = true
    if (this.#exchange === undefined) this.#fail(error)
    else this.#exchange.stop(error)
  }

  connected(connection: Connection): void {
    if (connection.fresh) this.#send(connection)
    else this.#sendIfAlive(connection)
  }

  notConnected(error: unknown): void {
    this.#fail(error)
  }

  /**
   * Sends at the end of the turn of the event loop, so that a pending close is seen first. undici does the same before it reuses a
   * socket, but not when it is called while network events are handled: the close may then be the next event in the queue.
   * Servers that close after each answer without announcing it close right behind the answer.
   */
  #sendIfAlive(connection: Connection): void {
    void endOfTurn().then(() => {
      if (this.#settled) this.#parts.pool.release(connection)
      else if (connection.usable) this.#send(connection)
      else {
        connection.destroy()
        this.#parts.pool.take(this)
      }
    })
  }

  #send(connection: Connection): void {
    // After the process was suspended, network events come before timers, so the deadline may have passed. The connection is not
    // released: nothing watches an unused one, and passing it on to the next of thousands of late attempts would recurse deeply.
    if (this.#tookMs() >= this.#request.deadlineMs) {
      connection.destroy()
      this.onDeadline()
      return
    }
    const { method, body = null, maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES } = this.#request
    this.#connection = connection
    this.#exchange = new Exchange(maxResponseBytes, this, this.#sink)
    const headers = requestHeaders(this.#request.headers, this.#parts.userAgent)
    connection.send({ method, path: this.target.path, headers, body }, this.#exchange, maxResponseBytes)
  }

  onResult(result: ExchangeResult): void {
    const connection = this.#connection
    if (connection === undefined) return
    if (result.kind === 'answered') this.#onAnswer(connection, result)
    else this.#onFailure(connection, result)
  }

  #onFailure(connection: Connection, failure: ExchangeResult & { kind: 'failed' }): void {
    const wasStale = !connection.alive && connection.reused
    connection.destroy()
    if (wasStale && !failure.started && !this.#stopped) {
      this.#exchange = undefined
      this.#connection = undefined
      this.#parts.pool.take(this)
    } else {
      this.#fail(failure.error)
    }
  }

  #onAnswer(connection: Connection, result: ExchangeResult & { kind: 'answered' }): void {
    const answer = new Answer(result, this.#tookMs())
    if (result.truncated) {
      connection.destroy()
      this.#finish(answer)
      return
    }
    // The parser is still processing the last bytes; in the microtask it is known whether the socket stays open.
    queueMicrotask(() => this.#parts.pool.release(connection))
    // Later, so that the caller's next request finds the connection, and with the other answers of this turn.
    void endOfTurn().then(() => this.#finish(answer))
  }

  #fail(error: unknown): void {
    this.#finish({ kind: 'unreachable', ...toFailure(error), tookMs: this.#tookMs() })
  }

  #finish(outcome: EgressOutcome): void {
    if (this.#settled) return
    this.#settled = true
    clearTimeout(this.#timer)
    this.withdraw?.()
    this.#settle(outcome)
  }

  #tookMs(): number {
    return this.#parts.nowMs() - this.#startedAtMs
  }
}

function onDeadline(attempt: Attempt): void {
  attempt.onDeadline()
}

/** A flat list of names and values, the form undici prefers. */
function requestHeaders(given: Record<string, string>, userAgent: string): string[] {
  const headers = ['accept-encoding', 'identity']
  let namesAgent = false
  for (const name of Object.keys(given)) {
    const value = given[name]
    const lowerCased = name.toLowerCase()
    if (value === undefined || OWN_HEADERS.has(lowerCased)) continue
    if (lowerCased === 'user-agent') namesAgent = true
    headers.push(name, value)
  }
  if (!namesAgent) headers.push('user-agent', userAgent)
  return headers
}
