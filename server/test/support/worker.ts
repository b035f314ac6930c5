import { randomUUID } from 'node:crypto'
import { createChannels } from '../../src/destinations/index.ts'
import { type AttemptMaker, Dispatcher, type Limits } from '../../src/engine/dispatcher.ts'
import type { Context } from '../../src/platform/context.ts'
import { WITHOUT_PAUSES } from './clock.ts'

/** A worker beside the service's own; `workerId` says under which id it works, if it does. */
export function workerOf(
  ctx: Context,
  limits: Partial<Limits> = {},
  workerId: () => string | undefined = always(randomUUID()),
  channels: AttemptMaker = createChannels(ctx),
): Dispatcher {
  return new Dispatcher(
    ctx,
    channels,
    workerId,
    { onReleased: () => {}, onOutcomes: async () => {}, onLiveUrls: async () => {} },
    { ...WITHOUT_PAUSES, ...limits },
  )
}

function always<T>(value: T): () => T {
  return () => value
}
