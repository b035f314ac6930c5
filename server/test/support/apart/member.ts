/**
 * The entry of one process of a service that runs in several: does what `serve` does, but with the test's clock, without
 * name resolution, and with loops that run on order. The test talks to it over the channel that `fork` opens. Once its service
 * has stopped, it can take part in another.
 */
import { flushCompileCache } from 'node:module'
import { createApp } from '../../../src/app.ts'
import { parseConfig } from '../../../src/platform/config.ts'
import { WITHOUT_PAUSES } from '../clock.ts'
import { recordingLog } from '../log.ts'
import { unknownName } from '../names.ts'
import type { FromMember, Order, Part, ToMember } from './members.ts'
import { followSharedClock } from './shared-clock.ts'

type Orders = Record<Order, () => Promise<unknown>>

const tell = (message: FromMember) => void process.send?.(message)

/** Takes part in a service. Resolves with what to do on each order. */
async function takePart({ env, clockFile, overrides }: Part): Promise<Orders> {
  let hasStopped = false
  const app = await createApp(parseConfig(env), {
    clock: followSharedClock(clockFile),
    log: recordingLog((line) => hasStopped || tell({ line })),
    lookup: unknownName,
    limits: WITHOUT_PAUSES,
    ...overrides,
  })
  tell({ port: (await app.listen()).port })
  return {
    drain: app.drain,
    report: async () => {},
    async stop() {
      await app.stop(1_000)
      hasStopped = true
    },
  }
}

let orders: Orders | undefined

process.on('message', async (message: ToMember) => {
  if ('part' in message) {
    orders = await takePart(message.part)
    // Now, because this process will be killed; with its compiled code, the next one starts in half the time.
    flushCompileCache()
    return
  }
  // The answer follows everything that was logged before it.
  const problem = await orders?.[message.order]().then(
    () => undefined,
    (error) => (error instanceof Error ? (error.stack ?? error.message) : String(error)),
  )
  tell({ done: message.number, problem })
})
// The test has ended, whether in an orderly way or not.
process.on('disconnect', () => process.exit())
