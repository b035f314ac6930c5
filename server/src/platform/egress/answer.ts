import type { IncomingHttpHeaders } from 'node:http'
import { type Body, cleanHeaders, type ExchangeResult } from './exchange.ts'
import type { EgressOutcome } from './message.ts'

/** A response whose headers and body are assembled on access; most callers read only the status. */
export class Answer implements Extract<EgressOutcome, { kind: 'response' }> {
  readonly kind = 'response'
  readonly status: number
  readonly truncated: boolean
  readonly tookMs: number
  readonly #headers: IncomingHttpHeaders
  readonly #body: Body

  constructor({ status, headers, body, truncated }: ExchangeResult & { kind: 'answered' }, tookMs: number) {
    this.status = status
    this.truncated = truncated
    this.tookMs = tookMs
    this.#headers = headers
    this.#body = body
  }

  get headers(): Record<string, string> {
    return cleanHeaders(this.#headers)
  }

  get body(): Uint8Array {
    return Buffer.concat(this.#body.chunks, this.#body.length)
  }
}
