/**
 * Reading from a large installation: the Pull API against a bare `node:http` server that has the same answers ready, then
 * the analytics overview and the search. Load, servers and database have a process each; sides take turns in every round.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { request } from 'undici'
import type { ServiceProcess } from '../../test/support/process.ts'
import { runScript } from '../support/processes.ts'
import { median, medianShare, percentile, report, table } from '../support/report.ts'
import { postgresPlace } from '../support/service.ts'
import type { BareTask } from './bare.ts'
import { isSeeded, seedInstallation } from './installation.ts'
import type { LoadResult, LoadTask, Request } from './load-process.ts'
import { prepareRequests } from './requests.ts'

const CONNECTIONS = 64
const PULLS_PER_SECOND = 200
const OVERVIEWS_PER_SECOND = 20
const SEARCHES_PER_SECOND = 5
const WARM_UP_MS = 3_000

type Side = { name: string; port: number; pid: number; status: 200 | 304 }
type Kind = { name: string; requests: Request[]; file: string; knownFile: string }
type Cells = Array<string | number>

/** Runs the bench: `--posts 1000000 --deliveries 10000000`, `--keep DIRECTORY` for the database, `--rounds 3 --seconds 10`, `--only pull|overview|search`. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      posts: { type: 'string', default: '1000000' },
      deliveries: { type: 'string', default: '10000000' },
      keep: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '10' },
      only: { type: 'string' },
    },
  })
  const size = { posts: Number(values.posts), deliveries: Number(values.deliveries) }
  const ms = Number(values.seconds) * 1_000
  const wanted = (part: string) => values.only === undefined || values.only === part
  const place = await postgresPlace(values.keep)
  const files = await mkdtemp(join(tmpdir(), 'postrider-pull-'))
  if (!(await place.exists()) || !(await place.seed((ctx) => isSeeded(ctx.db.root, size)))) {
    await place.fresh()
    await place.seed((ctx) => seedInstallation(ctx, size))
  }
  const asked = await place.seed(prepareRequests)
  // Requests are counted as in any installation, but the limit is never reached.
  const limits = { RATE_LIMIT_PULL: '100000000/h' }
  const cached = await place.start(limits)
  const sections: string[] = [METHOD]
  if (wanted('pull')) {
    const uncached = await place.start({ ...limits, PULL_CACHE: 'off' })
    const kinds = [
      await kind(files, 'list', asked.lists, cached),
      await kind(files, 'single post', asked.posts, cached),
    ]
    sections.push(...(await pulls(kinds, { cached, uncached }, { rounds: Number(values.rounds), ms })))
    await uncached.end('SIGTERM')
  }
  const looks = async (path: string, perSecond: number, kinds: Record<string, Request[]>) => {
    const title = `GET ${path}, ${perSecond} a second`
    const rows: Cells[] = []
    for (const [name, requests] of Object.entries(kinds)) {
      const first = await eachOnce(cached, requests)
      const file = await toFile(files, requests)
      const task = { port: portOf(cached), requests: file, status: 200, warmUpMs: WARM_UP_MS, ms: 2 * ms }
      rows.push([
        name,
        ...times(await load({ ...task, perSecond })),
        inMs(percentile(first, 0.5)),
        inMs(Math.max(...first)),
      ])
      process.stderr.write(`${title}, ${name}: ${rows.at(-1)?.slice(1).join(', ')}\n`)
    }
    sections.push(
      `## ${title}\n\n${table(['', 'requests', 'p50', 'p99', 'longest', 'first time: p50', 'longest'], rows)}`,
    )
  }
  if (wanted('overview')) await looks('/api/analytics/overview', OVERVIEWS_PER_SECOND, asked.overviews)
  if (wanted('search')) await looks('/api/posts?search=', SEARCHES_PER_SECOND, asked.searches)
  await cached.end('SIGTERM')
  await place.close()
  await rm(files, { recursive: true, force: true })
  const of = `${size.posts.toLocaleString('en-US')} posts and ${size.deliveries.toLocaleString('en-US')} deliveries`
  await report(
    values.only === undefined ? 'pull' : `pull-${values.only}`,
    `npm run bench -- pull${args.map((arg) => ` ${arg === values.keep ? 'DIRECTORY' : arg}`).join('')}`,
    [`${of} of 911 accounts with 18,300 sites; one account has half of the posts and 100 sites.`, ...sections],
  )
}

const METHOD = `The service runs as it is installed, with all its loops, its log going to a pipe that is read; every request is authenticated,
counted in the database and logged. PostgreSQL has a quarter of the memory for its buffers, which are empty when it starts. The cached
side has been asked for everything once before. The bare server has the service's answers ready, headers and all, in a table by key
and address. Requests are picked at random: half for the largest account. The load compares statuses and lengths. Everything shares the machine.`

async function pulls(
  kinds: Kind[],
  { cached, uncached }: { cached: ServiceProcess; uncached: ServiceProcess },
  { rounds, ms }: { rounds: number; ms: number },
): Promise<string[]> {
  const sections: string[] = []
  for (const one of kinds) {
    const bare = await startBare({ service: uncached.url, requests: one.file })
    const bareSide = { port: bare.port, pid: bare.child.pid ?? 0 }
    const sides: Side[] = [
      { name: 'bare node:http', ...bareSide, status: 200 },
      { name: 'not cached (PULL_CACHE=off)', ...sideOf(uncached), status: 200 },
      { name: 'cached', ...sideOf(cached), status: 200 },
      { name: 'bare node:http, 304', ...bareSide, status: 304 },
      { name: 'cached, 304', ...sideOf(cached), status: 304 },
    ]
    await compare(one.requests, [`http://127.0.0.1:${bare.port}`, uncached.url, cached.url, cached.url])
    const figures = new Map<string, Array<LoadResult & { used: number }>>(sides.map(({ name }) => [name, []]))
    for (let round = 1; round <= rounds; round += 1)
      for (const side of sides) {
        const from = await processorMs(side.pid)
        const requests = side.status === 200 ? one.file : one.knownFile
        const task = { port: side.port, requests, status: side.status, warmUpMs: WARM_UP_MS, ms }
        const result = await load({ ...task, connections: CONNECTIONS })
        const used = ((await processorMs(side.pid)) - from) / (ms + WARM_UP_MS)
        figures.get(side.name)?.push({ ...result, used })
        process.stderr.write(`${one.name}, round ${round}, ${side.name}: ${Math.round(result.perSecond)}/s\n`)
      }
    const inRounds = (name: string, of: keyof LoadResult | 'used') => (figures.get(name) ?? []).map((each) => each[of])
    const middle = (name: string, of: keyof LoadResult | 'used') => median(inRounds(name, of))
    const rows = sides.map(({ name, status }): Cells => {
      const yardstick = status === 200 ? 'bare node:http' : 'bare node:http, 304'
      const share = medianShare(inRounds(name, 'perSecond'), inRounds(yardstick, 'perSecond'))
      const processors = [middle(name, 'used'), middle(name, 'busy')].map((value) => value.toFixed(2))
      return [name, Math.round(middle(name, 'perSecond')), share.toFixed(2), ...processors]
    })
    const bytes = Math.round(one.requests.reduce((sum, { length }) => sum + (length ?? 0), 0) / one.requests.length)
    sections.push(
      `## GET /api/pull/posts, ${one.name}: ${bytes.toLocaleString('en-US')} bytes on average\n\n${CONNECTIONS} connections, one request at a time on each; medians of ${rounds} rounds of ${ms / 1_000} s, the shares too. The last two columns: processors used by the server and by the load.`,
      table(['', 'per second', 'of bare', 'server', 'load'], rows),
      `At ${PULLS_PER_SECOND} requests a second, at random times, milliseconds from the moment a request was due:`,
      await pullTimes(one, sides.slice(0, 3), 3 * ms),
    )
    bare.stop()
  }
  return sections
}

async function pullTimes(one: Kind, sides: readonly Side[], ms: number): Promise<string> {
  const rows: Cells[] = []
  for (const { name, port } of sides) {
    const task = { port, requests: one.file, status: 200, warmUpMs: WARM_UP_MS, ms }
    rows.push([name, ...times(await load({ ...task, perSecond: PULLS_PER_SECOND }))])
    process.stderr.write(`${one.name}, ${PULLS_PER_SECOND}/s, ${name}: ${rows.at(-1)?.slice(1).join(', ')}\n`)
  }
  return table(['', 'requests', 'p50', 'p99', 'longest'], rows)
}

const times = ({ count, p50, p99, longest }: LoadResult): Cells => [count, ...[p50, p99, longest].map(inMs)]

const inMs = (value: number) => `${value.toFixed(1)} ms`

/** Sends every request once, one after the other, to a database as its start left it; returns how long each took. */
async function eachOnce(service: ServiceProcess, requests: readonly Request[]): Promise<number[]> {
  const took: number[] = []
  for (const { path, headers } of new Map(
    requests.map((one) => [one.path + one.headers.Authorization, one]),
  ).values()) {
    const from = performance.now()
    const { statusCode, body } = await request(service.url + path, { headers })
    await body.dump()
    if (statusCode !== 200) throw new Error(`${path} is answered with ${statusCode}`)
    took.push(performance.now() - from)
  }
  return took
}

