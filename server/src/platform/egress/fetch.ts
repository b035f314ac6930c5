/**
 * Egress in the shape of `fetch`, for libraries that bring their own protocol but not their own connections. It only POSTs,
 * and only beneath one base URL. It never follows redirects, decompresses or retries.
 */
import type { AllowPolicy } from './addresses.ts'
import type { Egress } from './egress.ts'
import { EgressError } from './failure.ts'

/** What a fetch may do. `baseUrl` without a trailing slash; `deadlineMs` for the whole of a call, its body included. */
export type FetchBounds = { baseUrl: string; allow: AllowPolicy; deadlineMs: number; maxResponseBytes: number }

/** Statuses that have no body by definition; the Response constructor refuses one for them. */
const WITHOUT_BODY = new Set([204, 205, 304])
/** The Response constructor refuses higher statuses. */
const HIGHEST_STATUS = 599

/** Makes the function. It rejects with an EgressError where `fetch` would reject; a body that is cut off ends in one. */
export function createFetch(egress: Egress, bounds: FetchBounds): typeof fetch {
  const { baseUrl, allow, deadlineMs, maxResponseBytes } = bounds
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input)
    if (!url.startsWith(`${baseUrl}/`))
      throw new EgressError('blocked_address', 'the address is not beneath the configured one')
    if (init.method !== 'POST' || typeof init.body !== 'string')
      throw new EgressError('protocol_error', 'only POST requests with a text body are allowed')
    const answer = await egress.stream({
      method: 'POST',
      url,
      headers: Object.fromEntries(new Headers(init.headers)),
      body: init.body,
      deadlineMs,
      maxResponseBytes,
      allow,
      ...(init.signal == null ? {} : { signal: init.signal }),
    })
    if (answer.kind === 'unreachable') {
      init.signal?.throwIfAborted()
      throw new EgressError(answer.cause, answer.detail)
    }
    const { status, headers, body } = answer
    if (status > HIGHEST_STATUS) {
      await body.cancel()
      throw new EgressError('protocol_error', `status ${status} is not an HTTP status`)
    }
    return new Response(WITHOUT_BODY.has(status) ? null : body, { status, headers })
  }
}
