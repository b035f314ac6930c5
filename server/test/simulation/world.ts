/**
 * Runs one story: real operations, loops and statements of the service, in processes that live and die as the story says,
 * with simulated time, ids and receivers. Afterwards it checks the promises against what was seen.
 */

import { sql } from 'kysely'
import type { Limits } from '../../src/engine/index.ts'
import { createLoops, type Loops } from '../../src/loops.ts'
import { Changes } from '../../src/platform/changes/changes.ts'
import { LiveStreams } from '../../src/platform/changes/streams.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { parseConfig } from '../../src/platform/config.ts'
import type { Context } from '../../src/platform/context.ts'
import { deriveKeys } from '../../src/platform/crypto.ts'
import { afterCommit, createDatabase } from '../../src/platform/db/database.ts'
import type { Log } from '../../src/platform/log.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import type { Signals, Topic } from '../../src/platform/signals.ts'
import { noTraces } from '../../src/platform/traces/traces.ts'
import { Agenda, stream } from './agenda.ts'
import { Clients } from './clients.ts'
import { CONNECTION_LOST, SimulatedDatabase, type Store } from './database.ts'
import { type LoggedResult, Network, type Post, short } from './network.ts'
import { Process } from './process.ts'
import { checkPromises, type Violation } from './promises.ts'
import type { Room, Step, Story } from './story.ts'

/** How sites recover; few are sent one by one, since stories have few posts. */
export const RECOVERY_PACE = { everyMs: 1_000, careful: 2, probeMs: 4_000 }
/** Short times, so that a story is short; the engine behaves the same with them. */
export const TIMEOUT_MS = 8_000
export const RETRY_DELAYS_MS = [700, 1_300, 2_100]
/** A lease outlasts an attempt's deadline by this (dispatcher.ts). */
export const LEASE_MS = TIMEOUT_MS + 15_000
/** So that an hour and a day end in the middle of the story. */
const START = Date.UTC(2026, 10, 2, 23, 59, 50)
/** After the story nothing breaks any more; within this time everything must have ended. */
const LONGEST_END_MS = 6 * LEASE_MS
/** Contents here have less than 400 bytes, or over 500 with a long title. */
export const LARGE = 500
/** Lanes are seldom read as a whole. */
const LITTLE = { all: 20, leastPerLane: 2, mostPerLane: 5 }
const LIMITS: Record<Room, Partial<Limits>> = {
  plenty: {},
  tight: {
    attempts: 2,
    attemptsPerLane: 2,
    read: LITTLE,
    lanes: { prompt: 5, suspect: 2 },
    large: { above: 0, prompt: 3_000, suspect: 1_000 },
  },
  crowded: {
    attempts: 3,
    attemptsPerLane: 2,
    read: LITTLE,
    lanes: { prompt: 16, suspect: 3 },
    large: { above: 0, prompt: 10_000, suspect: 2_000 },
    gatherMs: 40,
  },
  narrow: { large: { above: LARGE, prompt: 1, suspect: 1 } },
}
/** From when on a worker that cannot reach the database starts nothing more, and others may take over its lanes soon (workers.ts). */
const TRUSTED_MS = 4_000
/** The process that only answers requests. */
const FRONT = 'front'
/** How long a NOTIFY takes at most. */
export const HINT_MS = 20
/** The recorder tries again after 250 ms (recorder.ts). */
const RECOVERY_MS = 300
const LOOK_MS = 7

const config = parseConfig({
  SECRET_KEY: 'a secret key for simulations, long enough',
  DELIVERY_TIMEOUT: `${TIMEOUT_MS}ms`,
  DELIVERY_RETRY_DELAYS: RETRY_DELAYS_MS.map((ms) => `${ms}ms`).join(','),
})
const keys = deriveKeys(config.secretKey ?? '')

/** What a simulation exercised, by name. */
export type Counts = Record<string, number>

export type Outcome = { violations: Violation[]; counts: Counts; lines: string[] }

