import { printable } from '../printable.ts'

/** Why no answer came; stored and shown in these words. */
export type FailureCause =
  | 'timeout'
  | 'dns_error'
  | 'connection_refused'
  | 'connection_reset'
  | 'tls_error'
  | 'blocked_address'
  | 'invalid_url'
  | 'protocol_error'
  | 'network_error'
  | 'aborted'

/** A failed attempt; `detail` is a short line of printable text that is safe to store and to show. */
export type Failure = { cause: FailureCause; detail: string }

/** An error whose cause is known where it arises. */
export class EgressError extends Error {
  readonly failure: Failure

  constructor(cause: FailureCause, detail: string) {
    super(detail)
    this.failure = { cause, detail }
  }
}

const DETAIL_LIMIT = 160

/**
 * Every low-level error code that is understood. Exact codes first; a trailing `*` matches by prefix. undici reports
 * several different errors as UND_ERR_SOCKET, so for that code the message is part of the key.
 */
const CAUSES: Record<string, FailureCause> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  'UND_ERR_SOCKET other side closed': 'connection_reset',
  'UND_ERR_SOCKET closed': 'connection_reset',
  'UND_ERR_SOCKET destroyed': 'connection_reset',

  ETIMEDOUT: 'timeout',
  ERR_SOCKET_CONNECTION_TIMEOUT: 'timeout',

  ENOTFOUND: 'dns_error',
  ENODATA: 'dns_error',
  'EAI_*': 'dns_error',

  EPROTO: 'tls_error',
  'ERR_SSL_*': 'tls_error',
  'ERR_TLS_*': 'tls_error',
  'CERT_*': 'tls_error',
  'CRL_*': 'tls_error',
  'UNABLE_TO_*': 'tls_error',
  'ERROR_IN_CERT_*': 'tls_error',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_error',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_error',
  HOSTNAME_MISMATCH: 'tls_error',
  INVALID_CA: 'tls_error',
  INVALID_PURPOSE: 'tls_error',
  PATH_LENGTH_EXCEEDED: 'tls_error',

  HTTPParserError: 'protocol_error',
  'HPE_*': 'protocol_error',
  UND_ERR_HEADERS_OVERFLOW: 'protocol_error',
  UND_ERR_INVALID_ARG: 'protocol_error',
  UND_ERR_NOT_SUPPORTED: 'protocol_error',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol_error',
  'UND_ERR_SOCKET bad response': 'protocol_error',
  'UND_ERR_SOCKET bad upgrade': 'protocol_error',
}

const PREFIXES = Object.entries(CAUSES).flatMap(([key, cause]) =>
  key.endsWith('*') ? [{ prefix: key.slice(0, -1), cause }] : [],
)

/** Turns whatever was thrown into a cause; what the table does not know is a `network_error`. */
export function toFailure(error: unknown): Failure {
  if (error instanceof EgressError) return error.failure
  if (error instanceof AggregateError) {
    const failures = error.errors.map(toFailure)
    return (
      failures.find((failure) => failure.cause !== 'network_error') ?? failures[0] ?? describe(error, 'network_error')
    )
  }
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : ''
  return describe(error, CAUSES[`${code} ${message}`] ?? CAUSES[code] ?? byPrefix(code) ?? 'network_error')
}

/** Printable single-line text of at most 160 characters. */
export function toDetail(text: string): string {
  return printable(text).trim().slice(0, DETAIL_LIMIT).toWellFormed()
}

function byPrefix(code: string): FailureCause | undefined {
  return PREFIXES.find(({ prefix }) => code.startsWith(prefix))?.cause
}

/** Leaves addresses out of the text: the URL's owner must not learn what an internal name resolves to. */
function describe(error: unknown, cause: FailureCause): Failure {
  const code = codeOf(error)
  const hasAddress = error instanceof Error && ('address' in error || 'hostname' in error)
  const message = error instanceof Error && !hasAddress ? error.message : ''
  const text = message === '' ? code || cause.replaceAll('_', ' ') : code === '' ? message : `${code}: ${message}`
  return { cause, detail: toDetail(text) }
}

/** The error's code, or its name if it has none (as with undici's parser errors). */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.name === 'Error' ? '' : error.name
}
