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
import { chooseAttempts } from './policy.ts'
import { Recorder } from './recorder.ts'
import { Slots } from './slots.ts'

/** How much is done at once. */
export type Limits = {
  /** Attempts in flight that may still be answered promptly. */
  slots: number
  /** Attempts in flight per site. */
  slotsPerSite: number
  /** Lanes held, by kind. */
  lanes: Record<RunKind, number>
  /** Bytes of event contents held for attempts. */
  bytes: number
}

const LIMITS: Limits = {
  slots: 256,
  slotsPerSite: 8,
  lanes: { prompt: 256, slow: 1024, suspect: 64 },
  bytes: 64 * 1024 * 1024,
}

/** An attempt starts only if its whole deadline and this much for recording fit into what is left of the lease. */
const RECORDING_MS = 2_000
/** What a lease has beyond one deadline: the time in which a lane's attempts may start. */
const STARTING_MS = 15_000
/** An attempt that is not answered by then is slow. */
const SLOW_MS = 1_000

type Needs = Pick<Context, 'clock' | 'config' | 'db' | 'egress' | 'keys' | 'log'>

/** Holds the lanes that this process works on. */
export class Dispatcher {
  readonly #ctx: Needs
  readonly #limits: Limits
  readonly #recorder: Recorder
  readonly #slots: Slots
  readonly #abort = new AbortController()
  readonly #runs = new Map<string, LaneRun>()
  #heldBytes = 0
  #stopping = false
  #stepping: Promise<StepResult> = Promise.resolve({ again: false })
  #whenIdle: Array<() => void> = []

  /** `onCapacity` is called when lanes were given back and a step may lease others. */
  constructor(ctx: Needs, onCapacity: () => void, limits: Partial<Limits> = {}) {
    this.#ctx = ctx
    this.#limits = { ...LIMITS, ...limits }
    this.#slots = new Slots(this.#limits.slots)
    this.#recorder = new Recorder(ctx, (releases) => {
      for (const { lease } of releases) this.#forget(lease.siteId)
      if (releases.length > 0) onCapacity()
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
      const next = await nextDueAt(this.#ctx.db.root, now)
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
    const until = plusMs(now, this.#ctx.config.deliveryTimeoutMs + STARTING_MS)
    const leases: LaneLease[] = []
    for (const kind of ['prompt', 'suspect'] as const) {
      const limit = this.#limits.lanes[kind] - this.#countHeld(kind)
      if (limit <= 0) continue
      const held = [...this.#runs.keys()]
      const taken = await leaseDueLanes(this.#ctx.db.root, { suspect: kind === 'suspect', limit, held, now, until })
      for (const lease of taken) this.#runs.set(lease.siteId, new LaneRun(lease, kind))
      leases.push(...taken)
    }
    return leases
  }

  async #startLanes(leases: readonly LaneLease[], now: Date): Promise<void> {
    // Enough to keep a site's slots busy, few enough that lanes take turns.
    const perLane = 2 * this.#limits.slotsPerSite
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
    for (const run of runs) void this.#run(run, events)
  }

  #forget(siteId: string): void {
    this.#heldBytes -= this.#runs.get(siteId)?.bytes ?? 0
    this.#runs.delete(siteId)
  }

  /** Attempts what a lane holds, one at a time until the site has answered, then side by side; then gives it back. */
  async #run(run: LaneRun, events: Map<string, EventContent>): Promise<void> {
    const width = run.lease.suspect ? 1 : Math.min(this.#limits.slotsPerSite, run.waiting.length)
    if (await this.#sendNext(run, events))
      await Promise.all(Array.from({ length: width }, () => this.#sendAll(run, events)))
    this.#recorder.release({ lease: run.lease, clean: run.isClean() })
  }

  async #sendAll(run: LaneRun, events: Map<string, EventContent>): Promise<void> {
    while (await this.#sendNext(run, events)) {}
  }

  /** Makes one attempt, if one may start; false when nothing more is to be sent in this run. */
  async #sendNext(run: LaneRun, events: Map<string, EventContent>): Promise<boolean> {
    if (run.waiting.length === 0) return false
    const slot = await this.#slots.take()
    try {
      const delivery = this.#mayStart(run) ? run.waiting.shift() : undefined
      const event = delivery && events.get(delivery.eventId)
      if (delivery === undefined || event === undefined) return false
      const finished = run.started(this.#ctx.clock.now(), slot)
      const result = await attemptDelivery(this.#ctx, delivery, event, this.#abort.signal)
      finished(result)
      if (result !== undefined) this.#recorder.record({ lease: run.lease, delivery, result })
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
