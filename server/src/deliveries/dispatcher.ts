/**
 * The delivery engine's moving part: lease lanes that are due, attempt what is due in them, hand the results to the
 * recorder, give the lanes back. README.md has the states and the guarantees.
 *
 * What keeps sites that hang from holding up the others: a lane starts with one attempt and widens once the site has
 * answered; an attempt that has not been answered within a second gives its slot to others, and its lane its place; a
 * site that did not answer at all is suspect, and gets one attempt at a time from a budget apart.
 */
import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { StepResult } from '../platform/loop.ts'
import { attemptDelivery } from './attempt.ts'
import { LaneRun, type RunKind } from './lane-run.ts'
import { type EventContent, type LaneLease, leaseDueLanes, nextDueAt, readDue, readEvents } from './lease.ts'
import { attemptMetrics } from './metrics.ts'
import { type AttemptResult, chooseAttempts } from './policy.ts'
import { Recorder } from './recorder.ts'
import { SigningKeys } from './signing-keys.ts'
import { Slots } from './slots.ts'

/** How much is done at once. */
export type Limits = {
  /** Attempts in flight that may still be answered promptly. */
  slots: number
  /** Attempts in flight per site. */
  slotsPerSite: number
  /** Lanes held, by kind. */
  lanes: Record<RunKind, number>
  /** Deliveries read in one step, shared between the lanes leased in it. */
  perStep: number
  /** Bytes of event contents held for attempts. */
  bytes: number
}

const LIMITS: Limits = {
  slots: 256,
  slotsPerSite: 8,
  lanes: { prompt: 512, slow: 1024, suspect: 64 },
  perStep: 1_024,
  bytes: 32 * 1024 * 1024,
}

/** Lanes are leased in batches: not before this share of a kind's budget is free again. */
const WORTH_LEASING = 1 / 4

/** An attempt starts only if its whole deadline and this much for recording fit into what is left of the lease. */
const RECORDING_MS = 2_000
/** What a lease has beyond one deadline: the time in which a lane's attempts may start. */
const STARTING_MS = 15_000
/** The most that is read of one lane. */
const MOST_PER_LANE = 256

/** An attempt that is not answered by then is slow. */
const SLOW_MS = 1_000
/** Further ahead than this, the loop's own poll is in time. */
const SOON_MS = 1_000

type Needs = Pick<Context, 'changes' | 'clock' | 'config' | 'db' | 'egress' | 'keys' | 'log' | 'metrics' | 'traces'>

/** Holds the lanes that this process works on. */
export class Dispatcher {
  readonly #ctx: Needs
  readonly #limits: Limits
  readonly #recorder: Recorder
  readonly #slots: Slots
  readonly #keys: SigningKeys
  readonly #count: (result: AttemptResult) => void
  readonly #abort = new AbortController()
  readonly #runs = new Map<string, LaneRun>()
  #heldBytes = 0
  #stopping = false
  /** Whether the last lease found fewer lanes than it had room for: until something becomes due there are no more. */
  #exhausted = false
  #stepping: Promise<StepResult> = Promise.resolve({ again: false })
  #whenIdle: Array<() => void> = []

