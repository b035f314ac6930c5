import { unwatch, watch } from './abort.ts'
import type { Allowed } from './addresses.ts'
import type { Connection } from './connection.ts'
import { type BodySink, cleanHeaders, Exchange, type ExchangeResult } from './exchange.ts'
import { EgressError, toFailure } from './failure.ts'
import type { EgressOutcome, EgressRequest } from './message.ts'
import type { Ask, ConnectionPool } from './pool.ts'
import { parseTarget, type Target } from './target.ts'

const DEFAULT_MAX_RESPONSE_BYTES = 16_384
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** A peer may well have closed a connection that was idle for longer. */
const IDLE_ENOUGH_TO_DOUBT_MS = 20

/** Set by the client itself: the framing of the message, whom it is for, and that nothing comes compressed. */
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

/**
 * One request, from URL to outcome. Settles exactly once, at the deadline at the latest; from then on nothing more is
 * sent for it. The request is handed to a connection again only if that connection turned out to be closed before a
 * byte was written.
 */
export class Attempt {
  readonly #parts: AttemptParts
  readonly #request: EgressRequest
  readonly #allowed: Allowed
  readonly #settle: (outcome: EgressOutcome) => void
  readonly #sink: BodySink | undefined
  readonly #startedAtMs: number
  readonly #onAbort = () => this.stop('aborted', 'aborted by the caller')
  #timer: NodeJS.Timeout | undefined
  #stopped = false
  #settled = false
  #ask: Ask | undefined
  #connection: Connection | undefined
  #exchange: Exchange | undefined

  constructor(
    parts: AttemptParts,
    plan: { request: EgressRequest; allowed: Allowed; sink: BodySink | undefined },
    settle: (outcome: EgressOutcome) => void,
  ) {
    this.#parts = parts
    this.#request = plan.request
    this.#allowed = plan.allowed
    this.#sink = plan.sink
    this.#settle = settle
    this.#startedAtMs = parts.nowMs()
  }

  start(): void {
    const { deadlineMs, signal, url } = this.#request
    if (signal?.aborted) {
      this.#onAbort()
      return
    }
    const parsed = parseTarget(url)
    if (!parsed.ok) {
      this.#fail(new EgressError('invalid_url', parsed.reason))
      return
    }
    this.#timer = setTimeout(() => this.#onDeadline(), Math.min(deadlineMs, LONGEST_TIMER_MS))
    if (signal !== undefined) watch(signal, this.#onAbort)
    this.#connect(parsed.target)
  }

  /** Ends the attempt from outside. If the status has arrived, it counts as answered. */
  stop(cause: 'aborted' | 'timeout', detail: string): void {
    const error = new EgressError(cause, detail)
    this.#stopped = true
    if (this.#exchange === undefined) this.#fail(error)
    else this.#exchange.stop(error)
  }

  #onDeadline(): void {
    const missing = this.#connection === undefined ? 'connection' : 'response'
    this.stop('timeout', `no ${missing} within ${this.#request.deadlineMs} ms`)
  }

  #connect(target: Target): void {
    this.#ask = {
      route: { target, allowed: this.#allowed },
      done: (error, connection) => {
        if (connection === undefined) this.#fail(error)
        else if (this.#parts.nowMs() - connection.idleSinceMs > IDLE_ENOUGH_TO_DOUBT_MS)
          this.#sendIfAlive(target, connection)
        else this.#send(target, connection)
      },
      withdraw: () => {},
    }
    this.#parts.pool.take(this.#ask)
  }

  /**
   * Lets the event loop look at the network once more. undici itself does so before it reuses a socket, but not when it
   * is called while network events are being handled: the news of the closing may then be the next event in line.
   */
  #sendIfAlive(target: Target, connection: Connection): void {
    setImmediate(() => {
      if (this.#settled) this.#parts.pool.release(connection)
      else this.#send(target, connection)
    })
  }

  #send(target: Target, connection: Connection): void {
    // A process that was stopped for a while hears of the network before its timers.
    if (this.#tookMs() >= this.#request.deadlineMs) {
      this.#parts.pool.release(connection)
      this.#onDeadline()
      return
    }
    const { method, body = null, maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES } = this.#request
    this.#connection = connection
    this.#exchange = new Exchange(maxResponseBytes, (result) => this.#onResult(target, connection, result), this.#sink)
    const headers = requestHeaders(this.#request.headers, this.#parts.userAgent)
    connection.send({ method, path: target.path, headers, body }, this.#exchange, maxResponseBytes)
  }

  #onResult(target: Target, connection: Connection, result: ExchangeResult): void {
    if (result.kind === 'answered') {
      this.#onAnswer(connection, result)
      return
    }
    const wasStale = !connection.usable && connection.reused
    connection.destroy()
    if (wasStale && !result.started && !this.#stopped) {
      this.#exchange = undefined
      this.#connection = undefined
      this.#connect(target)
    } else {
      this.#fail(result.error)
    }
  }

  #onAnswer(connection: Connection, answer: ExchangeResult & { kind: 'answered' }): void {
    const { status, headers, body, truncated } = answer
    const outcome: EgressOutcome = {
      kind: 'response',
      status,
      // Most callers never look.
      get headers() {
        return cleanHeaders(headers)
      },
      body,
      truncated,
      tookMs: this.#tookMs(),
    }
    if (answer.truncated) {
      connection.destroy()
      this.#finish(outcome)
      return
    }
    // The parser is still at work on the last bytes; a moment later it is known whether the socket lives on. The
    // connection goes back first, so that the caller's next request finds it.
    queueMicrotask(() => {
      this.#parts.pool.release(connection)
      this.#finish(outcome)
    })
  }

  #fail(error: unknown): void {
    this.#finish({ kind: 'unreachable', ...toFailure(error), tookMs: this.#tookMs() })
  }

  #finish(outcome: EgressOutcome): void {
    if (this.#settled) return
    this.#settled = true
    clearTimeout(this.#timer)
    if (this.#request.signal !== undefined) unwatch(this.#request.signal, this.#onAbort)
    this.#ask?.withdraw()
    this.#settle(outcome)
  }

  #tookMs(): number {
    return this.#parts.nowMs() - this.#startedAtMs
  }
}

/** Names and values in turn, as undici likes them best. */
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
