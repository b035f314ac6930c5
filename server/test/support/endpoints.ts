import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Context } from '../../src/platform/context.ts'
import type { Endpoint } from '../../src/platform/http/endpoint.ts'
import { createListener } from '../../src/platform/http/listener.ts'
import { createPipeline } from '../../src/platform/http/pipeline.ts'

/** Serves these endpoints until the end of the test; resolves with the port. */
export async function serveEndpoints(ctx: Context, endpoints: readonly Endpoint[]): Promise<number> {
  const server = createListener(ctx, createPipeline(ctx, endpoints, []))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // it listens on TCP
  return port
}
