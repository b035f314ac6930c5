import { Dispatcher, type Limits } from '../../src/deliveries/dispatcher.ts'
import type { Context } from '../../src/platform/context.ts'
import { WITHOUT_PAUSES } from './clock.ts'

/** A worker beside the service's own. */
export function workerOf(ctx: Context, limits: Partial<Limits> = {}): Dispatcher {
  return new Dispatcher(ctx, () => {}, { ...WITHOUT_PAUSES, ...limits })
}
