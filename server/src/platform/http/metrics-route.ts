import { createHash, timingSafeEqual } from 'node:crypto'
import { unauthorized } from '../errors.ts'
import type { Metrics } from '../metrics.ts'
import type { SystemRoute } from './pipeline.ts'

/**
 * GET /metrics for whoever presents the operator's token. Without one there is no such route: behind a proxy on the same
 * machine the whole world seems to come from loopback, so an address proves nothing.
 */
export function metricsRoutes(metrics: Metrics, token: string | undefined): SystemRoute[] {
  if (token === undefined) return []
  const expected = digest(`Bearer ${token}`)
  metrics.addProcess()
  return [
    {
      path: '/metrics',
      async answer(request) {
        if (!timingSafeEqual(digest(request.headers.get('authorization') ?? ''), expected))
          throw unauthorized('Bearer', 'Send the METRICS_TOKEN of the configuration as bearer token.')
        const { text, contentType } = await metrics.expose()
        return new Response(text, { headers: { 'Content-Type': contentType } })
      },
    },
  ]
}

/** Of one length, so that comparing tells nothing. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
