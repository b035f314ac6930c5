import { createHash, timingSafeEqual } from 'node:crypto'
import { unauthorized } from '../errors.ts'
import type { Metrics } from '../metrics.ts'
import type { SystemRoute } from './pipeline.ts'

/**
 * GET /metrics, for requests with the operator's token. If none is configured, there is no such route: behind a proxy on the
 * same machine every request comes from loopback, so an address proves nothing.
 */
export function metricsRoutes(metrics: Metrics, token: string | undefined): SystemRoute[] {
  if (token === undefined) return []
  const expected = digest(`Bearer ${token}`)
  metrics.addProcess()
  return [
    {
      path: '/metrics',
      async answer({ header }) {
        if (!timingSafeEqual(digest(header('authorization') ?? ''), expected))
          throw unauthorized('Bearer', 'Send the configured METRICS_TOKEN as a bearer token.')
        const { text, contentType } = await metrics.expose()
        return { status: 200, content: text, headers: { 'Content-Type': contentType } }
      },
    },
  ]
}

/** Digests have one length, so that comparing them reveals nothing. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
