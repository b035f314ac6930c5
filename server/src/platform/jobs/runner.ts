/**
 * Runs the jobs of this process: leases what is due, renews the leases while the work goes on, and records the outcome under the fence,
 * in the transaction that removes the job. If the worker dies, the lease ends and another worker does the job. Nothing waits in memory
 * for a later try, and no transaction is open while a job works.
 */
import type { Clock } from '../clock.ts'
import { type Database, isAccountGone, isDatabaseGone, type Tx } from '../db/database.ts'
import { errorField, type Log } from '../log.ts'
import type { StepResult } from '../loop.ts'
import type { Signals } from '../signals.ts'
import type { Traces } from '../traces/traces.ts'
import {
  dueKinds,
  finishJob,
  type LeasedJob,
  LeaseLost,
  leaseJobs,
  nameOf,
  postponeJob,
  renewLease,
  returnJob,
} from './queue.ts'

/** How long the jobs of a worker that dies unnoticed are held up. */
const LEASE_MS = 60_000
const RENEW_MS = 20_000
/** A job leased more often than this without progress crashes its process; it fails. */
const MOST_LEASES = 10

/** The end of a try: a result, with what else its transaction writes, or another try after a while. */
export type JobOutcome = { record(tx: Tx): Promise<void> } | { retryAfterMs: number }

/** What ends the work: `stopping` at the next convenient moment, because the process ends; `now` at once. */
export type JobSignals = { stopping: AbortSignal; now: AbortSignal }

/** A kind of job. */
export type JobKind<Payload = unknown> = {
  name: string
  /** The most at the same time, in this process and of one account. */
  limits: { perProcess: number; perAccount: number }
  /** Does a job. It may be done again: nothing that must not be repeated may happen before its outcome. */
  run(job: LeasedJob<Payload>, signals: JobSignals): Promise<JobOutcome>
  /** What follows from an error that `run` or its recording has thrown. */
  failed(job: LeasedJob<Payload>, error: unknown): JobOutcome
}

/** The reason of the signals when the process ends: a job that throws it is done by another process, or after the next start. */
class JobStopped extends Error {}

type Needs = { clock: Clock; db: Database; log: Log; signals: Signals; traces: Traces }

type Running = { kind: string; key: string; done: Promise<void>; now: AbortController }

/** Runs this process's jobs, of all kinds. */
export class JobRunner {
  readonly #ctx: Needs
  readonly #workerId: () => string | undefined
  readonly #kinds: readonly JobKind[]
  readonly #onCapacity: () => void
  readonly #running = new Map<string, Running>()
  readonly #stopping = new AbortController()

  /** `workerId`: the id by which this worker holds jobs, while others know that it lives. Calls `onCapacity` when a job has ended and a step may begin another. */
  constructor(ctx: Needs, workerId: () => string | undefined, kinds: readonly JobKind[], onCapacity: () => void) {
    this.#ctx = ctx
    this.#workerId = workerId
    this.#kinds = kinds
    this.#onCapacity = onCapacity
    ctx.signals.on('job-cancelled', (name) => {
      if (name !== undefined) this.#running.get(name)?.now.abort(new LeaseLost())
    })
  }

