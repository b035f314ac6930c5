import type { Egress } from '../egress/egress.ts'
import type { Log } from '../log.ts'
import type { TraceConfig } from './trace-config.ts'
import { noTraces, type Traces } from './traces.ts'

/** Traces for the configured collector; without one, the library is not loaded: it takes memory and time. */
export async function createTraces(
  config: TraceConfig | undefined,
  parts: { egress: Egress; log: Log; version: string },
): Promise<Traces> {
  if (config === undefined) return noTraces
  const { createOtlpTraces } = await import('./otlp.ts')
  return createOtlpTraces(config, parts)
}
