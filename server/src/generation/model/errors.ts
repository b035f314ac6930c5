/** What a failed call to a provider means: maps statuses, codes and messages to our own kinds of errors. */
import type { FailureCause } from '../../platform/egress/failure.ts'
import { EgressError } from '../../platform/egress/failure.ts'
import { ModelError, type ModelErrorKind, type Tokens } from './model.ts'

/** What is known of a refusal. `body` is the provider's answer; `headers` in lower case. */
type Refusal = { status: number; body: string; headers: Record<string, string> }

/** Failures of our own egress. */
const CAUSES: Record<FailureCause, ModelErrorKind> = {
  timeout: 'timeout',
  aborted: 'cut',
  connection_reset: 'cut',
  dns_error: 'unreachable',
  connection_refused: 'unreachable',
  tls_error: 'unreachable',
  network_error: 'unreachable',
  blocked_address: 'misconfigured',
  invalid_url: 'misconfigured',
  protocol_error: 'misconfigured',
}

const STATUSES: Record<number, ModelErrorKind> = {
  401: 'unauthorized',
  402: 'quota',
  403: 'unauthorized',
  404: 'not_found',
  405: 'misconfigured',
  408: 'timeout',
  413: 'context_too_small',
  429: 'rate_limited',
  501: 'misconfigured',
}

/** Texts that are more precise than the status; the first match decides. */
const TEXTS: ReadonlyArray<[RegExp, ModelErrorKind]> = [
  [/insufficient_quota|exceeded your current quota|credit balance is too low|billing/i, 'quota'],
  [/invalid.?api.?key|incorrect api key|authentication_error/i, 'unauthorized'],
  [/context.{0,10}(length|window|size)|maximum context|prompt is too long|too many tokens/i, 'context_too_small'],
  [/model.{0,60}(not found|does not exist|not loaded)|model_not_found|no models? loaded/i, 'not_found'],
  [/overloaded/i, 'overloaded'],
  [/without a finish reason/i, 'cut'],
  [/content.?(policy|filter|management)|safety system/i, 'refused'],
]

/** What is known of a failed call. `began`: the answer had started; `secret` is kept out of the log. */
export type FailedCall = { tokens: Tokens; began: boolean; secret?: string | undefined }

/** Converts an error of the SDK, the egress or the server. */
export function toModelError(error: unknown, call: FailedCall): ModelError {
  const { tokens } = call
  const { kind, detail, retryAfterMs } = explain(error, call)
  return new ModelError(kind, { detail: redacted(detail, call).slice(0, 500), retryAfterMs, tokens, cause: error })
}

type Explained = { kind: ModelErrorKind; detail: string; retryAfterMs?: number | undefined }

function explain(error: unknown, { began }: FailedCall): Explained {
  if (error instanceof ModelError) return error
  const egress = findEgressError(error)
  if (egress !== undefined) {
    const { cause, detail } = egress.failure
    const kind = detail.startsWith('the response is longer') ? 'too_long' : CAUSES[cause]
    return { kind, detail: `${cause}: ${detail}` }
  }
  const refusal = refusalOf(error)
  if (refusal !== undefined) {
    const { status, body, headers } = refusal
    return { kind: kindOfRefusal(refusal), detail: `${status} ${body}`, retryAfterMs: retryAfter(headers) }
  }
  const detail = textOf(error)
  const described = TEXTS.find(([pattern]) => pattern.test(detail))?.[1]
  return { kind: described ?? (began ? 'cut' : kindOfOther(error)), detail }
}

/** Removes keys: providers repeat a key, or parts of it, when they refuse it. */
function redacted(text: string, { secret }: FailedCall): string {
  const plain = text.replaceAll(/\b(sk|key)-[\w*.-]{4,}/gi, '[key]')
  return secret === undefined ? plain : plain.replaceAll(secret, '[key]')
}

/** The provider's refusal, if that is what the error is: an APICallError of the SDK, which all its providers throw. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number') return undefined
  // A success that could not be parsed has a status too.
  if (error.statusCode < 300) return undefined
  const body = 'responseBody' in error && typeof error.responseBody === 'string' ? error.responseBody : error.message
  const headers = 'responseHeaders' in error ? (error.responseHeaders as Record<string, string> | undefined) : undefined
  return { status: error.statusCode, body, headers: headers ?? {} }
}

function kindOfRefusal({ status, body }: Refusal): ModelErrorKind {
  const described = TEXTS.find(([pattern]) => pattern.test(body))?.[1]
  if (described !== undefined) return described
  return STATUSES[status] ?? (status >= 500 ? 'overloaded' : status >= 400 ? 'rejected' : 'misconfigured')
}

/** The kind of an error where a stream should begin: the server's own error text, or another protocol. */
function kindOfOther(error: unknown): ModelErrorKind {
  const name = error instanceof Error ? error.name : ''
  return /JSONParse|TypeValidation|APICall|InvalidResponse|EmptyResponse/.test(name) ? 'misconfigured' : 'overloaded'
}

function findEgressError(error: unknown): EgressError | undefined {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof EgressError) return one
  return undefined
}

/** Milliseconds from `retry-after-ms`, or from `retry-after` in seconds. These providers do not send it as a date. */
function retryAfter(headers: Record<string, string>): number | undefined {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (Number.isFinite(ms)) return ms
  const seconds = Number(headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds * 1_000 : undefined
}

function textOf(error: unknown): string {
  if (error instanceof Error) return `${error.name}: ${error.message}`
  return typeof error === 'string' ? error : JSON.stringify(error)
}
