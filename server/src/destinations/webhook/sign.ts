/** Signing of webhook requests: the service's own headers and those of Standard Webhooks, over the same bytes. */
import { createHmac, randomBytes } from 'node:crypto'

/** The API version that webhooks carry, a date (specification, section 9). */
const API_VERSION = '2026-11-01'

const SECRET_PREFIX = 'whsec_'

/** A new webhook secret: `whsec_` and the base64 of 32 random bytes. */
export function createWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(32).toString('base64')
}

/** A webhook secret as both signatures use it: its text as shown to the user, and the bytes that it encodes. */
export type SigningKey = { text: Uint8Array; bytes: Uint8Array }

/** Prepares a webhook secret for signing. Both have memory of their own: slices of Node's pool would retain all 64 KiB of it. */
export function signingKey(secret: string): SigningKey {
  return {
    text: new TextEncoder().encode(secret),
    bytes: new Uint8Array(Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')),
  }
}

/**
 * The headers of one attempt (specification, section 6; Standard Webhooks 1.0). `body` is exactly what is sent.
 * The service's signature is keyed with the secret's text, the Standard Webhooks one with its bytes. The timestamp is
 * fresh for each attempt, the delivery id never changes.
 */
export function signedHeaders(input: {
  key: SigningKey
  event: string
  deliveryId: string
  body: string | Uint8Array
  at: Date
}) {
  const timestamp = String(Math.floor(input.at.getTime() / 1000))
  const signature = createHmac('sha256', input.key.text).update(input.body).digest('hex')
  const standard = createHmac('sha256', input.key.bytes)
    .update(`${input.deliveryId}.${timestamp}.`)
    .update(input.body)
    .digest('base64')
  return {
    'content-type': 'application/json',
    'x-service-signature': `sha256=${signature}`,
    'x-service-timestamp': timestamp,
    'x-service-event': input.event,
    'x-service-delivery': input.deliveryId,
    'x-service-version': API_VERSION,
    'webhook-id': input.deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standard}`,
  }
}
