/** Memory: what a worker holds while a million deliveries are pending, and whether it grows over a soak. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { memoryMib, startBenchReceiver } from './support/processes.ts'
import { report, table } from './support/report.ts'
import { seedBacklog, seedSites } from './support/seed.ts'
import { postgresPlace } from './support/service.ts'

const SITES = 10_000

/** Runs the bench: `--pending 1000000 --minutes 10`. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { pending: { type: 'string', default: '1000000' }, minutes: { type: 'string', default: '10' } },
  })
  const pending = Number(values.pending)
  const [receiver, silent] = [await startBenchReceiver(), await startBenchReceiver()]
  const place = await postgresPlace()
  await place.fresh()
  await place.seed(async (ctx) => {
    await seedSites(ctx, {
      accounts: 100,
      sitesEach: SITES / 100,
      urlOf: (index) => `http://127.0.0.1:${index % 10 === 0 ? `${silent.port}/hang` : `${receiver.port}/webhooks`}`,
    })
    await seedBacklog(ctx.db.root, { postsEach: pending / SITES, bytes: 5_700 })
  })
  const service = await place.start({ ROLE: 'worker' })
  const samples: Array<{ seconds: number; mib: number; delivered: number }> = []
  const startedAt = performance.now()
  const until = startedAt + Number(values.minutes) * 60_000
  while (performance.now() < until) {
    await sleep(5_000)
    const sample = {
      seconds: Math.round((performance.now() - startedAt) / 1_000),
      mib: await memoryMib(service, 'VmRSS'),
      delivered: (await receiver.count()).count,
    }
    samples.push(sample)
    process.stderr.write(
      `\r${sample.seconds} s: ${sample.mib} MiB, ${sample.delivered.toLocaleString('en-US')} delivered `,
    )
  }
  process.stderr.write('\n')
  await service.end('SIGTERM')
  await place.close()
  receiver.stop()
  silent.stop()
  const most = Math.max(...samples.map(({ mib }) => mib))
  const every = Math.max(1, Math.floor(samples.length / 10))
  const shown = samples.filter((_, index) => index % every === every - 1)
  await report('memory', `npm run bench -- memory${args.map((arg) => ` ${arg}`).join('')}`, [
    `One worker on PostgreSQL with ${pending.toLocaleString('en-US')} deliveries pending for ${SITES.toLocaleString('en-US')} sites, of which a tenth never answer. Resident memory of the process.`,
    table(
      ['after', 'resident', 'delivered'],
      shown.map((one) => [`${one.seconds} s`, `${one.mib} MiB`, one.delivered]),
    ),
    `Most: ${most} MiB.`,
  ])
}