/** A time by the database's clock (virtual time), to tell it from other clocks' times among a statement's values. */
class DatabaseTime extends Date {}

/**
 * Deliveries of a site that were queued again because somebody had asked for it (`asked`: for the posts for which they were asking the process
 * just then), or by a recovery, which made some due before their time.
 */
export type Resent = { at: number; siteId: string; ids: string[]; by: 'hand' | 'recovery' | 'hurry'; asked: string[] }

/** A process of the service. */
type Service = { process: Process; ctx: Context; loops: Loops; leaving: boolean }

/** Runs the story on an empty store. */
export async function simulate(story: Story, store: Store, accountId: string): Promise<Outcome> {
  return new World(story, store, accountId).run()
}

export class World {
  readonly story: Story
  readonly accountId: string
  readonly agenda = new Agenda()
  readonly database: SimulatedDatabase
  readonly network: Network
  readonly clients: Clients
  readonly counts: Counts = {}
  readonly violations: Violation[] = []
  readonly processes: Process[] = []
  /** When a connection broke. */
  readonly losses: number[] = []
  /** When the clocks jumped, and what a clock without skew said before. */
  readonly jumps: Array<{ at: number; wallBefore: number }> = []
  /** When no process delivered. */
  readonly silences: Array<{ from: number; to: number | undefined }> = []
  /** Until when, in virtual time, a process has leased the lane of a site. */
  readonly leases = new Map<string, number>()
  /** When the lane of a site was leased. */
  readonly taken: Array<{ process: Process; siteId: string; at: number }> = []
  /** What was queued again, or made due before its time, in transactions that were committed. */
  readonly resent: Resent[] = []
  #resending: Resent[] = []
  readonly #lines: string[] = []
  readonly #random: () => number
  readonly #services = new Map<string, Service>()
  #offset = 0
  #armed = false
  #ids = 0
  #born = 0

  constructor(story: Story, store: Store, accountId: string) {
    this.story = story
    this.accountId = accountId
    this.#random = stream(story.seed, 'world')
    this.database = new SimulatedDatabase(store, this.agenda, stream(story.seed, 'rows'), {
      executed: (process, text, values, rows) => this.#observe(process, text, values, rows),
      notified: (process, topic, subject) => this.#notify(process, topic as Topic, subject),
      lost: (process) => {
        this.count('connections lost')
        this.losses.push(this.agenda.now)
        this.tell(`${process.name} loses its connection`)
        this.#writeMore()
      },
    })
    this.clients = new Clients(this)
    this.network = new Network({
      calm: story.calm,
      agenda: this.agenda,
      wall: (process) => this.wallOf(process),
      receivers: this.clients.byUrl,
      armed: () => this.#armed,
      leasedUntil: (process, siteId) => this.leases.get(`${process.name} ${siteId}`) ?? 0,
      tell: (line) => this.tell(line),
      complain: (promise, detail) => this.complain(promise, detail),
    })
    this.network.patience = (process) => {
      const alone = story.layout === 'embedded'
      const stopped = process.stops.some(({ to }) => to + 1 >= this.agenda.now)
      return stopped || story.deaf > 0 ? LEASE_MS + LONGEST_END_MS : alone ? 0 : HINT_MS + 1
    }
  }

  /** What a clock that is right says at the agenda's zero, before any jump. The database's, on another machine, never jumps. */
  readonly epoch = START

