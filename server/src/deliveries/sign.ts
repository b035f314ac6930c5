/** Signing of webhook requests: the service's own headers and those of Standard Webhooks, over the same bytes. */
import { createHmac, randomBytes } from 'node:crypto'

/** The API version that webhooks carry, a date (specification, section 9). */
const API_VERSION = '2026-11-01'

const SECRET_PREFIX = 'whsec_'

/** A new webhook secret: `whsec_` and the base64 of 32 random bytes. */
export function createWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(32).toString('base64')
}

/**
 * The headers of one attempt (specification, section 6; Standard Webhooks 1.0). `body` is exactly what is sent.
 * The service's signature is keyed with the secret's text as shown to the user, the Standard Webhooks one with the
 * bytes it encodes. The timestamp is fresh for each attempt, the delivery id never changes.
 */
export function signedHeaders(input: {
  secret: string
  event: string
  deliveryId: string
  body: string
  at: Date
}): Record<string, string> {
  const timestamp = String(Math.floor(input.at.getTime() / 1000))
  const signature = createHmac('sha256', input.secret).update(input.body).digest('hex')
  const standard = createHmac('sha256', Buffer.from(input.secret.slice(SECRET_PREFIX.length), 'base64'))
    .update(`${input.deliveryId}.${timestamp}.${input.body}`)
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
