/** Many posts due in the same second: when the last first attempt came, whether each came once, and how long requests took meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { PostriderClient } from '@postrider/sdk'
import { accountId, connect, loggedIn, registered, seedScheduled } from './support/account.ts'
import { startBenchReceiver, wallNow } from './support/processes.ts'
import { percentile, report, table } from './support/report.ts'
import { embeddedPlace, type Place, postgresPlace } from './support/service.ts'

const SITES = 5
const REQUESTS_PER_SECOND = 50

type Outcome = { lastMs: number; repeated: number; missing: number; requests: number[] }

/** Runs the bench: `--posts 10000`. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { posts: { type: 'string', default: '10000' }, embedded: { type: 'boolean', default: false } },
  })
  const place = values.embedded ? await embeddedPlace() : await postgresPlace()
  const outcome = await measure(place, Number(values.posts))
  await place.close()
  const ms = (share: number) => percentile(outcome.requests, share).toFixed(0)
  await report(
    `due${values.embedded ? '-embedded' : ''}`,
    `npm run bench -- due${args.map((arg) => ` ${arg}`).join('')}`,
    [
      `${Number(values.posts).toLocaleString('en-US')} posts of one account, due in the same second, to ${SITES} sites each, on ${place.name}; meanwhile
${REQUESTS_PER_SECOND} requests a second (a list of posts, one post, a new draft, in turn).`,
      table(
        ['last first attempt after', 'came twice', 'missing', 'requests', 'p50', 'p99', 'longest'],
        [
          [
            `${(outcome.lastMs / 1000).toFixed(1)} s`,
            outcome.repeated,
            outcome.missing,
            outcome.requests.length,
            ...[0.5, 0.99, 1].map((share) => `${ms(share)} ms`),
          ],
        ],
      ),
    ],
  )
}

async function measure(place: Place, posts: number): Promise<Outcome> {
  const receiver = await startBenchReceiver()
  const email = 'due@example.com'
  await place.fresh()
  let service = await place.start()
  const client = await registered(service, email)
  await connect(client, SITES, (index) => `http://127.0.0.1:${receiver.port}/${index}`)
  await service.end('SIGTERM')
  const at = new Date(Date.now() + 15_000)
  await place.seed(async (ctx) =>
    seedScheduled(ctx, { account: await accountId(ctx.db.root, email), count: posts, at, bytes: 5_000 }),
  )
  service = await place.start()
  await receiver.reset(true)
  const again = await loggedIn(service, email)
  if (Date.now() > at.getTime()) throw new Error('seeding took longer than planned')
  await sleep(at.getTime() - Date.now())
  const requests: number[] = []
  const asking = new AbortController()
  const asked = ask(again, requests, asking.signal)
  const expected = posts * SITES
  const deadline = Date.now() + 120_000
  while ((await receiver.count()).count < expected && Date.now() < deadline) await sleep(100)
  asking.abort()
  await asked
  await sleep(1_000)
  const arrivals = await receiver.arrivals()
  await service.end('SIGTERM')
  receiver.stop()
  const ids = new Set(arrivals.map(([id]) => id))
  return {
    lastMs: Math.max(...arrivals.map(([, , arrivedAt]) => arrivedAt)) - at.getTime(),
    repeated: arrivals.length - ids.size,
    missing: expected - ids.size,
    requests,
  }
}

/** Sends requests at a steady rate, whether or not earlier ones are answered; adds their times in milliseconds to `times`. */
async function ask(client: PostriderClient, times: number[], until: AbortSignal): Promise<void> {
  const post = await client.posts.create({ title: 'Asked for' })
  const kinds = [
    () => client.posts.list({ limit: 20 }),
    () => client.posts.get(post.id),
    () => client.posts.create({ title: 'A draft', body: { markdown: 'Some **text**.' } }),
  ]
  const open: Promise<void>[] = []
  for (let count = 0; !until.aborted; count += 1) {
    const from = wallNow()
    const request = kinds[count % kinds.length]
    if (request !== undefined) open.push(request().then(() => void times.push(wallNow() - from)))
    await sleep(1_000 / REQUESTS_PER_SECOND)
  }
  await Promise.all(open)
}