  /** What a clock that is right says now. */
  get wall(): number {
    return START + Math.floor(this.agenda.now + this.#offset)
  }

  /** What the clock of a process says now. */
  wallOf({ skewMs }: Process): number {
    return this.wall + skewMs
  }

  /** Whether all clocks have always agreed, so that times of one can be compared with those of another. */
  get clocksAgree(): boolean {
    return this.jumps.length === 0 && this.story.skews.length === 0
  }

  tell(line: string): void {
    this.#lines.push(`${this.agenda.now.toFixed(1).padStart(9)}  ${line}`)
  }

  count(what: string, by = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + by
  }

  complain(promise: string, detail: string): void {
    this.violations.push({ promise, detail })
    this.tell(`BROKEN: ${promise}: ${detail}`)
  }

  /** A process that can answer a request now, each in turn. */
  get front(): { ctx: Context; process: Process } | undefined {
    const open = [...this.#services]
      .filter(([role]) => this.story.layout !== 'apart' || role === FRONT)
      .map(([, service]) => service)
      .filter(({ process, leaving }) => process.alive && !leaving)
    return open[this.clients.calls.length % open.length]
  }

  async run(): Promise<Outcome> {
    const { story, agenda } = this
    if (story.skews.length > 0) this.count('stories whose clocks disagree')
    if (story.layout === 'apart') this.#start(FRONT)
    this.clients.prepare(story)
    await agenda.run(() => this.clients.idle, 60_000)
    for (let index = 0; index < story.workers; index += 1) this.#start(`worker ${index}`)
    const begin = agenda.now
    this.#armed = true
    for (const step of story.steps) agenda.after(step.at, () => this.#play(step))
    const length = Math.max(0, ...story.steps.map(({ at }) => at)) + 500
    await agenda.run(() => false, begin + length)
    // Stopped processes go on, and meet what the others did.
    for (let to = this.#stoppedUntil; to + 500 > agenda.now; to = this.#stoppedUntil)
      await agenda.run(() => false, to + 500)
    await this.#end()
    this.violations.push(...(await checkPromises(this)))
    for (const forget of this.#sleepers) forget()
    return { violations: this.violations, counts: this.counts, lines: this.#lines }
  }

  /** From here on nothing breaks any more: everything that is owed must arrive. */
  async #end(): Promise<void> {
    const { agenda } = this
    this.tell('all is well from here')
    this.#armed = false
    const limit = agenda.now + LONGEST_END_MS
    while (agenda.now < limit) {
      // Repeated, since a process that was stopped until now may still die with the request.
      this.clients.end()
      const until = agenda.now + 1_000
      await agenda.run(() => false, until)
      await agenda.run(() => !this.database.isBusy(), limit)
      if (this.clients.idle && this.#stoppedUntil + 500 <= agenda.now && (await this.#isQuiet())) return
    }
    this.complain('2 at least once', `something is still owed ${LONGEST_END_MS} ms after all was well`)
  }

  /** When the last process that was stopped goes on. */
  get #stoppedUntil(): number {
    return Math.max(0, ...this.processes.flatMap(({ stops }) => stops.map(({ to }) => to)))
  }

  async #isQuiet(): Promise<boolean> {
    const [row] = await this.database.look<{ quiet: boolean }>(`
      select not exists (select from deliveries where status = 'pending') and not exists (select from posts where status = 'scheduled')
        and not exists (select from lanes where due_at is not null) and not exists (select from jobs) as quiet`)
    return row?.quiet === true
  }

  #play(step: Step): void {
    switch (step.what) {
      case 'crash':
        this.#inFlight(this.#serviceOf(step.worker)?.process, (process) => process.crash())
        break
      case 'stop':
        this.#inFlight(this.#serviceOf(step.worker)?.process, (process) => this.#stop(process, step.forMs))
        break
      case 'cut off':
        this.#inFlight(this.#serviceOf(step.worker)?.process, (process) => this.#cutOff(process, step.forMs))
        break
      case 'restart':
        this.#restart(this.#serviceOf(step.worker))
        break
      case 'jump':
        this.jumps.push({ at: this.agenda.now, wallBefore: this.wall })
        this.#offset += step.byMs
        this.count('clock jumps')
        this.tell(`the clock jumps by ${step.byMs.toFixed(0)} ms`)
        break
      default:
        this.clients.play(step)
    }
  }

  /** Strikes a process once it has an attempt in flight, which is when it matters, or after `patienceMs`. */
  #inFlight(process: Process | undefined, strike: (process: Process) => void, patienceMs = 2_000): void {
    if (process?.alive !== true) return
    // Stopping inside a transaction would stop every process here; on a server, only those that want the same rows.
    const sending = [...this.network.posts, ...this.network.builds].some(
      (request) => request.process === process && request.endedAt === undefined,
    )
    if ((sending || patienceMs <= 0) && !this.database.isBusy(process)) strike(process)
    else this.agenda.after(LOOK_MS, () => this.#inFlight(process, strike, patienceMs - LOOK_MS))
  }

  /** Has a post changed while the service recovers, so that repeated statements meet new events. */
  #writeMore(): void {
    if (!this.#armed || this.#random() < 0.5) return
    const post = Math.floor(this.#random() * 3)
    this.agenda.after(this.#random() * RECOVERY_MS, () => this.clients.play({ what: 'update post', post }))
  }

  /** Cuts a worker off from the database for a while: its statements arrive once that is over. */
  #cutOff(process: Process, forMs: number): void {
    const { now } = this.agenda
    process.cutOffs.push({ from: now, heard: now + TRUSTED_MS, to: now + forMs })
    this.count('workers cut off')
    this.tell(`${process.name} is cut off for ${forMs.toFixed(0)} ms`)
  }

  #stop(process: Process, forMs: number): void {
    this.tell(`${process.name} is stopped for ${forMs.toFixed(0)} ms`)
    this.count('workers stopped')
    process.stopFor(forMs)
  }

  #serviceOf(worker: number): Service | undefined {
    return this.#services.get(`worker ${worker % this.story.workers}`)
  }

  /** A graceful shutdown, as app.ts does it; then the next start. */
  #restart(service: Service | undefined): void {
    if (service === undefined || !service.process.alive || service.leaving) return
    service.leaving = true
    this.count('orderly restarts')
    this.tell(`${service.process.name} is asked to stop`)
    const { loops, process } = service
    const graceMs = this.#random() < 0.5 ? 10_000 : this.#random() * 500
    void Promise.all([
      loops.deliver.stop(),
      loops.schedule.stop(),
      this.#stopJobs(loops, graceMs),
      loops.dispatcher.stop(graceMs),
    ])
      .then(() => loops.worker.leave())
      .catch(() => {}) // its row is left to be removed by others
      .then(() => process.leave())
  }

  async #stopJobs({ jobs, jobRunner }: Loops, graceMs: number): Promise<void> {
    if (this.story.recovering.length === 0) return
    await jobs.stop()
    await jobRunner.stop(graceMs)
  }

