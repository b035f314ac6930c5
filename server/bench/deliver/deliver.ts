/**
 * Durable deliveries per second, against bare `undici` POSTs of the same bytes to the same receiver, and against job
 * queues that only POST. All sides take turns in every round; figures are medians of the rounds, the shares of bare requests too.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { webhookBody } from '../../src/destinations/webhook/body.ts'
import { signedHeaders, signingKey } from '../../src/destinations/webhook/sign.ts'
import { type BenchReceiver, runScript, startBenchReceiver } from '../support/processes.ts'
import { median, medianShare, report, table } from '../support/report.ts'
import { countDeliveries, postPayload, SECRET, seedBacklog, seedSites } from '../support/seed.ts'
import { embeddedPlace, type Place, postgresPlace } from '../support/service.ts'
import type { PostTask } from './bare.ts'
import { startRivals } from './rivals.ts'

const BODY_BYTES = 5_700
const SITES_PER_ACCOUNT = 100

type Shape = { name: string; sites: number; postsEach: number; warmUp: number }
type Side = { name: string; run(shape: Shape): Promise<number> }

/** Runs the bench: `--rounds 3`, `--deliveries 40000`, `--warm-up 20000`, `--only NAME` for one side beside the yardstick. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '3' },
      deliveries: { type: 'string', default: '40000' },
      'warm-up': { type: 'string', default: '20000' },
      only: { type: 'string' },
    },
  })
  const warmUp = Number(values['warm-up'])
  const measured = Number(values.deliveries)
  const total = warmUp + measured
  const shapes: Shape[] = [
    { name: 'To 1,000 sites', sites: 1_000, postsEach: total / 1_000, warmUp },
    { name: 'Each to another site', sites: total, postsEach: 1, warmUp },
    { name: 'To one site with 20,000 pending', sites: 1, postsEach: 20_000, warmUp: 2_000 },
  ]
  const receiver = await startBenchReceiver()
  const [postgres, embedded] = [await postgresPlace(), await embeddedPlace()]
  const { rivals, stop } = await startRivals(async () => {
    await postgres.fresh()
    return postgres.env.DATABASE_URL ?? ''
  })
  const task = { ...postTask(receiver.port), total, warmUp }
  const all: Side[] = [
    { name: 'bare undici', run: async () => (await bare(task)).perSecond },
    { name: 'Postrider on PostgreSQL, one worker', run: (shape) => deliver(postgres, receiver, shape, 1) },
    { name: 'Postrider on PostgreSQL, two workers', run: (shape) => deliver(postgres, receiver, shape, 2) },
    { name: 'Postrider on the embedded database', run: (shape) => deliver(embedded, receiver, shape, 1) },
    ...rivals.map((rival) => ({ name: rival.name, run: async () => (await rival.run(task)).perSecond })),
  ]
  const sides = all.filter(
    ({ name }) => values.only === undefined || name === 'bare undici' || name.includes(values.only),
  )

  await bare(task) // the receiver warms up
  const figures = new Map<string, number[]>()
  for (let round = 1; round <= Number(values.rounds); round += 1)
    for (const shape of shapes)
      for (const side of sides) {
        const perSecond = await side.run(shape)
        const key = `${shape.name} ${side.name}`
        figures.set(key, [...(figures.get(key) ?? []), perSecond])
        process.stderr.write(`round ${round}, ${shape.name}, ${side.name}: ${Math.round(perSecond)}/s\n`)
      }
  await report('deliver', `npm run bench -- deliver${args.map((arg) => ` ${arg}`).join('')}`, [
    METHOD,
    `Medians of ${values.rounds} rounds, in which all sides take turns; the shares are medians of each round's own.`,
    `Of ${total.toLocaleString('en-US')} deliveries each side makes ${warmUp.toLocaleString('en-US')} before the clock starts (to one site, 2,000 of 20,000): a service runs for days, and its first seconds say nothing of them.`,
    ...shapes.map((shape) => {
      const of = (name: string) => figures.get(`${shape.name} ${name}`) ?? []
      const rows = sides.map(({ name }) => [
        name,
        Math.round(median(of(name))),
        medianShare(of(name), of('bare undici')).toFixed(2),
      ])
      return `## ${shape.name}\n\n${table(['', 'per second', 'of bare'], rows)}`
    }),
  ])
  await stop()
  await postgres.close()
  await embedded.close()
  receiver.stop()
}

const METHOD = `Bodies of ${BODY_BYTES.toLocaleString('en-US')} bytes. A delivery is counted once the receiver has it and the service has it on
record: row, roll-up and lane, with fsync. All are pending before the first is sent; the clock starts with an arrival and ends with the last.
The service runs as it is installed, its log going to a pipe that is read. Rivals do only the POST, from jobs added before the clock
starts. Receiver, sender, database and the bench share the machine.`

/** What the service would send, as one request to repeat. */
function postTask(port: number): Omit<PostTask, 'total' | 'warmUp'> {
  const at = new Date()
  const payload = Buffer.from(postPayload(BODY_BYTES))
  const site = { id: '0198a2f0-0000-7000-8000-000000000000', name: 'Bench site' }
  const body = webhookBody({ kind: 'post.published', payload, previousVersion: null, occurredAt: at }, { site, at })
  const deliveryId = '0198a2f0-0000-7000-8000-000000000001'
  const headers = signedHeaders({ key: signingKey(SECRET), event: 'post.published', deliveryId, body, at })
  return { port, concurrency: 256, body: body.toString(), headers }
}

function bare(task: PostTask): Promise<{ perSecond: number }> {
  return runScript(new URL('./bare.ts', import.meta.url), task)
}

/** Deliveries per second from the first request after the warm-up to arrive until the last one. */
async function deliver(place: Place, receiver: BenchReceiver, shape: Shape, workers: number): Promise<number> {
  const url = `http://127.0.0.1:${receiver.port}/webhooks`
  await place.fresh()
  const total = await place.seed(async (ctx) => {
    const sitesEach = Math.min(shape.sites, SITES_PER_ACCOUNT)
    await seedSites(ctx, { accounts: shape.sites / sitesEach, sitesEach, urlOf: () => url })
    return seedBacklog(ctx.db.root, { postsEach: shape.postsEach, bytes: BODY_BYTES })
  })
  await receiver.reset(false, shape.warmUp)
  const role = place.name === 'postgres' ? { ROLE: 'worker' } : {}
  const services = await Promise.all(Array.from({ length: workers }, () => place.start(role)))
  let seen = await receiver.count()
  while (seen.count < total) {
    await sleep(20)
    seen = await receiver.count()
  }
  await Promise.all(services.map((service) => service.end('SIGTERM'))) // what is sent is on record before it ends
  const { delivered } = await place.seed((ctx) => countDeliveries(ctx.db.root))
  if (seen.count !== total || delivered !== total)
    throw new Error(`${total} deliveries: ${seen.count} arrived, ${delivered} on record`)
  return (total - shape.warmUp) / ((seen.lastAt - seen.firstAt) / 1_000)
}
