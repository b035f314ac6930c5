/**
 * The life of an attempt, from the due lane to the recorded result: `step` leases lanes that are due and reads what is due in them,
 * `#hold` attempts that and hands each result to the recorder, which also releases the lane. README.md has the states and guarantees.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { remainingMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import { errorField } from '../platform/log.ts'
import type { StepResult } from '../platform/loop.ts'
import { Slots } from '../platform/slots.ts'
import { outcomeChanges } from './changes.ts'
import { EventContents } from './contents.ts'
import { readPending } from './debounce.ts'
import { HeldLane } from './held-lane.ts'
import {
  type DueDelivery,
  type EventContent,
  endUnanswered,
  leaseDueLanes,
  nextDueInMs,
  readDue,
  readTargets,
  type Target,
} from './lease.ts'
import { attemptMetrics, type Held } from './metrics.ts'
import { type AttemptOutcome, type AttemptResult, isAccepted, SLOW_MS } from './policy.ts'
import { Recorder } from './recorder.ts'
import type { LiveUrl, SiteOutcome } from './settle.ts'

/** A delivery with everything that its request is made of. */
export type Sendable = { delivery: DueDelivery; target: Target; event: EventContent }

/** What makes attempts: the channels of the kinds of destinations. */
export type AttemptMaker = {
  /** The longest that an attempt may take, in milliseconds. */
  budgetMs: number
  /** Makes one. Resolves with `unknown` when `signal` aborted it; never rejects. */
  attempt(one: Sendable, signal: AbortSignal): Promise<AttemptOutcome>
}

/**
 * `onReleased` is called when lanes were released, so that others, or the same ones, may be leased; `onOutcomes` in the transaction that
 * records results, with what they mean for sites that fail or have failed, or whose pages are looked at; so is `onLiveUrls`, with where sites
 * said that they show posts.
 */
export type DispatcherHooks = {
  onReleased(): void
  onOutcomes(tx: Tx, outcomes: readonly SiteOutcome[]): Promise<void>
  onLiveUrls(tx: Tx, liveUrls: readonly LiveUrl[]): Promise<void>
}

/** Bounds on concurrent work. Suspect lanes, whose sites did not answer last time, have bounds of their own. */
export type Limits = {
  /** Lanes held. */
  lanes: { prompt: number; suspect: number }
  /** Attempts in flight that have not been slow yet, in lanes that are not suspect. */
  attempts: number
  /** Attempts in flight of one lane. */
  attemptsPerLane: number
  /** Deliveries of which the ids are in memory; of a lane at least `leastPerLane` and at most `mostPerLane` are read. */
  read: { all: number; leastPerLane: number; mostPerLane: number }
  /** Contents of more than `above` bytes share so many bytes while they are being sent. */
  large: { above: number; prompt: number; suspect: number }
  /** After a batch of results the next one gathers for so long. */
  gatherMs: number
  /** So long after a lane was found locked its results are tried again. */
  lockedMs: number
}

const MIB = 1024 * 1024

const LIMITS: Limits = {
  lanes: { prompt: 2_048, suspect: 64 },
  attempts: 512,
  attemptsPerLane: 8,
  read: { all: 65_536, leastPerLane: 16, mostPerLane: 1_024 },
  large: { above: 16 * 1024, prompt: 32 * MIB, suspect: 8 * MIB },
  gatherMs: 25,
  lockedMs: 100,
}

/** Contents that are read ahead: of all lanes together, and of one. */
const READ_AHEAD = { all: 1_024, perLane: 64 }
/** Lanes that are held beyond the bound while they wait for room for large contents. */
const MOST_WAITING_FOR_ROOM = 4_096
/** Lanes leased by one statement, so that the first need not wait for all and other workers get their share. */
const MOST_LEASED_AT_ONCE = 512
/** An attempt starts only if its whole deadline and this much for recording fit into the rest of the lease. */
const RECORDING_MS = 2_000
/** A lease lasts this much longer than one deadline: the time to start a lane's attempts and to record the last. */
const STARTING_MS = 15_000

type Needs = Pick<Context, 'changes' | 'clock' | 'config' | 'db' | 'log' | 'metrics'>

/** Holds the lanes that this process works on. */
export class Dispatcher {
  readonly #ctx: Needs
  readonly #channels: AttemptMaker
  readonly #workerId: () => string | undefined
  readonly #limits: Limits
  readonly #recorder: Recorder
  readonly #contents: EventContents
  readonly #attempts: Slots
  /** Bytes of large contents that are being sent. */
  readonly #large: { prompt: Slots; suspect: Slots }
  readonly #count: (result: AttemptResult) => void
  readonly #abort = new AbortController()
  readonly #held = new Map<string, HeldLane>()
  #isStopping = false
  /** Lanes leased so far. */
  #leased = 0
  #stepping: Promise<StepResult> = Promise.resolve({ again: false })
  #whenIdle: Array<() => void> = []
  /** Lanes live outside the async context of whoever triggered the step: they must not join its trace or transaction. */
  readonly #outside = AsyncLocalStorage.snapshot()

