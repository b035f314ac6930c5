/** Headers that many answers carry: described once in the API document, and referenced elsewhere. */
import { type Endpoint, honoursIdempotencyKeys } from './endpoint.ts'

/** A header object of the API document, with the fields that this service uses. */
export type Header = {
  description: string
  /** Whether every answer that lists it carries it. */
  required?: boolean
  schema: { type: 'string' | 'integer'; format?: string; minimum?: number; enum?: string[] }
  example: string | number
}

/** The headers by name. */
export const COMMON_HEADERS = {
  'X-Request-Id': {
    description: "Identifies the request in the service's log. Quote it when you report a problem.",
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: '01a19b45-b8a1-7d30-8c51-0a3e5b7f9d21',
  },
  'Cache-Control': {
    description: '`no-store` for responses with secrets; others may be cached, but must be revalidated before use.',
    required: true,
    schema: { type: 'string' },
    example: 'private, no-cache',
  },
  'RateLimit-Limit': {
    description:
      'Requests allowed per window. A response to a request that counts against a limit has all three headers.',
    schema: { type: 'integer', minimum: 1 },
    example: 100,
  },
  'RateLimit-Remaining': {
    description: 'Requests left in this window.',
    schema: { type: 'integer', minimum: 0 },
    example: 96,
  },
  'RateLimit-Reset': {
    description: 'Seconds until the window ends.',
    schema: { type: 'integer', minimum: 1 },
    example: 2710,
  },
  'Idempotent-Replayed': {
    description: 'Present if this is the stored response to an earlier request with the same idempotency key.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'Retry-After': {
    description: 'Seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 1 },
    example: 38,
  },
} satisfies Record<string, Header>

/** The name of a common header. */
export type CommonHeader = keyof typeof COMMON_HEADERS

/** The headers of every answer. */
export const EVERYWHERE: readonly CommonHeader[] = ['X-Request-Id', 'Cache-Control']

/** The headers of answers to counted requests. */
export const RATE_LIMIT: readonly CommonHeader[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']

/** The common headers of an endpoint's successes. */
export function headersOfSuccess(one: Endpoint): CommonHeader[] {
  return [
    ...EVERYWHERE,
    ...(one.auth === null && one.buckets === undefined ? [] : RATE_LIMIT),
    ...(honoursIdempotencyKeys(one) ? (['Idempotent-Replayed'] as const) : []),
  ]
}

/** References to common headers; those in `always` are documented as required. */
export function headerObjects(names: readonly CommonHeader[], always: readonly CommonHeader[] = []) {
  return Object.fromEntries(
    names.map((name) => [
      name,
      always.includes(name) ? { ...COMMON_HEADERS[name], required: true } : { $ref: `#/components/headers/${name}` },
    ]),
  )
}
