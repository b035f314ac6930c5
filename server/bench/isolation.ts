/**
 * Isolation: how soon healthy sites get their first attempt: alone; beside a thousand hanging sites and one site that has a hundred
 * thousand deliveries pending; beside a thousand sites that refuse connections; and beside an account that sends large posts to
 * thousands of slow sites.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { connect, registered } from './support/account.ts'
import { startBenchReceiver, wallNow } from './support/processes.ts'
import { percentile, report, table } from './support/report.ts'
import { postPayload, seedBacklog, seedSites } from './support/seed.ts'
import { postgresPlace } from './support/service.ts'

const HEALTHY = 100
const HANGING = 1_000
const REFUSING = 1_000
const PENDING_EACH = 20
/** Nobody listens on the discard port. */
const DISCARD = 9
const BACKLOG = 100_000
const PUBLISH_EVERY_MS = 500
const LARGE = { sites: 3_000, posts: 10, bytes: 400_000, answerMs: 1_000 }
/** How long hanging sites have to be found out: until a site has hung once, it counts as healthy. */
const SETTLE_MS = 20_000

/** Runs the bench: `--seconds 60`. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { seconds: { type: 'string', default: '60' } } })
  const publishes = (Number(values.seconds) * 1_000) / PUBLISH_EVERY_MS
  const alone = await measure(publishes, async () => {})
  const hanging = await measure(publishes, seedHanging)
  const refusing = await measure(publishes, seedRefusing)
  const large = await measure(publishes, seedLarge)
  const row = (name: string, { times }: Measured) => [
    name,
    times.length,
    ...[0.5, 0.99, 1].map((share) => `${percentile(times, share).toFixed(1)} ms`),
    `${(percentile(times, 0.99) / percentile(alone.times, 0.99)).toFixed(2)} ×`,
  ]
  const number = (value: number) => value.toLocaleString('en-US')
  await report('isolation', `npm run bench -- isolation${args.map((arg) => ` ${arg}`).join('')}`, [
    `A post to ${HEALTHY} healthy sites every ${PUBLISH_EVERY_MS} ms, on PostgreSQL. Time from the answer to the publish until the first attempt
arrives; ${SETTLE_MS / 1_000} s after the start. Then the same beside ${number(HANGING)} sites that never answer, ${PENDING_EACH} deliveries pending for each, and one site
with ${number(BACKLOG)} pending; beside ${number(REFUSING)} sites that refuse connections, ${PENDING_EACH} deliveries pending for each; and beside ${number(LARGE.sites)} sites that answer after ${number(LARGE.answerMs)} ms, with ${LARGE.posts} posts of ${LARGE.bytes / 1_000} kB pending for each.`,
    table(
      ['', 'first attempts', 'p50', 'p99', 'longest', 'p99, in values of that alone'],
      [
        row('alone', alone),
        row('beside the hanging and the backlog', hanging),
        row('beside the refusing', refusing),
        row('beside the large posts', large),
      ],
    ),
    `Delivered meanwhile: ${number(hanging.others)} of the backlog, ${number(large.others)} large posts.`,
  ])
}

type Ctx = Parameters<typeof seedSites>[0]
/** Puts others beside the healthy sites. `base`: the receiver of these; `other`: one apart. */
type Seed = (ctx: Ctx, receivers: { base: string; other: string }) => Promise<void>

async function seedHanging(ctx: Ctx, { base, other }: { base: string; other: string }): Promise<void> {
  await seedSites(ctx, { accounts: 10, sitesEach: HANGING / 10, urlOf: (index) => `${other}/hang/${index}` })
  await seedBacklog(ctx.db.root, { postsEach: PENDING_EACH, bytes: 5_700 })
  const [site] = await seedSites(ctx, { accounts: 1, sitesEach: 1, urlOf: () => `${base}/others` })
  await sql`
    with happened as (
      insert into events (id, account_id, post_id, sequence, kind, occurred_at, payload, payload_bytes)
      select uuidv7(), ${site?.accountId}::uuid, uuidv7(), 1, 'post.published', now(), payload, octet_length(payload)
      from generate_series(1, ${BACKLOG}::int) cross join (select ${postPayload(1_000)}::text as payload) as post
      returning id, account_id, post_id
    )
    insert into deliveries (id, account_id, site_id, post_id, event_id, sequence, status, next_attempt_at, created_at)
    select uuidv7(), account_id, ${site?.id}::uuid, post_id, id, 1, 'pending', now(), now() from happened
  `.execute(ctx.db.root)
  await sql`update lanes set due_at = now()`.execute(ctx.db.root)
}

async function seedRefusing(ctx: Ctx): Promise<void> {
  await seedSites(ctx, {
    accounts: 10,
    sitesEach: REFUSING / 10,
    urlOf: (index) => `http://127.0.0.1:${DISCARD}/${index}`,
  })
  await seedBacklog(ctx.db.root, { postsEach: PENDING_EACH, bytes: 5_700 })
}

async function seedLarge(ctx: Ctx, { other }: { base: string; other: string }): Promise<void> {
  await seedSites(ctx, { accounts: 1, sitesEach: LARGE.sites, urlOf: () => `${other}/after/${LARGE.answerMs}` })
  await seedBacklog(ctx.db.root, { postsEach: LARGE.posts, bytes: LARGE.bytes })
}

/** How long first attempts at healthy sites took, and how many deliveries came to the other sites meanwhile. */
type Measured = { times: number[]; others: number }

async function measure(publishes: number, seed: Seed): Promise<Measured> {
  const [receiver, other] = [await startBenchReceiver(), await startBenchReceiver()]
  const base = `http://127.0.0.1:${receiver.port}`
  const place = await postgresPlace()
  await place.fresh()
  await place.seed((ctx) => seed(ctx, { base, other: `http://127.0.0.1:${other.port}` }))
  const service = await place.start()
  const client = await registered(service, 'healthy@example.com')
  await connect(client, HEALTHY, (index) => `${base}/healthy/${index}`)
  await sleep(SETTLE_MS)
  await receiver.reset(true)
  await other.reset()
  const publishedAt: number[] = []
  for (let count = 0; count < publishes; count += 1) {
    await client.posts.create({ title: `Post ${count}`, body: { markdown: 'Some **text**.' }, status: 'published' })
    publishedAt.push(wallNow())
    await sleep(PUBLISH_EVERY_MS)
  }
  await sleep(3_000)
  const arrivals = await receiver.arrivals()
  const { count } = await other.count()
  await service.end('SIGTERM')
  await place.close()
  receiver.stop()
  other.stop()
  const healthy = arrivals.filter(([, path]) => path.startsWith('/healthy'))
  if (healthy.length < publishes * HEALTHY)
    throw new Error(`${healthy.length} of ${publishes * HEALTHY} first attempts came`)
  return {
    times: sinceLatest(
      healthy.map(([, , at]) => at),
      publishedAt,
    ),
    others: count + arrivals.filter(([, path]) => path === '/others').length,
  }
}

/** For each arrival, the time since the publish before it; each publish is followed by one arrival per healthy site. */
function sinceLatest(arrivals: number[], publishedAt: readonly number[]): number[] {
  const sorted = arrivals.toSorted((a, b) => a - b)
  return sorted.map((at, index) => at - (publishedAt[Math.floor(index / HEALTHY)] ?? at))
}
