/**
 * Verification of webhooks with Web Crypto only, so that it runs wherever a site runs.
 *
 * The Standard Webhooks signature is checked, because it covers the delivery id and the time as well as the body: a
 * recorded request cannot be replayed later. `X-Service-Signature` covers the body alone and is there for receivers
 * that verify by hand.
 */
import type { components } from './generated/api.ts'

type Schemas = components['schemas']

/** A published post as webhooks carry it. */
export type WebhookPost = Schemas['PublishedPost']

/** The four kinds of events. */
export type WebhookEvent =
  | Schemas['PostPublishedEvent']
  | Schemas['PostUpdatedEvent']
  | Schemas['PostDeletedEvent']
  | Schemas['SiteTestEvent']

/** Why a request is not a genuine, fresh webhook. Answer it with 401. */
export class WebhookVerificationError extends Error {
  readonly reason: 'missing_header' | 'bad_secret' | 'bad_signature' | 'too_old' | 'malformed_body'

  constructor(reason: WebhookVerificationError['reason'], message: string) {
    super(message)
    this.name = 'WebhookVerificationError'
    this.reason = reason
  }
}

/** Headers as in `fetch`, or as in Node and others, with names in any case. */
export type IncomingHeaders = Pick<Headers, 'get'> | Record<string, string | string[] | undefined>

/** What to verify. `body` is the raw body, exactly as received. */
export type VerifyOptions = {
  body: string | Uint8Array
  headers: IncomingHeaders
  /** The site's `webhook_secret`, prefix included. */
  secret: string
  /** How far the request's time may be from now, in seconds. Default 300. */
  toleranceSeconds?: number
  /** The current time in milliseconds; default: the system's. */
  now?: number
}

/** A verified webhook: the event, and the id that stays the same when the delivery is retried. */
export type VerifiedWebhook = { deliveryId: string; event: WebhookEvent }

/** Verifies a webhook and parses it. Throws WebhookVerificationError. */
export async function verifyWebhook({
  body,
  headers,
  secret,
  toleranceSeconds = 300,
  now = Date.now(),
}: VerifyOptions): Promise<VerifiedWebhook> {
  const deliveryId = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const signatures = readHeader(headers, 'webhook-signature')
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      'too_old',
      `The request was signed more than ${toleranceSeconds} seconds away from now.`,
    )
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  // Frameworks type the body as `any`: it is undefined when the request has none, and an object when something has parsed it.
  if (!ArrayBuffer.isView(bytes)) {
    throw new WebhookVerificationError(
      'malformed_body',
      'The body is not raw. Pass its bytes or its text, before anything parses it.',
    )
  }
  const key = await importSecret(secret)
  const signed = join(new TextEncoder().encode(`${deliveryId}.${timestamp}.`), bytes)
  if (!(await anyVerifies(key, signatures, signed))) {
    throw new WebhookVerificationError(
      'bad_signature',
      'The signature does not match. Use the raw body and the current webhook_secret.',
    )
  }
  return { deliveryId, event: parseEvent(bytes) }
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

async function importSecret(secret: string): Promise<CryptoKey> {
  const raw = decodeBase64(secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret)
  if (raw === undefined || raw.length === 0)
    throw new WebhookVerificationError('bad_secret', 'The secret is not a webhook_secret (whsec_…).')
  return crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** The header may list several signatures, separated by spaces; `v1` is the current scheme. */
async function anyVerifies(key: CryptoKey, header: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  for (const entry of header.split(' ')) {
    const signature = entry.startsWith('v1,') ? decodeBase64(entry.slice(3)) : undefined
    if (signature !== undefined && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true
  }
  return false
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function join(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + tail.length)
  whole.set(head)
  whole.set(tail, head.length)
  return whole
}

function parseEvent(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent // the signature proves that the service wrote it
  } catch {
    throw new WebhookVerificationError('malformed_body', 'The body is not JSON.')
  }
}
