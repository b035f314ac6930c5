/**
 * The load, in a process of its own. Either each connection sends its next request after an answer, or requests are sent on a
 * schedule, whether or not earlier ones are answered. On a schedule, times run from when a request was due, so that a stall
 * counts for every request that would have waited through it.
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomFrom } from '../../test/support/random.ts'
import { percentile } from '../support/report.ts'
import { Connection, type Wire } from './connection.ts'

/** A request; `length` is that of the answer's body when it is the same every time. */
export type Request = { path: string; headers: Record<string, string>; length?: number | undefined }

/** What to request (a file with a JSON array of requests, chosen at random), from which port, for how long, and the status to expect. */
export type LoadTask = {
  port: number
  requests: string
  status: number
  warmUpMs: number
  ms: number
} & ({ connections: number } | { perSecond: number })

/** `busy`: the share of a processor that this process itself used. Times in milliseconds. */
export type LoadResult = { perSecond: number; busy: number; p50: number; p99: number; longest: number; count: number }

const task: LoadTask = JSON.parse(process.argv[2] ?? '') // given by pull.ts
const requests: Request[] = JSON.parse(await readFile(task.requests, 'utf8')) // written by the same
const wires: Wire[] = requests.map(({ path, headers, length }) => {
  const lines = Object.entries({
    Host: `127.0.0.1:${task.port}`,
    'User-Agent': 'site',
    Accept: 'application/json',
    ...headers,
  })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return { bytes: Buffer.from(`GET ${path} HTTP/1.1\r\n${head}\r\n`), length }
})
const random = randomFrom(task.port)
const any = (): Wire => wires[Math.floor(random() * wires.length)] as Wire // there is at least one

function check(status: number): void {
  if (status !== task.status) throw new Error(`${status} instead of ${task.status}`)
}

/** As fast as answers come. Times run from sending to the whole answer. */
async function flood(connections: number): Promise<LoadResult> {
  const times: number[] = []
  let measuring = false
  let over = false
  const open = Array.from({ length: connections }, () => {
    let from = 0
    const connection = new Connection(task.port, (status) => {
      check(status)
      const now = performance.now()
      if (measuring) times.push(now - from)
      if (over) return
      from = now
      connection.send(any())
    })
    from = performance.now()
    connection.send(any())
    return connection
  })
  await sleep(task.warmUpMs)
  measuring = true
  const from = performance.now()
  const cpu = process.cpuUsage()
  await sleep(task.ms)
  measuring = false
  const tookMs = performance.now() - from
  const { user, system } = process.cpuUsage(cpu)
  over = true
  await sleep(100)
  for (const connection of open) connection.end()
  return { ...summary(times, tookMs), busy: (user + system) / 1_000 / tookMs }
}

/** A connection and when its request was due. */
type Line = { connection: Connection; dueAt: number }

/** At random times, `perSecond` on average (a Poisson process: clients that know nothing of each other). */
async function follow(perSecond: number): Promise<LoadResult> {
  const times: number[] = []
  const idle: Line[] = []
  let underWay = 0
  const open = (): Line => {
    const line: Line = {
      dueAt: 0,
      connection: new Connection(
        task.port,
        (status) => {
          check(status)
          if (line.dueAt >= from) times.push(performance.now() - line.dueAt)
          underWay -= 1
          idle.push(line)
        },
        (wire) => ask(open(), wire, line.dueAt),
      ),
    }
    return line
  }
  const ask = (line: Line, wire: Wire, dueAt: number) => {
    line.dueAt = dueAt
    line.connection.send(wire)
  }
  const ready = (): Line => {
    for (let line = idle.pop(); line !== undefined; line = idle.pop()) if (!line.connection.lost) return line
    return open()
  }
  const from = performance.now() + task.warmUpMs
  const until = from + task.ms
  const cpu = process.cpuUsage()
  for (let dueAt = performance.now(); dueAt < until; dueAt += (-Math.log(1 - random()) * 1_000) / perSecond) {
    while (performance.now() < dueAt) await sleep(Math.max(1, dueAt - performance.now())) // timers may be early
    underWay += 1
    ask(ready(), any(), dueAt)
  }
  while (underWay > 0) await sleep(10)
  const { user, system } = process.cpuUsage(cpu)
  for (const { connection } of idle) connection.end()
  return { ...summary(times, task.ms), busy: (user + system) / 1_000 / (task.warmUpMs + task.ms) }
}

function summary(times: readonly number[], tookMs: number): Omit<LoadResult, 'busy'> {
  return {
    perSecond: times.length / (tookMs / 1_000),
    count: times.length,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    longest: percentile(times, 1),
  }
}

process.send?.('connections' in task ? await flood(task.connections) : await follow(task.perSecond))
