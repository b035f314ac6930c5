/**
 * The entry of one process of a service that runs in several: does what `serve` does, but with the test's clock, without
 * name resolution, and with loops that run on order. The test talks to it over the channel that `fork` opens.
 */
import { flushCompileCache } from 'node:module'
import { createApp } from '../../../src/app.ts'
import { parseConfig } from '../../../src/platform/config.ts'
import { WITHOUT_PAUSES } from '../clock.ts'
import { recordingLog } from '../log.ts'
import { unknownName } from '../names.ts'
import type { MemberMessage, Order } from './members.ts'
import { followSharedClock } from './shared-clock.ts'

const tell = (message: MemberMessage) => void process.send?.(message)

const app = await createApp(parseConfig(process.env), {
  clock: followSharedClock(process.env.TEST_CLOCK ?? ''),
  log: recordingLog((line) => tell({ line })),
  lookup: unknownName,
  limits: WITHOUT_PAUSES,
  ...JSON.parse(process.env.TEST_OVERRIDES ?? '{}'),
})

/** What to do on each order; the answer follows everything that was logged before it. */
const orders: Record<Order, () => Promise<unknown>> = {
  drain: app.drain,
  report: async () => {},
  stop: () => app.stop(1_000),
}

process.on('message', async ({ order, number }: { order: Order; number: number }) => {
  const problem = await orders[order]().then(
    () => undefined,
    (error) => (error instanceof Error ? (error.stack ?? error.message) : String(error)),
  )
  tell({ done: number, problem })
})
// The test has ended, whether in an orderly way or not.
process.on('disconnect', () => process.exit())

tell({ port: (await app.listen()).port })
// Now, because this process will be killed; with its compiled code, the next one starts in half the time.
flushCompileCache()