  /** `workerId` is the id by which this worker holds lanes, while others know that it lives. */
  constructor(
    ctx: Needs,
    channels: AttemptMaker,
    workerId: () => string | undefined,
    { onReleased, onOutcomes, onLiveUrls }: DispatcherHooks,
    limits: Partial<Limits> = {},
  ) {
    this.#ctx = ctx
    this.#channels = channels
    this.#workerId = workerId
    this.#limits = { ...LIMITS, ...limits }
    this.#contents = new EventContents(ctx.db.root)
    this.#attempts = new Slots(this.#limits.attempts)
    this.#large = { prompt: new Slots(this.#limits.large.prompt), suspect: new Slots(this.#limits.large.suspect) }
    this.#count = attemptMetrics(ctx.metrics)
    this.#recorder = new Recorder(ctx, this.#limits, {
      onReleased: (leases) => {
        for (const { siteId } of leases) this.#held.delete(siteId)
        onReleased()
        if (this.#held.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve()
      },
      onOutcomes,
      onLiveUrls,
    })
  }

  /** Leases what it can and starts the attempts; does not wait for them. One call at a time. */
  step(): Promise<StepResult> {
    this.#stepping = this.#step()
    return this.#stepping
  }

  async #step(): Promise<StepResult> {
    const { changes, clock, db } = this.#ctx
    const source = { db: db.root, clock }
    const workerId = this.#workerId()
    const limits = this.#free()
    if (this.#isStopping || workerId === undefined || limits.prompt + limits.suspect === 0) return { again: false }
    const ms = this.#channels.budgetMs + STARTING_MS
    const leases = await leaseDueLanes(source, workerId, limits, { held: [...this.#held.keys()], ms })
    // From here on the lanes hear of what changes. What is read below is newer than what they do not hear of.
    const lanes = leases.map((lease) => new HeldLane(lease))
    for (const lane of lanes) this.#held.set(lane.lease.siteId, lane)
    this.#leased += lanes.length
    try {
      changes.announce(outcomeChanges(await endUnanswered(db.root, leases, clock.now())))
      const [due, targets] = await Promise.all([
        readDue(source, leases, this.#perLane(lanes.length)),
        readTargets(db.root, leases),
      ])
      const debounced = [...targets.values()].filter(({ debounceSeconds }) => debounceSeconds !== null)
      const pending = await readPending(
        source,
        debounced.map(({ siteId }) => siteId),
      )
      for (const lane of lanes) {
        const { siteId } = lane.lease
        lane.fill(targets.get(siteId), due.get(siteId) ?? [], pending.get(siteId))
        void this.#outside(() => this.#hold(lane))
      }
    } catch (error) {
      // Without their deliveries the lanes can only be released; the recorder does so once the database answers.
      for (const { lease } of lanes) this.#recorder.release({ lease, isAbandoned: lease.abandoned })
      throw error
    }
    const suspects = leases.filter(({ suspect }) => suspect).length
    const areAllLeased = suspects < limits.suspect && leases.length - suspects < limits.prompt
    if (!areAllLeased) return { again: true }
    const waitMs = await nextDueInMs(source)
    return waitMs === undefined ? { again: false } : { again: false, waitMs: Math.max(1, Math.ceil(waitMs)) }
  }

  /** Attempts what is due in a lane, and releases it. */
  async #hold(lane: HeldLane): Promise<void> {
    // The first attempt goes alone: a site that hangs costs one attempt, not eight.
    await this.#attemptNext(lane)
    // Of a debounced endpoint something is left only if the first had ended while it waited: what is next takes the rest along.
    const width = lane.isDebounced ? 1 : Math.min(this.#limits.attemptsPerLane, Math.ceil(lane.queue.length / 2))
    await Promise.all(Array.from({ length: width }, () => this.#attemptAll(lane)))
    this.#recorder.release({ lease: lane.lease, isAbandoned: lane.hasUnknown })
  }

  async #attemptAll(lane: HeldLane): Promise<void> {
    while (await this.#attemptNext(lane)) {}
  }

  /** Makes the lane's next attempt and hands its result to the recorder; returns false when there is none, or none may start. */
  async #attemptNext(lane: HeldLane): Promise<boolean> {
    const { siteId, suspect } = lane.lease
    const delivery = lane.queue.shift()
    if (delivery === undefined || !this.#mayStart(lane)) return false
    const { above } = this.#limits.large
    const budget = suspect ? this.#large.suspect : this.#large.prompt
    lane.waitingForRoom += 1
    const bytes = delivery.payloadBytes > above ? await budget.take(delivery.payloadBytes, siteId) : undefined
    lane.waitingForRoom -= 1
    const slot = suspect ? undefined : await this.#attempts.take(1, siteId)
    const ended = new AbortController()
    try {
      const event = await this.#contents.read(delivery.eventId, () => lane.queue.slice(0, this.#readAhead()))
      const { target } = lane
      // What does not start stays pending, and the lane is due again once it is released.
      if (!this.#mayStart(lane) || target === undefined) return false
      if (event === undefined || lane.hasEnded(delivery)) return true
      // A site that takes its time costs nothing meanwhile: others may have the slot.
      void this.#ctx.clock.sleep(SLOW_MS, ended.signal).then(() => slot?.free())
      const alongside = lane.takeAlongside()
      const startedAt = this.#ctx.clock.now()
      const outcome = await this.#channels.attempt({ delivery, target, event }, this.#abort.signal)
      lane.attempted(outcome)
      if (outcome.kind === 'unknown') return false
      const result = { ...outcome, startedAt, finishedAt: this.#ctx.clock.now() }
      this.#count(result)
      const settled = alongside && [...alongside.due, ...(isAccepted(result) ? alongside.later : [])]
      const { lease, isOutdated } = lane
      const { verifies } = target
      this.#recorder.record({ lease, delivery, alongside: settled, result, isOutdated, verifies })
      return true
    } catch (error) {
      // The database does not answer. The lane is released once it does.
      this.#ctx.log.error('deliveries.unread', { site_id: siteId, error: errorField(error) })
      lane.isHalted = true
      return false
    } finally {
      ended.abort()
      slot?.free()
      bytes?.free()
    }
  }

  /** Whether an attempt that starts now ends, and is recorded, while this worker certainly has the lane. */
  #mayStart({ isHalted, lease, target }: HeldLane): boolean {
    const { clock } = this.#ctx
    const isOurs = lease.workerId === this.#workerId() && !this.#isStopping
    return (
      isOurs &&
      !isHalted &&
      target !== undefined &&
      remainingMs(clock, lease.deadline) >= this.#channels.budgetMs + RECORDING_MS
    )
  }

  /** Notes that a site's endpoint has changed (any site's, if undefined): what was read before is not used any more. */
  endpointChanged(siteId: string | undefined): void {
    if (siteId !== undefined) this.#held.get(siteId)?.endpointChanged()
    else for (const lane of this.#held.values()) lane.isHalted = true
  }

  /** Notes that what was pending of a post for a site has ended: deliveries read before are not sent. `subject`: `siteId/postId`. */
  superseded(subject: string | undefined): void {
    const [siteId, postId = ''] = subject?.split('/') ?? []
    if (siteId !== undefined) this.#held.get(siteId)?.endPost(postId)
  }

  /** What is held now. */
  held(): Held {
    return { lanes: this.#held.size, suspects: this.#countHeld(true), freeAttempts: this.#attempts.free }
  }

  /** Runs until nothing is due and nothing is in flight. */
  async drain(): Promise<void> {
    let before: number
    do {
      before = this.#leased
      await this.step()
      await this.idle()
    } while (this.#leased > before)
  }

  /** Resolves once no lane is held. */
  idle(): Promise<void> {
    if (this.#held.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#whenIdle.push(resolve))
  }

  /** Starts nothing more, lets attempts in flight finish for `graceMs`, then aborts them; releases all lanes. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    const finished = new AbortController()
    const grace = this.#ctx.clock.sleep(graceMs, finished.signal).then(() => this.#abort.abort())
    // A step that is leasing now still has its lanes released.
    await this.#stepping.catch(() => {})
    await this.idle()
    finished.abort()
    await grace
  }

  /** How many lanes of each kind to lease now. */
  #free(): { prompt: number; suspect: number } {
    const suspects = this.#countHeld(true)
    const { prompt, suspect } = this.#limits.lanes
    let waiting = 0
    for (const { lease, waitingForRoom } of this.#held.values()) if (!lease.suspect && waitingForRoom > 0) waiting += 1
    // Those that wait for room for large contents use nothing but memory: they must not keep others out.
    const free = prompt - (this.#held.size - suspects - Math.min(waiting, MOST_WAITING_FOR_ROOM))
    return { prompt: Math.min(free, MOST_LEASED_AT_ONCE), suspect: suspect - suspects }
  }

  #countHeld(suspect: boolean): number {
    let count = 0
    for (const { lease } of this.#held.values()) if (lease.suspect === suspect) count += 1
    return count
  }

  /** How many deliveries to read from each of so many lanes. */
  #perLane(lanes: number): number {
    const { all, leastPerLane, mostPerLane } = this.#limits.read
    let waiting = 0
    for (const { queue } of this.#held.values()) waiting += queue.length
    const share = Math.floor((all - waiting) / Math.max(1, lanes))
    return Math.max(leastPerLane, Math.min(mostPerLane, share))
  }

  /** How many contents of a lane to read ahead: few lanes read far, or what many read would be gone from the cache before it is needed. */
  #readAhead(): number {
    return Math.max(1, Math.min(READ_AHEAD.perLane, Math.floor(READ_AHEAD.all / this.#held.size)))
  }
}