function load(task: LoadTask): Promise<LoadResult> {
  return runScript(new URL('load-process.ts', import.meta.url), task)
}

const portOf = ({ url }: ServiceProcess) => Number(new URL(url).port)
const sideOf = (service: ServiceProcess) => ({ port: portOf(service), pid: service.child.pid ?? 0 })

/** Requests with the length of their answers, and the same as conditional requests. Afterwards the service has all answers in its cache. */
async function kind(files: string, name: string, plain: Request[], service: ServiceProcess): Promise<Kind> {
  const requests: Request[] = []
  const known: Request[] = []
  for (const one of plain) {
    const { headers, body } = await request(service.url + one.path, { headers: one.headers })
    const length = (await body.arrayBuffer()).byteLength
    requests.push({ ...one, length })
    known.push({ ...one, headers: { ...one.headers, 'If-None-Match': String(headers.etag) } })
  }
  return { name, requests, file: await toFile(files, requests), knownFile: await toFile(files, known) }
}

async function toFile(directory: string, requests: readonly Request[]): Promise<string> {
  const file = join(await mkdtemp(join(directory, 'requests-')), 'requests.json')
  await writeFile(file, JSON.stringify(requests))
  return file
}

/** Throws unless all give the same answer to a sample of the requests. */
async function compare(requests: readonly Request[], origins: readonly string[]): Promise<void> {
  for (const { path, headers } of requests.filter((_, index) => index % 20 === 0)) {
    const bodies = new Set<string>()
    for (const origin of origins) {
      const { headers: got, body } = await request(origin + path, { headers })
      bodies.add(`${got.etag} ${got['content-length']} ${await body.text()}`)
    }
    if (bodies.size !== 1) throw new Error(`${path} is not answered with the same by all`)
  }
}

async function startBare(task: BareTask): Promise<{ child: ChildProcess; port: number; stop(): void }> {
  const child = fork(fileURLToPath(new URL('bare.ts', import.meta.url)), [JSON.stringify(task)])
  const [{ port }] = await once(child, 'message')
  return { child, port, stop: () => child.disconnect() }
}

const TICKS_PER_SECOND = 100

/** CPU time that a process has used so far, in milliseconds. Linux only; elsewhere NaN. */
async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1_000
}
