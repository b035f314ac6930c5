/** Does history slow deliveries down? The same backlog with empty tables and with millions of old deliveries in them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import type { Db } from '../src/platform/db/database.ts'
import { type BenchReceiver, startBenchReceiver } from './support/processes.ts'
import { median, medianShare, report, table } from './support/report.ts'
import { seedBacklog, seedSites } from './support/seed.ts'
import { type Place, postgresPlace } from './support/service.ts'

const SITES = 1_000
const PER_STATEMENT = 500_000

/** Runs the bench: `--old 10000000 --rounds 3`. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { old: { type: 'string', default: '10000000' }, rounds: { type: 'string', default: '3' } },
  })
  const old = Number(values.old)
  const receiver = await startBenchReceiver()
  const [empty, full] = [await postgresPlace(), await postgresPlace()]
  for (const place of [empty, full]) {
    await place.fresh()
    await place.seed((ctx) =>
      seedSites(ctx, {
        accounts: 10,
        sitesEach: SITES / 10,
        urlOf: () => `http://127.0.0.1:${receiver.port}/webhooks`,
      }),
    )
  }
  await full.seed((ctx) => seedOld(ctx.db.root, old))
  const figures: Record<'without' | 'with', number[]> = { without: [], with: [] }
  for (let round = 0; round < Number(values.rounds); round += 1) {
    figures.without.push(await drain(empty, receiver))
    figures.with.push(await drain(full, receiver))
  }
  await Promise.all([empty.close(), full.close()])
  receiver.stop()
  await report('history', `npm run bench -- history${args.map((arg) => ` ${arg}`).join('')}`, [
    `40,000 deliveries to ${SITES.toLocaleString('en-US')} sites, on PostgreSQL, with and without ${old.toLocaleString('en-US')} old deliveries in the tables; rounds take turns, medians.`,
    table(
      ['', 'per second'],
      [
        ['without history', Math.round(median(figures.without))],
        ['with it', Math.round(median(figures.with))],
      ],
    ),
    `With history: ${medianShare(figures.with, figures.without).toFixed(2)} of the rate without, as the median of each round's own.`,
  ])
}

/** Finished deliveries of a year, spread over the sites. */
async function seedOld(db: Db, count: number): Promise<void> {
  for (let from = 0; from < count; from += PER_STATEMENT) {
    await sql`
      insert into deliveries (id, account_id, site_id, post_id, event_id, sequence, status, attempts, attempts_in_round, created_at,
        finished_at, response_code, response_time_ms)
      select uuidv7(at - now()), e.account_id, e.site_id, uuidv7(), uuidv7(), 1, 'delivered', 1, 1, at, at, 200, 40
      from generate_series(${from}::int + 1, ${Math.min(count, from + PER_STATEMENT)}::int) as n
      join (select *, row_number() over (order by site_id) as k from endpoints) e on e.k = n % ${SITES} + 1
      cross join lateral (select now() - interval '1 year' + interval '1 year' * n / ${count} as at) t
    `.execute(db)
    process.stderr.write(`\r${Math.min(count, from + PER_STATEMENT).toLocaleString('en-US')} old deliveries`)
  }
  process.stderr.write('\n')
  await sql`vacuum analyze deliveries`.execute(db)
  await sql`checkpoint`.execute(db)
}

async function drain(place: Place, receiver: BenchReceiver): Promise<number> {
  const total = await place.seed(async (ctx) => {
    await sql`truncate events`.execute(ctx.db.root)
    return seedBacklog(ctx.db.root, { postsEach: 40, bytes: 5_700 })
  })
  await receiver.reset()
  const service = await place.start({ ROLE: 'worker' })
  while ((await receiver.count()).count < total) await sleep(20)
  const { firstAt, lastAt } = await receiver.count()
  await service.end('SIGTERM')
  return total / ((lastAt - firstAt) / 1_000)
}
