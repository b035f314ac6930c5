/**
 * Memory: what a worker holds while a million deliveries are pending, and whether it grows over a soak. As many deliveries as
 * arrive are published anew, so the worker is busy and its backlog as long as at first until the end.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { enqueueEvents } from '../src/engine/index.ts'
import type { Context } from '../src/platform/context.ts'
import { memoryMib, startBenchReceiver } from './support/processes.ts'
import { report, table } from './support/report.ts'
import { postOf, type SeededSite, seedBacklog, seedSites } from './support/seed.ts'
import { postgresPlace } from './support/service.ts'

const SITES = 10_000
const BYTES = 5_700

type Sample = { seconds: number; mib: number; delivered: number }

/** Runs the bench: `--pending 1000000 --minutes 10`. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { pending: { type: 'string', default: '1000000' }, minutes: { type: 'string', default: '10' } },
  })
  const pending = Number(values.pending)
  const samples = await soak(pending, Number(values.minutes))
  const most = Math.max(...samples.map(({ mib }) => mib))
  const every = Math.max(1, Math.floor(samples.length / 10))
  const shown = samples.filter((_, index) => index % every === every - 1)
  await report('memory', `npm run bench -- memory${args.map((arg) => ` ${arg}`).join('')}`, [
    `One worker on PostgreSQL with ${pending.toLocaleString('en-US')} deliveries pending for ${SITES.toLocaleString('en-US')} sites, of which a tenth never answer; as many
as arrive are published anew by another process. Resident memory of the worker.`,
    table(
      ['after', 'resident', 'delivered'],
      shown.map((one) => [`${one.seconds} s`, `${one.mib} MiB`, one.delivered]),
    ),
    `Most: ${most} MiB.`,
  ])
}

async function soak(pending: number, minutes: number): Promise<Sample[]> {
  const [receiver, silent] = [await startBenchReceiver(), await startBenchReceiver()]
  const place = await postgresPlace()
  await place.fresh()
  const samples: Sample[] = []
  await place.seed(async (ctx) => {
    const sites = await seedSites(ctx, {
      accounts: 100,
      sitesEach: SITES / 100,
      urlOf: (index) => `http://127.0.0.1:${index % 10 === 0 ? `${silent.port}/hang` : `${receiver.port}/webhooks`}`,
    })
    await seedBacklog(ctx.db.root, { postsEach: pending / SITES, bytes: BYTES })
    const service = await place.start({ ROLE: 'worker' })
    const startedAt = performance.now()
    const publish = publisher(ctx, sites)
    for (let seconds = 0; seconds < minutes * 60; ) {
      await sleep(1_000)
      const { count: delivered } = await receiver.count()
      await publish(delivered)
      const passed = Math.round((performance.now() - startedAt) / 1_000)
      if (passed < seconds + 5) continue
      seconds = passed
      const sample = { seconds, mib: await memoryMib(service, 'VmRSS'), delivered }
      samples.push(sample)
      process.stderr.write(`\r${seconds} s: ${sample.mib} MiB, ${delivered.toLocaleString('en-US')} delivered `)
    }
    process.stderr.write('\n')
    await service.end('SIGTERM')
  })
  await place.close()
  receiver.stop()
  silent.stop()
  return samples
}

/** Publishes posts, each to all sites of an account in turn, until as many deliveries were made as it is told. */
function publisher(ctx: Context, sites: readonly SeededSite[]): (deliveries: number) => Promise<void> {
  const accounts = [...Map.groupBy(sites, ({ accountId }) => accountId)]
  let made = 0
  let turn = 0
  return async (deliveries) => {
    for (; made < deliveries; turn += 1) {
      const [accountId, theirs] = accounts[turn % accounts.length] ?? ['', []]
      const postId = ctx.ids.next()
      const event = {
        accountId,
        postId,
        sequence: 1,
        kind: 'post.published',
        version: 1,
        previousVersion: null,
      } as const
      const siteIds = theirs.map(({ id }) => id)
      await ctx.db.tx((tx) => enqueueEvents(ctx, tx, [{ ...event, payload: postOf(BYTES), siteIds }], ctx.clock.now()))
      made += siteIds.length
    }
  }
}