  /** Begins the jobs that are due, as far as the limits allow; does not wait for them. One call at a time. */
  async step(): Promise<StepResult> {
    if (this.#stopping.signal.aborted) return { again: false }
    const due = await dueKinds(this.#ctx.db.root, this.#ctx.clock)
    let begun = 0
    for (const kind of this.#kinds) if (due.includes(kind.name)) begun += await this.#beginDue(kind)
    return { again: begun > 0 }
  }

  /** Runs until no job is due and none is running. */
  async drain(): Promise<void> {
    do await this.#idle()
    while ((await this.step()).again)
    await this.#idle()
  }

  /**
   * Begins no more jobs, waits `graceMs` for those under way, then ends and returns them; another process, or the next start, does them.
   * Call it when no step runs.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort(new JobStopped())
    const patience = new AbortController()
    await Promise.race([this.#idle(), this.#ctx.clock.sleep(graceMs, patience.signal)])
    patience.abort()
    for (const { now } of this.#running.values()) now.abort(new JobStopped())
    await this.#idle()
  }

  async #idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  async #beginDue(kind: JobKind): Promise<number> {
    const { clock, db } = this.#ctx
    const held = [...this.#running.values()].filter((job) => job.kind === kind.name).map(({ key }) => key)
    const limit = kind.limits.perProcess - held.length
    const workerId = this.#workerId()
    if (limit <= 0 || workerId === undefined) return 0
    const untilMs = clock.monotonicMs() + LEASE_MS
    const wanted = { kind: kind.name, limit, perAccount: kind.limits.perAccount, held, ms: LEASE_MS }
    const jobs = await db.tx((tx) => leaseJobs(tx, { clock, workerId }, wanted))
    for (const job of jobs) this.#begin(kind, job, untilMs)
    return jobs.length
  }

  #begin(kind: JobKind, job: LeasedJob, untilMs: number): void {
    const now = new AbortController()
    const facts = { 'postrider.job_key': job.key, 'postrider.try': job.tries }
    const done = this.#ctx.traces
      .span({ name: kind.name, kind: 'internal', facts }, () => this.#work(kind, job, untilMs, now))
      .finally(() => {
        this.#running.delete(nameOf(job))
        this.#onCapacity()
      })
    this.#running.set(nameOf(job), { kind: kind.name, key: job.key, done, now })
  }

  /** Does a job and records its outcome. Never rejects: what is not recorded is done again when the lease ends. */
  async #work(kind: JobKind, job: LeasedJob, untilMs: number, now: AbortController): Promise<void> {
    const over = new AbortController()
    const renewing = this.#renewUntil(over.signal, job, untilMs, now)
    try {
      if (job.tries > MOST_LEASES) throw new Error(`leased ${job.tries} times without progress`)
      await this.#record(job, await kind.run(job, { stopping: this.#stopping.signal, now: now.signal }))
    } catch (error) {
      await this.#settle(kind, job, error).catch((failure) => {
        if (failure instanceof LeaseLost) return
        this.#ctx.log.error('job.not_settled', { ...about(job), error: errorField(failure) })
      })
    } finally {
      over.abort()
      await renewing
    }
  }

  async #record(job: LeasedJob, outcome: JobOutcome): Promise<void> {
    const { clock, db } = this.#ctx
    if ('retryAfterMs' in outcome) return postponeJob(db.root, clock, job, outcome.retryAfterMs)
    // The job comes last: whoever removes an account locks that before its jobs.
    await db.tx(async (tx) => {
      await outcome.record(tx)
      await finishJob(tx, job)
    })
  }

  async #settle(kind: JobKind, job: LeasedJob, error: unknown): Promise<void> {
    const { db, log } = this.#ctx
    if (error instanceof LeaseLost || isAccountGone(error)) return log.info('job.given_up', about(job))
    if (error instanceof JobStopped) return returnJob(db.root, job)
    if (isDatabaseGone(error)) return log.error('job.interrupted', { ...about(job), error: errorField(error) })
    await this.#record(job, kind.failed(job, error))
  }

  /** Renews the lease until `over` aborts; ends the work when it is lost. `firstMs`: its first end on the monotonic clock. */
  async #renewUntil(over: AbortSignal, job: LeasedJob, firstMs: number, now: AbortController): Promise<void> {
    const { clock, db, log } = this.#ctx
    for (let untilMs = firstMs; ; ) {
      await clock.sleep(RENEW_MS, over)
      if (over.aborted) return
      const nextMs = clock.monotonicMs() + LEASE_MS
      try {
        if (!(await renewLease(db.root, clock, job, LEASE_MS))) return now.abort(new LeaseLost())
        untilMs = nextMs
      } catch (error) {
        log.warn('job.lease_not_renewed', { ...about(job), error: errorField(error) })
        if (clock.monotonicMs() >= untilMs) return now.abort(new LeaseLost())
      }
    }
  }
}

function about({ kind, key, tries }: LeasedJob) {
  return { job_kind: kind, job_key: key, tries }
}
