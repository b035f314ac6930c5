/** Deliveries per second to sites that take as long to answer as real sites do, and what the worker holds meanwhile. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { issueCertificate } from '../src/platform/egress/test-certificates.ts'
import { type BenchReceiver, memoryMib, startBenchReceiver } from './support/processes.ts'
import { report, table } from './support/report.ts'
import { seedBacklog, seedSites } from './support/seed.ts'
import { type Place, postgresPlace } from './support/service.ts'

const SITES = 1_000
/** Receiving processes. Each site has a port of its own and so connections of its own, as real sites have. */
const RECEIVERS = 4
const ANSWER_AFTER_MS = [0, 100, 300, 1_000, 3_000]

/** Runs the bench: `--deliveries 20000`. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { deliveries: { type: 'string', default: '20000' } } })
  const deliveries = Number(values.deliveries)
  const certificate = issueCertificate({ name: 'receivers', hosts: ['127.0.0.1'] })
  const directory = await mkdtemp(join(tmpdir(), 'postrider-distance-'))
  const trusted = join(directory, 'receivers.pem')
  await writeFile(trusted, certificate.cert)
  const place = await postgresPlace()
  const rows: (string | number)[][] = []
  for (const [scheme, shown] of [['http', undefined] as const, ['https', certificate] as const]) {
    const receiver = { ports: SITES / RECEIVERS, certificate: shown }
    const receivers = await Promise.all(Array.from({ length: RECEIVERS }, () => startBenchReceiver(receiver)))
    for (const afterMs of ANSWER_AFTER_MS) {
      const { perSecond, connections, mib } = await measure({ place, trusted, receivers, scheme, deliveries, afterMs })
      rows.push([scheme, `${afterMs} ms`, Math.round(perSecond), connections, `${mib} MiB`])
      process.stderr.write(
        `${scheme}, answers after ${afterMs} ms: ${Math.round(perSecond)}/s, ${connections} connections, ${mib} MiB\n`,
      )
    }
    for (const receiver of receivers) receiver.stop()
  }
  await place.close()
  await rm(directory, { recursive: true })
  await report('distance', `npm run bench -- distance${args.map((arg) => ` ${arg}`).join('')}`, [
    `One worker on PostgreSQL, ${deliveries.toLocaleString('en-US')} deliveries of 5,700 bytes pending for ${SITES.toLocaleString('en-US')} sites, each on a host of its own. From the first answer to the last; the
most memory that the worker had.`,
    table(['over', 'sites answer after', 'per second', 'connections', 'most'], rows),
  ])
}

type Run = {
  place: Place
  /** The file of the certificate that the worker trusts. */
  trusted: string
  receivers: BenchReceiver[]
  scheme: string
  deliveries: number
  afterMs: number
}

async function measure({ place, trusted, receivers, scheme, deliveries, afterMs }: Run) {
  await place.fresh()
  await place.seed(async (ctx) => {
    const ports = receivers.flatMap((receiver) => receiver.ports)
    const urlOf = (index: number) => `${scheme}://127.0.0.1:${ports[index % ports.length]}/after/${afterMs}`
    await seedSites(ctx, { accounts: 10, sitesEach: SITES / 10, urlOf })
    await seedBacklog(ctx.db.root, { postsEach: deliveries / SITES, bytes: 5_700 })
  })
  await Promise.all(receivers.map((receiver) => receiver.reset()))
  const worker = await place.start({ ROLE: 'worker', NODE_EXTRA_CA_CERTS: trusted })
  const counts = () => Promise.all(receivers.map((receiver) => receiver.count()))
  let seen = await counts()
  while (seen.reduce((sum, { count }) => sum + count, 0) < deliveries) {
    await sleep(100)
    seen = await counts()
  }
  const mib = await memoryMib(worker, 'VmHWM')
  await worker.end('SIGTERM')
  const ms = Math.max(...seen.map(({ lastAt }) => lastAt)) - Math.min(...seen.map(({ firstAt }) => firstAt))
  const connections = seen.reduce((sum, one) => sum + one.connections, 0)
  return { perSecond: deliveries / (ms / 1_000), connections, mib }
}
