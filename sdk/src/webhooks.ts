/**
 * Verification of webhooks with Web Crypto only, so that it runs wherever a site runs.
 *
 * The Standard Webhooks signature is checked, because it covers the delivery id and the time as well as the body: a
 * recorded request cannot be replayed later. `X-Service-Signature` covers the body alone and is there for receivers
 * that verify by hand.
 */
import type { components } from './generated/api.ts'
import { decodeBase64, importSecret, sign } from './signature.ts'

type Schemas = components['schemas']

/** A published post as webhooks carry it. */
export type WebhookPost = Schemas['PublishedPost']

/** The four kinds of events. */
export type WebhookEvent =
  | Schemas['PostPublishedEvent']
  | Schemas['PostUpdatedEvent']
  | Schemas['PostDeletedEvent']
  | Schemas['SiteTestEvent']

/** Why a request is not a genuine, fresh webhook. Answer it with `status`. */
export class WebhookVerificationError extends Error {
  readonly reason: 'missing_header' | 'bad_secret' | 'bad_signature' | 'too_old' | 'too_large' | 'malformed_body'
  /** 413 when the body is too large, otherwise 401. */
  readonly status: 401 | 413

  constructor(reason: WebhookVerificationError['reason'], message: string) {
    super(message)
    this.name = 'WebhookVerificationError'
    this.reason = reason
    this.status = reason === 'too_large' ? 413 : 401
  }
}

/** Headers as in `fetch`, or as in Node and others, with names in any case. */
export type IncomingHeaders = Pick<Headers, 'get'> | Record<string, string | string[] | undefined>

/**
 * A body exactly as received: the stream of its bytes, which is `request.body` of a `Request` and Node's request itself, or its bytes
 * or its text.
 */
export type RawBody = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Uint8Array | string | null

/** What to verify. */
export type VerifyOptions = {
  body: RawBody
  headers: IncomingHeaders
  /** The site's `webhook_secret`, prefix included. */
  secret: string
  /** How far the request's time may be from now, in seconds. Default 300. */
  toleranceSeconds?: number
  /** The most bytes that a stream may have. Default 8 MiB, more than any webhook needs. */
  maxBytes?: number
  /** The current time in milliseconds; default: the system's. */
  now?: number
}

/** A verified webhook: the event, the id that stays the same when the delivery is retried, and when it was sent, in seconds since 1970. */
export type VerifiedWebhook = { deliveryId: string; event: WebhookEvent; sentAt: number }

const LARGEST_BODY = 8 * 1024 * 1024
const FIRST_BYTES = 16 * 1024

/** Verifies a webhook and parses it. Throws WebhookVerificationError, or what the stream throws when the connection is lost. */
export async function verifyWebhook({
  body,
  headers,
  secret,
  toleranceSeconds = 300,
  maxBytes = LARGEST_BODY,
  now = Date.now(),
}: VerifyOptions): Promise<VerifiedWebhook> {
  // Read before anything is refused, because a server may not get an answer through while the request is on its way.
  const bytes = await bytesOf(body, maxBytes)
  const deliveryId = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const signatures = readHeader(headers, 'webhook-signature')
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      'too_old',
      `The header webhook-timestamp is not within ${toleranceSeconds} seconds of now. Check this server's clock.`,
    )
  }
  const key = await importSecret(secret)
  if (key === undefined)
    throw new WebhookVerificationError('bad_secret', 'The secret is not a webhook_secret (whsec_…).')
  if (!anyMatches(await sign(key, deliveryId, timestamp, bytes), signatures)) {
    throw new WebhookVerificationError(
      'bad_signature',
      'The signature does not match. The connection code (or webhook_secret) is an old one or another site’s, or the body is not the raw one.',
    )
  }
  return { deliveryId, event: parseEvent(bytes), sentAt: Number(timestamp) }
}

function readHeader(headers: IncomingHeaders, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : find(headers, name)
  const first = Array.isArray(value) ? value[0] : value
  if (first == null || first === '')
    throw new WebhookVerificationError('missing_header', `The header ${name} is missing.`)
  return first
}

/** Checks for the method, not the class: a runtime may have several `Headers` classes. */
function isHeaders(headers: IncomingHeaders): headers is Pick<Headers, 'get'> {
  return typeof headers.get === 'function'
}

function find(headers: Record<string, string | string[] | undefined>, name: string): string | string[] | undefined {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
}

async function bytesOf(body: RawBody, maxBytes: number): Promise<Uint8Array> {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (ArrayBuffer.isView(body)) return body
  // Frameworks type the body as `any`: it is undefined when the request has none, and an object when something has parsed it.
  if (typeof body !== 'object' || body === null || !('getReader' in body || Symbol.asyncIterator in body)) {
    throw new WebhookVerificationError(
      'malformed_body',
      'The body is not raw. Pass its stream, its bytes or its text, before anything parses it.',
    )
  }
  const source = 'getReader' in body ? body.getReader() : body[Symbol.asyncIterator]()
  return readAll(() => ('read' in source ? source.read() : source.next()), maxBytes)
}

type Next = () => Promise<{ done?: boolean | undefined; value?: Uint8Array | undefined }>

/** The pieces are copied together as they come: each takes hundreds of bytes of its own, and a client may send a body byte by byte. */
async function readAll(next: Next, maxBytes: number): Promise<Uint8Array> {
  let bytes = new Uint8Array(FIRST_BYTES)
  let size = 0
  for (let { value } = await next(); value !== undefined; { value } = await next()) {
    const end = size + value.length
    if (end > maxBytes) {
      discard(next)
      throw new WebhookVerificationError('too_large', `The body is larger than ${maxBytes} bytes.`)
    }
    if (end > bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * bytes.length))
      larger.set(bytes.subarray(0, size))
      bytes = larger
    }
    bytes.set(value, size)
    size = end
  }
  return bytes.subarray(0, size)
}

/** Reads the rest while the answer is on its way. Cancelled instead, the stream would end the connection, and the answer with it. */
async function discard(next: Next): Promise<void> {
  try {
    while (!(await next()).done);
  } catch {
    // The connection was lost, and nobody waits for the rest.
  }
}

/**
 * Whether one of the signatures in the header, which are separated by spaces, is right; `v1` is the current scheme. There may be
 * thousands, as whoever sends the request likes, so the body is hashed once for all of them.
 */
function anyMatches(expected: Uint8Array, header: string): boolean {
  return header.split(' ').some((entry) => {
    const signature = entry.startsWith('v1,') ? decodeBase64(entry.slice('v1,'.length)) : undefined
    return signature !== undefined && isEqual(signature, expected)
  })
}

/** Looks at every byte, so that the time it takes does not tell where the first difference is. */
function isEqual(given: Uint8Array, expected: Uint8Array): boolean {
  let difference = given.length ^ expected.length
  for (const [index, byte] of expected.entries()) difference |= byte ^ (given[index] ?? 0)
  return difference === 0
}

function parseEvent(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent // the signature proves that the service wrote it
  } catch {
    throw new WebhookVerificationError('malformed_body', 'The body is not JSON.')
  }
}
