import { randomUUID } from 'node:crypto'
import { attemptDelivery } from '../../src/deliveries/attempt.ts'
import { Dispatcher, type Limits } from '../../src/engine/dispatcher.ts'
import type { Context } from '../../src/platform/context.ts'
import { WITHOUT_PAUSES } from './clock.ts'

/** A worker beside the service's own; `workerId` says under which id it works, if it does. */
export function workerOf(
  ctx: Context,
  limits: Partial<Limits> = {},
  workerId: () => string | undefined = always(randomUUID()),
): Dispatcher {
  const attempt = (...[one, signal]: Parameters<ConstructorParameters<typeof Dispatcher>[1]['attempt']>) =>
    attemptDelivery(ctx, one, signal)
  return new Dispatcher(ctx, { attempt, workerId }, () => {}, { ...WITHOUT_PAUSES, ...limits })
}

function always<T>(value: T): () => T {
  return () => value
}