  #start(role: string): void {
    const { agenda, story } = this
    this.#born += 1
    const name = `${role}.${this.#born}`
    const process = new Process(name, {
      agenda,
      skewMs: this.#skewOf(role),
      random: stream(story.seed, name),
      strikes: () => (this.#armed ? story.strikes : { crash: 0, loss: 0 }),
      onDeath: () => this.#died(role),
    })
    this.processes.push(process)
    const ctx = this.#contextOf(process)
    const loops = createLoops(ctx, undefined, LIMITS[story.room], RECOVERY_PACE)
    const service = { process, ctx, loops, leaving: false }
    this.#services.set(role, service)
    this.tell(`${name} starts`)
    if (role !== FRONT) void this.#join(service)
  }

  /** A process that starts again does so on its machine. */
  #skewOf(role: string): number {
    const machine = role === FRONT ? 0 : 1 + Number(role.replace('worker ', ''))
    return this.story.skews[machine] ?? 0
  }

  async #join({ process, loops }: Service): Promise<void> {
    try {
      await loops.worker.join()
    } catch {
      return process.crash()
    }
    const silence = this.silences.at(-1)
    if (silence !== undefined) silence.to ??= this.agenda.now
    loops.deliver.start()
    loops.schedule.start()
    loops.jobs.start()
  }

  #died(role: string): void {
    const service = this.#services.get(role)
    if (service === undefined) return
    const { left, name } = service.process
    this.count(left ? 'processes ended in order' : 'crashes')
    this.tell(`${name} ${left ? 'has ended' : 'dies'}`)
    if (role !== FRONT) {
      const others = [...this.#services.values()].some((one) => one.process.alive && one !== this.#services.get(FRONT))
      if (!others) this.silences.push({ from: this.agenda.now, to: undefined })
    }
    this.agenda.after(0, () => this.database.abandon(service.process))
    this.clients.lostProcess(service.process)
    this.agenda.after(20 + this.#random() ** 2 * 3_000, () => this.#start(role))
  }

  #contextOf(process: Process): Context {
    const kind = this.story.layout === 'embedded' ? 'embedded' : 'postgres'
    const clock: Clock = {
      now: () => new Date(this.wallOf(process)),
      monotonicMs: () => this.agenda.now,
      inDatabase: () => sql<Date>`${new DatabaseTime(START + this.agenda.now)}::timestamptz`,
      sleep: (ms, signal) => this.#sleep(process, ms, signal),
    }
    const log = this.#logOf(process)
    const db = createDatabase(this.database.poolOf(process), kind)
    const signals = this.#signalsOf(process)
    const changes = new Changes({ clock, db, log, signals })
    return {
      config,
      clock,
      ids: { next: () => this.#nextId(process) },
      log,
      metrics: new Metrics(),
      db,
      keys,
      egress: this.network.egressOf(process),
      signals,
      changes,
      traces: noTraces,
      blobs: undefined,
      scratch: '',
      streams: new LiveStreams({ changes, clock, log }), // no stream is open
    }
  }

  /** Each removes the listener of a sleep that is pending when the story ends: with one, Node keeps a combined signal, and this world. */
  readonly #sleepers = new Set<() => void>()

  #sleep(process: Process, ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const takeBack = this.agenda.after(ms, () => process.deliver(finish))
      const forget = () => signal?.removeEventListener('abort', finish)
      const finish = () => {
        takeBack()
        forget()
        this.#sleepers.delete(forget)
        resolve()
      }
      signal?.addEventListener('abort', finish, { once: true })
      this.#sleepers.add(forget)
    })
  }

  #nextId(process: Process): string {
    this.#ids += 1
    const time = this.wallOf(process).toString(16).padStart(12, '0')
    const tail = Math.floor(this.#random() * 2 ** 24)
      .toString(16)
      .padStart(6, '0')
    const number = this.#ids.toString(16).padStart(6, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail}${number}`
  }

  readonly #listeners = new Map<Process, Array<{ topic: Topic; hear: (subject: string | undefined) => void }>>()

  /** As signals.ts: the process itself hears after the commit, the others by NOTIFY, which is only a hint. */
  #signalsOf(process: Process): Signals {
    const listeners: Array<{ topic: Topic; hear: (subject: string | undefined) => void }> = []
    this.#listeners.set(process, listeners)
    return {
      send: async (tx, topic, subject) => {
        if (this.story.layout !== 'embedded')
          await sql`select pg_notify(${'postrider'}, ${[topic, subject ?? ''].join(' ')})`.execute(tx)
        afterCommit(() => this.#hear(process, topic, subject))
      },
      broadcast: async () => {},
      ready: Promise.resolve(),
      on: (topic, hear) => void listeners.push({ topic, hear }),
      close: async () => {},
    }
  }

  #hear(process: Process, topic: Topic, subject: string | undefined): void {
    for (const listener of this.#listeners.get(process) ?? []) if (listener.topic === topic) listener.hear(subject)
  }

  #notify(from: Process, topic: Topic, subject: string): void {
    for (const { process } of this.#services.values()) {
      if (process === from || this.#random() < this.story.deaf) continue
      this.agenda.after(this.#random() * HINT_MS, () =>
        process.deliver(() => this.#hear(process, topic, subject === '' ? undefined : subject)),
      )
    }
  }

  #logOf(process: Process): Log {
    const event =
      (level: string) =>
      (name: string, fields: object = {}) => {
        if (name === 'delivery.attempted' || name === 'delivery.late_answer') {
          this.#settled(process, fields as LoggedResult, name)
        } else if (level === 'error') {
          this.tell(`${process.name} logs ${name} ${JSON.stringify(fields).slice(0, 300)}`)
          // A broken connection is the only error that a story causes; any other is the service's own.
          const { message } = (fields as { error?: { message?: string } }).error ?? {}
          if (message !== CONNECTION_LOST) this.complain('the engine itself', `${name}: ${JSON.stringify(fields)}`)
        }
      }
    const debug = event('debug')
    return {
      debug: (name, fields) => debug(name, fields()),
      info: event('info'),
      warn: event('warn'),
      error: event('error'),
    }
  }

  #settled(process: Process, fields: LoggedResult, name: string): void {
    const as = name === 'delivery.attempted' ? 'recorded' : 'late'
    this.tell(`${process.name} has ${short(fields.delivery_id)} ${as}: ${fields.status}`)
    if (as === 'late') this.count('late answers')
    const post = this.network.requestOf(process, fields)
    if (post === undefined) this.complain('9 books', `a result without a POST: ${fields.delivery_id}`)
    else {
      const isSince = ({ siteId, postId, settled }: Post) =>
        siteId === post.siteId && postId === post.postId && settled !== undefined && settled.at >= post.startedAt
      if (as === 'late' && !this.network.posts.some(isSince)) this.count('late answers before anything was recorded')
      post.settled = { as, at: this.agenda.now, attempt: fields.attempt, status: fields.status }
      const taken = this.taken.some(
        (one) => one.siteId === post.siteId && one.process !== process && one.at > post.startedAt,
      )
      if (as === 'recorded' && taken)
        this.complain('9 late answers', `${fields.delivery_id} was recorded by a process that had lost its lease`)
    }
  }

  #observe(process: Process, text: string, values: readonly unknown[], rows: readonly unknown[]): void {
    this.count('statements')
    this.#observeResending(process, text, rows)
    if (!text.includes('from leased l join due')) return
    const leasedAt = (values.find((value) => value instanceof DatabaseTime)?.getTime() ?? 0) - START
    for (const { siteId, abandoned } of rows as Array<{ siteId: string; abandoned: boolean }>) {
      this.count('leases')
      this.leases.set(`${process.name} ${siteId}`, leasedAt + LEASE_MS)
      this.taken.push({ process, siteId, at: this.agenda.now })
      if (abandoned) this.count('takeovers')
      this.tell(`${process.name} leases the lane of ${short(siteId)}${abandoned ? ', which was abandoned' : ''}`)
    }
  }

  #observeResending(process: Process, text: string, rows: readonly unknown[]): void {
    if (text === 'commit') {
      this.resent.push(...this.#resending)
      for (const { siteId, ids, by } of this.#resending)
        if (by !== 'hand') this.tell(`${process.name} sends ${ids.map(short).join(', ')} to ${short(siteId)} again`)
    }
    if (text === 'commit' || text === 'rollback' || text.startsWith('start transaction')) this.#resending = []
    const isHurry = text.includes('with hurried as')
    if (!isHurry && !text.includes('with judged as materialized')) return
    const asked = this.clients.calls
      .filter((call) => call.what === 'retry' && call.process === process && call.to === undefined)
      .flatMap(({ postId }) => postId ?? [])
    const by = isHurry ? 'hurry' : asked.length > 0 ? 'hand' : 'recovery'
    const bySite = Map.groupBy(rows as Array<{ id: string; siteId: string }>, ({ siteId }) => siteId)
    for (const [siteId, list] of bySite)
      this.#resending.push({ at: this.agenda.now, siteId, ids: list.map(({ id }) => id), by, asked })
  }
}
