/**
 * The delivery engine's moving part: lease lanes that are due, attempt what is due in them, hand the results to the
 * recorder, give the lanes back. README.md has the states and the guarantees.
 *
 * Limits: a global number of attempts in flight, a number per site, and for suspect sites one attempt each and a
 * budget of lanes of their own, so that sites that hang cannot take the slots of those that answer.
 */
import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { StepResult } from '../platform/loop.ts'
import { attemptDelivery } from './attempt.ts'
import {
  type DueDelivery,
  type EventContent,
  type LaneLease,
  leaseDueLanes,
  nextDueAt,
  readDue,
  readEvents,
} from './lease.ts'
import { chooseAttempts } from './policy.ts'
import { Recorder } from './recorder.ts'
import { Slots } from './slots.ts'

/** Attempts in flight: in all, and per site. */
const SLOTS = 256
const SLOTS_PER_SITE = 8
/** Lanes held at a time: of healthy sites, and of suspect ones (one slot each, so a quarter of all slots). */
const LANES = 256
const SUSPECT_LANES = SLOTS / 4
/** Deliveries read per lane and lease: enough to keep a site's slots busy, few enough to take turns. */
const DUE_PER_LANE = 2 * SLOTS_PER_SITE
/** Contents of events held for one batch of leases (bytes); what does not fit waits for the next turn. */
const BATCH_BYTES = 32 * 1024 * 1024
/** An attempt starts only if its whole deadline and this much for recording fit into what is left of the lease. */
const RECORDING_MS = 2_000
/** What a lease has beyond one deadline: the time in which a lane's attempts may start. */
const STARTING_MS = 15_000

type Needs = Pick<Context, 'clock' | 'config' | 'db' | 'egress' | 'keys' | 'log'>

/** Holds the lanes that this process works on. */
export class Dispatcher {
  readonly #ctx: Needs
  readonly #recorder: Recorder
  readonly #slots = new Slots(SLOTS)
  readonly #abort = new AbortController()
  #stopping = false
  #held = { healthy: 0, suspect: 0 }
  #whenIdle: Array<() => void> = []

  /** `onCapacity` is called when lanes were given back and a step may lease others. */
  constructor(ctx: Needs, onCapacity: () => void) {
    this.#ctx = ctx
    this.#recorder = new Recorder(ctx, (releases) => {
      for (const { lease } of releases) this.#held[lease.suspect ? 'suspect' : 'healthy'] -= 1
      if (releases.length > 0) onCapacity()
      if (this.#heldLanes() === 0) for (const resolve of this.#whenIdle.splice(0)) resolve()
    })
  }

  /** Leases what it can and starts the attempts; does not wait for them. One call at a time. */
  async step(): Promise<StepResult> {
    if (this.#stopping) return { again: false }
    const now = this.#ctx.clock.now()
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

  /** Runs until nothing is due and nothing is in flight. */
  async drain(): Promise<void> {
    while ((await this.step()).again) await this.idle()
    await this.idle()
  }

  /** Resolves once no lane is held. */
  idle(): Promise<void> {
    if (this.#heldLanes() === 0) return Promise.resolve()
    return new Promise((resolve) => this.#whenIdle.push(resolve))
  }

  /** Starts nothing more, lets attempts in flight finish for `graceMs`, then aborts them; all lanes are given back. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true
    const finished = new AbortController()
    const grace = this.#ctx.clock.sleep(graceMs, finished.signal).then(() => this.#abort.abort())
    await this.idle()
    finished.abort()
    await grace
  }

  #heldLanes(): number {
    return this.#held.healthy + this.#held.suspect
  }

  async #lease(now: Date): Promise<LaneLease[]> {
    const until = plusMs(now, this.#ctx.config.deliveryTimeoutMs + STARTING_MS)
    const leases: LaneLease[] = []
    for (const [suspect, free] of [
      [false, LANES - this.#held.healthy],
      [true, SUSPECT_LANES - this.#held.suspect],
    ] as const) {
      if (free > 0) leases.push(...(await leaseDueLanes(this.#ctx.db.root, { suspect, limit: free, now, until })))
    }
    for (const lease of leases) this.#held[lease.suspect ? 'suspect' : 'healthy'] += 1
    return leases
  }

  async #startLanes(leases: readonly LaneLease[], now: Date): Promise<void> {
    const due = Map.groupBy(await readDue(this.#ctx.db.root, leases, DUE_PER_LANE, now), (one) => one.siteId)
    const fits = withinBytes(BATCH_BYTES)
    const chosen = leases.map((lease) => {
      const wanted = chooseAttempts(due.get(lease.siteId) ?? [], lease.recovering)
      const fitting = wanted.filter(fits)
      return { lease, fitting, complete: fitting.length === wanted.length }
    })
    const eventIds = [...new Set(chosen.flatMap(({ fitting }) => fitting.map((one) => one.eventId)))]
    const events =
      eventIds.length === 0 ? new Map<string, EventContent>() : await readEvents(this.#ctx.db.root, eventIds)
    for (const { lease, fitting, complete } of chosen) void this.#runLane(lease, fitting, complete, events)
  }

  /** Attempts the chosen deliveries of one lane, then gives the lane back. */
  async #runLane(
    lease: LaneLease,
    chosen: readonly DueDelivery[],
    complete: boolean,
    events: Map<string, EventContent>,
  ): Promise<void> {
    const waiting = [...chosen]
    let unknownOutcomes = 0
    let silent = false
    const sendInTurn = async () => {
      for (;;) {
        const slot = await this.#slots.take()
        try {
          const delivery = !silent && this.#mayStart(lease) ? waiting.shift() : undefined
          const event = delivery && events.get(delivery.eventId)
          if (delivery === undefined || event === undefined) return
          const result = await attemptDelivery(this.#ctx, delivery, event, this.#abort.signal)
          if (result === undefined) unknownOutcomes += 1
          else this.#recorder.record({ lease, delivery, result })
          silent ||= result?.silent === true
        } finally {
          slot.free()
        }
      }
    }
    const width = Math.min(chosen.length, lease.suspect ? 1 : SLOTS_PER_SITE)
    await Promise.all(Array.from({ length: width }, sendInTurn))
    const recovered = !lease.recovering || (complete && chosen.length > 0 && waiting.length === 0)
    this.#recorder.release({ lease, clean: unknownOutcomes === 0 && recovered })
  }

  #mayStart(lease: LaneLease): boolean {
    const neededMs = this.#ctx.config.deliveryTimeoutMs + RECORDING_MS
    return !this.#stopping && this.#ctx.clock.now().getTime() + neededMs <= lease.until.getTime()
  }
}

/** Accepts deliveries until the contents of their distinct events exceed `limit` bytes; the first always fits. */
function withinBytes(limit: number): (delivery: DueDelivery) => boolean {
  const counted = new Set<string>()
  let bytes = 0
  return ({ eventId, payloadBytes }) => {
    if (counted.has(eventId)) return true
    if (bytes > 0 && bytes + payloadBytes > limit) return false
    counted.add(eventId)
    bytes += payloadBytes
    return true
  }
}