  /** `onCapacity` is called when lanes were given back and a step may lease others. */
  constructor(ctx: Needs, onCapacity: () => void, limits: Partial<Limits> = {}) {
    this.#ctx = ctx
    this.#limits = { ...LIMITS, ...limits }
    this.#slots = new Slots(this.#limits.slots)
    this.#keys = new SigningKeys(ctx.keys)
    this.#count = attemptMetrics(ctx.metrics)
    this.#recorder = new Recorder(ctx, (releases, nextDue) => {
      for (const { lease } of releases) this.#forget(lease.siteId)
      if (releases.length > 0 && (!this.#exhausted || this.#isSoon(nextDue))) onCapacity()
      if (this.#runs.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve()
    })
  }

  /** Leases what it can and starts the attempts; does not wait for them. One call at a time. */
  step(): Promise<StepResult> {
    this.#stepping = this.#step()
    return this.#stepping
  }

  /** Runs until nothing is due and nothing is in flight. */
  async drain(): Promise<void> {
    while ((await this.step()).again) await this.idle()
    await this.idle()
  }

  /** Resolves once no lane is held. */
  idle(): Promise<void> {
    if (this.#runs.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#whenIdle.push(resolve))
  }

  /** The endpoint of a site has changed (of any site, if undefined): nothing more is sent by what was read before. */
  endpointChanged(siteId: string | undefined): void {
    for (const run of siteId === undefined ? this.#runs.values() : [this.#runs.get(siteId)]) run?.halt()
  }

  /** What is held now. */
  held(): { lanes: number; suspects: number; slots: number } {
    return { lanes: this.#runs.size, suspects: this.#countHeld('suspect'), slots: this.#slots.free }
  }

  /** Starts nothing more, lets attempts in flight finish for `graceMs`, then aborts them; all lanes are given back. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true
    const finished = new AbortController()
    const grace = this.#ctx.clock.sleep(graceMs, finished.signal).then(() => this.#abort.abort())
    // A step that was leasing when it was told to stop still starts its lanes, which give themselves back at once.
    await this.#stepping.catch(() => {})
    await this.idle()
    finished.abort()
    await grace
  }

  async #step(): Promise<StepResult> {
    if (this.#stopping) return { again: false }
    const now = this.#ctx.clock.now()
    this.#setSlowOnesApart(now)
    const leases = await this.#lease(now)
    if (leases.length === 0) {
      const next = this.#exhausted ? await nextDueAt(this.#ctx.db.root, now) : undefined
      return next === undefined
        ? { again: false }
        : { again: false, waitMs: Math.max(1, next.getTime() - now.getTime()) }
    }
    try {
      await this.#startLanes(leases, now)
    } catch (error) {
      // Without their deliveries the lanes can only be given back; the recorder does so once the database answers.
      for (const lease of leases) this.#recorder.release({ lease, clean: !lease.recovering })
      throw error
    }
    return { again: true }
  }

  #isSoon(due: Date | undefined): boolean {
    return due !== undefined && due.getTime() - this.#ctx.clock.now().getTime() < SOON_MS
  }

  #countHeld(kind: RunKind): number {
    let count = 0
    for (const run of this.#runs.values()) if (run.kind === kind) count += 1
    return count
  }

  #setSlowOnesApart(now: Date): void {
    let free = this.#limits.lanes.slow - this.#countHeld('slow')
    for (const run of this.#runs.values()) {
      if (free <= 0) return
      if (run.turnSlow(plusMs(now, -SLOW_MS))) free -= 1
    }
  }

  async #lease(now: Date): Promise<LaneLease[]> {
    const limits = { prompt: this.#room('prompt'), suspect: this.#room('suspect') }
    this.#exhausted = false
    if (limits.prompt + limits.suspect === 0) return []
    const until = plusMs(now, this.#ctx.config.deliveryTimeoutMs + STARTING_MS)
    const leases = await leaseDueLanes(this.#ctx.db.root, limits, { held: [...this.#runs.keys()], now, until })
    for (const lease of leases) this.#runs.set(lease.siteId, new LaneRun(lease, lease.suspect ? 'suspect' : 'prompt'))
    const suspects = leases.filter(({ suspect }) => suspect).length
    this.#exhausted = suspects < limits.suspect && leases.length - suspects < limits.prompt
    return leases
  }

  /** How many lanes of a kind to lease now; 0 while it is not worth a statement. */
  #room(kind: 'prompt' | 'suspect'): number {
    const limit = this.#limits.lanes[kind]
    const free = limit - this.#countHeld(kind)
    return free >= limit * WORTH_LEASING ? free : 0
  }

  async #startLanes(leases: readonly LaneLease[], now: Date): Promise<void> {
    // Enough to keep a site's slots busy, few enough that lanes take turns; more while there are few lanes.
    const { slotsPerSite, perStep } = this.#limits
    const perLane = Math.max(2 * slotsPerSite, Math.min(MOST_PER_LANE, Math.floor(perStep / leases.length)))
    const due = Map.groupBy(await readDue(this.#ctx.db.root, leases, perLane, now), (one) => one.siteId)
    const runs = leases.flatMap((lease) => this.#runs.get(lease.siteId) ?? [])
    for (const run of runs) {
      const wanted = chooseAttempts(due.get(run.lease.siteId) ?? [], run.lease.recovering)
      for (const delivery of wanted) {
        if (this.#heldBytes > 0 && this.#heldBytes + delivery.payloadBytes > this.#limits.bytes) break
        this.#heldBytes += delivery.payloadBytes
        run.add(delivery)
      }
      run.complete = run.waiting.length === wanted.length
    }
    const eventIds = [...new Set(runs.flatMap((run) => run.waiting.map((one) => one.eventId)))]
    const events =
      eventIds.length === 0 ? new Map<string, EventContent>() : await readEvents(this.#ctx.db.root, eventIds)
    for (const run of runs) {
      run.takeContents(events)
      void this.#run(run)
    }
  }

  #forget(siteId: string): void {
    this.#heldBytes -= this.#runs.get(siteId)?.bytes ?? 0
    this.#runs.delete(siteId)
  }

  /** Attempts what a lane holds, one at a time until the site has answered, then side by side; then gives it back. */
  async #run(run: LaneRun): Promise<void> {
    const width = run.lease.suspect ? 1 : Math.min(this.#limits.slotsPerSite, run.waiting.length)
    if (await this.#sendNext(run)) await Promise.all(Array.from({ length: width }, () => this.#sendAll(run)))
    this.#recorder.release({ lease: run.lease, clean: run.isClean() })
  }

  async #sendAll(run: LaneRun): Promise<void> {
    while (await this.#sendNext(run)) {}
  }

  /** Makes one attempt, if one may start; false when nothing more is to be sent in this run. */
  async #sendNext(run: LaneRun): Promise<boolean> {
    if (run.waiting.length === 0) return false
    const slot = await this.#slots.take()
    try {
      const next = this.#mayStart(run) ? run.next() : undefined
      if (next === undefined) return false
      const { delivery, event } = next
      const finished = run.started(this.#ctx.clock.now(), slot)
      const result = await attemptDelivery(this.#ctx, this.#keys, delivery, event, this.#abort.signal)
      finished(result)
      if (result !== undefined) {
        this.#count(result)
        this.#recorder.record({ lease: run.lease, delivery, result })
      }
      return true
    } finally {
      slot.free()
    }
  }

  #mayStart(run: LaneRun): boolean {
    const neededMs = this.#ctx.config.deliveryTimeoutMs + RECORDING_MS
    return !this.#stopping && !run.halted && this.#ctx.clock.now().getTime() + neededMs <= run.lease.until.getTime()
  }
}
