/**
 * Every way a request can be refused. Product code throws `fail(kind, ...)` and knows no HTTP;
 * the table below is the only place that maps a kind to a status and to the `error` code on the wire.
 */
const KINDS = {
  invalid: { status: 400, error: 'validation_error' },
  unauthorized: { status: 401, error: 'unauthorized' },
  forbidden: { status: 403, error: 'forbidden' },
  not_found: { status: 404, error: 'not_found' },
  method_not_allowed: { status: 405, error: 'method_not_allowed' },
  conflict: { status: 409, error: 'conflict' },
  gone: { status: 410, error: 'gone' },
  precondition_failed: { status: 412, error: 'precondition_failed' },
  rate_limited: { status: 429, error: 'rate_limited' },
  too_large: { status: 413, error: 'payload_too_large' },
  unsupported_media_type: { status: 415, error: 'unsupported_media_type' },
  unavailable: { status: 503, error: 'unavailable' },
} as const

/** The kinds of refusal; see the table above. */
export type FailureKind = keyof typeof KINDS

/** What may accompany a refusal. `field` is the dotted path of the offending input. */
export type FailureDetails = {
  field?: string
  headers?: Record<string, string>
  retryAfter?: number
  /** The right that a token lacks; part of the body of a `forbidden`. */
  requiredScope?: string
  cause?: unknown
}

/** A refusal with a message a client may read. */
export class Failure extends Error {
  readonly kind: FailureKind
  readonly field: string | undefined
  readonly headers: Record<string, string>
  /** Seconds; part of the body of a `rate_limited`. */
  readonly retryAfter: number | undefined
  readonly requiredScope: string | undefined

  constructor(kind: FailureKind, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'Failure'
    this.kind = kind
    this.field = details.field
    this.headers = details.headers ?? {}
    this.retryAfter = details.retryAfter
    this.requiredScope = details.requiredScope
  }

  get status(): number {
    return KINDS[this.kind].status
  }

  /** The body that goes on the wire (specification, section 7). */
  toBody(): { error: string; message: string; field?: string; retry_after?: number; required_scope?: string } {
    return {
      error: KINDS[this.kind].error,
      message: this.message,
      ...(this.field === undefined ? {} : { field: this.field }),
      ...(this.retryAfter === undefined ? {} : { retry_after: this.retryAfter }),
      ...(this.requiredScope === undefined ? {} : { required_scope: this.requiredScope }),
    }
  }
}

/** A refusal to throw. The message is shown to the client: say what to do, reveal nothing. */
export function fail(kind: Exclude<FailureKind, 'unauthorized'>, message: string, details?: FailureDetails): Failure {
  return new Failure(kind, message, details)
}

/** What cannot be done now, and is worth another try in a few seconds. */
export function unavailable(message: string, cause?: unknown): Failure {
  return fail('unavailable', message, { headers: { 'Retry-After': '5' }, cause })
}

/** The authentication schemes: a token in `Authorization` (RFC 6750), perhaps with parameters, or a site's key in `X-API-Key`. */
export type Challenge = 'Bearer' | `Bearer ${string}` | 'ApiKey'

/** Missing or wrong credentials. The answer must name the scheme that is expected (RFC 9110, section 15.5.2). */
export function unauthorized(challenge: Challenge, message: string, cause?: unknown): Failure {
  return new Failure('unauthorized', message, { headers: { 'WWW-Authenticate': challenge }, cause })
}

/** Invalid input: names the field by its dotted path. */
export function invalid(field: string, message: string, cause?: unknown): Failure {
  return new Failure('invalid', message, { field, cause })
}

/** The status and wire code of a kind, for the API document. */
export function wireOf(kind: FailureKind): { status: number; error: string } {
  return KINDS[kind]
}
