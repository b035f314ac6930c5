/** Deliveries per second to sites that take as long to answer as sites in the world do, and what the worker holds meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type BenchReceiver, memoryMib, startBenchReceiver } from './support/processes.ts'
import { report, table } from './support/report.ts'
import { seedBacklog, seedSites } from './support/seed.ts'
import { type Place, postgresPlace } from './support/service.ts'

const SITES = 1_000
/** Each is a host of its own, since requests to one host are limited. */
const RECEIVERS = 10
const ANSWER_AFTER_MS = [0, 100, 300, 1_000, 3_000]

/** Runs the bench: `--deliveries 20000`. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { deliveries: { type: 'string', default: '20000' } } })
  const deliveries = Number(values.deliveries)
  const receivers = await Promise.all(Array.from({ length: RECEIVERS }, startBenchReceiver))
  const place = await postgresPlace()
  const rows: (string | number)[][] = []
  for (const afterMs of ANSWER_AFTER_MS) {
    const { perSecond, mib } = await measure(place, receivers, deliveries, afterMs)
    rows.push([`${afterMs} ms`, Math.round(perSecond), `${mib} MiB`])
    process.stderr.write(`answers after ${afterMs} ms: ${Math.round(perSecond)}/s\n`)
  }
  await place.close()
  for (const receiver of receivers) receiver.stop()
  await report('distance', `npm run bench -- distance${args.map((arg) => ` ${arg}`).join('')}`, [
    `One worker on PostgreSQL, ${deliveries.toLocaleString('en-US')} deliveries of 5,700 bytes pending for ${SITES.toLocaleString('en-US')} sites on ${RECEIVERS} hosts. From the first answer to the last; the
most memory that the worker had.`,
    table(['sites answer after', 'per second', 'most'], rows),
  ])
}

async function measure(place: Place, receivers: BenchReceiver[], deliveries: number, afterMs: number) {
  await place.fresh()
  await place.seed(async (ctx) => {
    const urlOf = (index: number) => `http://127.0.0.1:${receivers[index % RECEIVERS]?.port}/after/${afterMs}`
    await seedSites(ctx, { accounts: 10, sitesEach: SITES / 10, urlOf })
    await seedBacklog(ctx.db.root, { postsEach: deliveries / SITES, bytes: 5_700 })
  })
  await Promise.all(receivers.map((receiver) => receiver.reset()))
  const worker = await place.start({ ROLE: 'worker' })
  const counts = () => Promise.all(receivers.map((receiver) => receiver.count()))
  let seen = await counts()
  while (seen.reduce((sum, { count }) => sum + count, 0) < deliveries) {
    await sleep(100)
    seen = await counts()
  }
  const mib = await memoryMib(worker, 'VmHWM')
  await worker.end('SIGTERM')
  const ms = Math.max(...seen.map(({ lastAt }) => lastAt)) - Math.min(...seen.map(({ firstAt }) => firstAt))
  return { perSecond: deliveries / (ms / 1_000), mib }
}
