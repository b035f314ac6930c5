/** Publish to first byte: from when a client sends the publish until the webhook's request reaches the receiver, on an idle service. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { connect, registered } from './support/account.ts'
import { type BenchReceiver, startBenchReceiver, wallNow } from './support/processes.ts'
import { percentile, report, table } from './support/report.ts'
import { embeddedPlace, type Place, postgresPlace } from './support/service.ts'

const PAUSE_MS = 50

/** Runs the bench: `--publishes 300`. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { publishes: { type: 'string', default: '300' } } })
  const receiver = await startBenchReceiver()
  const rows: Array<Array<string | number>> = []
  for (const place of [await postgresPlace(), await embeddedPlace()]) {
    const { times, plain } = await measure(place, receiver, Number(values.publishes))
    rows.push(row(place.name, times), row(`${place.name}: GET /healthz`, plain))
    await place.close()
  }
  receiver.stop()
  await report('latency', `npm run bench -- latency${args.map((arg) => ` ${arg}`).join('')}`, [
    `${values.publishes} publishes of a new post, one after the other with ${PAUSE_MS} ms between them, to one site. Milliseconds from sending the
publish request to the arrival of the webhook's request at the receiver. For comparison, from sending a GET to the service, which it answers
without its database, to the answer: what being idle costs on this machine.`,
    table(['', 'p50', 'p90', 'p99', 'longest'], rows),
  ])
}

function row(name: string, times: number[]): Array<string> {
  return [name, ...[0.5, 0.9, 0.99, 1].map((share) => percentile(times, share).toFixed(1))]
}

type Measured = { times: number[]; plain: number[] }

async function measure(place: Place, receiver: BenchReceiver, publishes: number): Promise<Measured> {
  await place.fresh()
  const service = await place.start()
  const client = await registered(service, 'latency@example.com')
  await connect(client, 1, () => `http://127.0.0.1:${receiver.port}/webhooks`)
  const warmUp = 50
  const times: number[] = []
  const plain: number[] = []
  for (let index = 0; index < warmUp + publishes; index += 1) {
    const post = await client.posts.create({ title: `Post ${index}`, body: { markdown: 'Some **text**.' } })
    await receiver.reset(true)
    const from = wallNow()
    await client.posts.publish(post.id)
    while ((await receiver.count()).count === 0) await sleep(2)
    const [arrival] = await receiver.arrivals()
    if (index >= warmUp && arrival !== undefined) times.push(arrival[2] - from)
    await sleep(PAUSE_MS)
    const asked = wallNow()
    await (await fetch(`${service.url}/healthz`)).text()
    if (index >= warmUp) plain.push(wallNow() - asked)
    await sleep(PAUSE_MS)
  }
  await service.end('SIGTERM')
  return { times, plain }
}
