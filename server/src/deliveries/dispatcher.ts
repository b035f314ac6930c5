/**
 * The delivery engine's dispatcher: it leases lanes that are due, attempts what is due in them, hands the results to the
 * recorder and releases the lanes. README.md has the states and the guarantees.
 *
 * Hanging sites do not hold up the others: a lane starts with one attempt and widens once the site has answered; an attempt
 * that is not answered promptly gives up its slot (turns.ts), and after a second its lane moves to the budget of slow lanes;
 * a site that did not answer at all is suspect, and gets one attempt at a time from a budget of its own.
 */
import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { StepResult } from '../platform/loop.ts'
import { attemptDelivery } from './attempt.ts'
import { EventContents } from './event-contents.ts'
import type { Filled, Promised } from './handover.ts'
import { type Flight, KINDS, kindOf, LaneRun, type LeasedKind, type RunKind } from './lane-run.ts'
import {
  type DueDelivery,
  type DueLane,
  type EventContent,
  type LaneLease,
  leaseDueLanes,
  nextDueAt,
  readDue,
  readTargets,
  type Target,
  type Term,
  termFrom,
} from './lease.ts'
import { attemptMetrics, type Held } from './metrics.ts'
import { News } from './news.ts'
import { type AttemptResult, chooseAttempts, SLOW_MS } from './policy.ts'
import { type Gathering, Recorder } from './recorder.ts'
import { type TurnLimits, Turns } from './turns.ts'

/** Bounds on concurrent work. */
export type Limits = TurnLimits & {
  /** Lanes held, by kind. */
  lanes: Record<RunKind, number>
  reading: Reading
  gathering: Gathering
}

/**
 * Deliveries read in one step: `perStep`, shared between its prompt lanes; of each at most `many`, or `few` once `waiting` wait
 * in prompt lanes. A lane that gets slow keeps `few`.
 */
type Reading = { perStep: number; many: number; few: number; waiting: number }

const LIMITS: Limits = {
  slots: 512,
  slotsWhenBusy: 96,
  inFlight: 1_024,
  slotsPerSite: 8,
  perTurn: 8,
  lanes: { prompt: 2_048, slow: 1_024, suspect: 64 },
  reading: { perStep: 2_048, many: 1_024, few: 256, waiting: 16_384 },
  gathering: { from: 32, ms: 40 },
  large: { above: 16 * 1024, waiting: 512, prompt: 32 * 1024 * 1024, suspect: 8 * 1024 * 1024 },
}

/** Prompt lanes are leased in batches, once this share of their budget is free. Suspects are slow, and leased one by one. */
const WORTH_LEASING: Record<LeasedKind, number> = { prompt: 1 / 4, suspect: 0 }
/** Prompt lanes leased by one statement, so that the first need not wait for all and other workers get their share. */
const MOST_AT_ONCE = 512
/** An enqueue that fills more lanes than this hands none over: all workers share them. */
const MOST_HANDED_OVER = 64

/** An attempt starts only if its whole deadline and this much for recording fit into the rest of the lease. */
const RECORDING_MS = 2_000
/** A lease lasts this much longer than one deadline: the time to start a lane's attempts and to record the last. */
const STARTING_MS = 15_000

/** A lane that attempts nothing because too many wait for room is due again this much later; further ones follow in order, 1 ms apart. */
const POSTPONED_MS = 2_000
const LONGEST_POSTPONED_MS = 60_000

/** Lanes due later than this need no step now: the loop polls in time. */
const SOON_MS = 1_000

type Needs = Pick<Context, 'changes' | 'clock' | 'config' | 'db' | 'egress' | 'keys' | 'log' | 'metrics' | 'traces'>

/** Holds the lanes that this process works on. */
export class Dispatcher {
  readonly #ctx: Needs
  readonly #limits: Limits
  readonly #recorder: Recorder
  readonly #turns: Turns
  readonly #contents: EventContents
  readonly #count: (result: AttemptResult) => void
  readonly #onCapacity: () => void
  readonly #abort = new AbortController()
  readonly #runs = new Map<string, LaneRun>()
  readonly #news = new News()
  /** When the lane that was postponed last is due. */
  #lastPostponed = new Date(0)
  /** How many lanes the last step leased. */
  #found = 0
  #stopping = false
  /** Whether other workers may take this one for dead now (presence.ts), and how often it came to that. */
  #isMissed = false
  #misses = 0
  /** Why a content could not be read since the last step. */
  #unreadable: Error | undefined
  /** Whether the last lease found fewer lanes than it had room for: then no more are due for now. */
  readonly #exhausted: Record<LeasedKind, boolean> = { prompt: false, suspect: false }
  #stepping: Promise<StepResult> = Promise.resolve({ again: false })
  #whenIdle: Array<() => void> = []

  /** `onCapacity` is called when lanes were released and a step may lease others. */
  constructor(ctx: Needs, onCapacity: () => void, limits: Partial<Limits> = {}) {
    this.#ctx = ctx
    this.#onCapacity = onCapacity
    this.#limits = { ...LIMITS, ...limits }
    this.#turns = new Turns(ctx.clock, this.#limits, {
      mayStart: (run) => this.#mayStart(run),
      attempt: (run, delivery, flight) => void this.#attempt(run, delivery, flight),
      done: (run) => this.#release(run),
    })
    this.#contents = new EventContents(ctx.db.root, this.#limits.large.above)
    this.#count = attemptMetrics(ctx.metrics)
    this.#recorder = new Recorder(ctx, this.#limits.gathering, (releases, nextDue) => {
      for (const { lease } of releases) this.#forget(lease)
      if (releases.length > 0 && KINDS.some((kind) => this.#isWorthAStep(kind, nextDue[kind]))) onCapacity()
      if (this.#runs.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve()
    })
  }

  /** Promises to take lanes that an enqueue leases; not while other due lanes may be waiting for a lease or for slots. */
  promise(lanes: number, now: Date): Promised | undefined {
    if (this.#isResting() || !this.#exhausted.prompt || lanes > MOST_HANDED_OVER) return undefined
    if (lanes > this.#turns.free() || lanes > this.#room('prompt')) return undefined
    return { term: this.#termFrom(now), heard: this.#news.count }
  }

  /**
   * Starts lanes that an enqueue leased. A lane whose site there was news of since the promise, or for which there is no room, is
   * released at once, to be read afresh.
   */
  take({ promised, lanes, contents }: Filled): void {
    for (const [eventId, content] of contents) this.#contents.keep(eventId, content)
    for (const { lease, target, due } of lanes) {
      const hasRoom = this.#room('prompt') > 0
      const run = this.#hold(lease, 'prompt')
      if (run === undefined) continue
      if (this.#news.since(promised.heard, lease.siteId) || !hasRoom) run.halt()
      this.#start(run, target, due)
    }
  }

  /**
   * Begins a run of a leased lane. If this process still has an old run of it, the release of that is not known here yet, or its lease
   * was lost while the process was suspended or missed: the old run starts nothing more. While it has attempts in flight, no new
   * run begins: the new lease is released at once; the lane is leased later.
   */
  #hold(lease: LaneLease, kind: RunKind): LaneRun | undefined {
    const lost = this.#runs.get(lease.siteId)
    lost?.halt()
    if (lost !== undefined && lost.flights.length > 0) {
      this.#recorder.release({ lease, clean: !lease.recovering, postponed: undefined })
      return undefined
    }
    const run = new LaneRun(lease, kind)
    this.#runs.set(lease.siteId, run)
    return run
  }

  /** Leases what it can and starts the attempts; does not wait for them. One call at a time. */
  step(): Promise<StepResult> {
    this.#stepping = this.#step()
    return this.#stepping
  }

  /** Runs until nothing is due and nothing is in flight. */
  async drain(): Promise<void> {
    do {
      await this.step()
      await this.idle()
    } while (this.#found > 0)
  }

  /** Resolves once no lane is held. */
  idle(): Promise<void> {
    if (this.#runs.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#whenIdle.push(resolve))
  }

  /** Notes that a site's endpoint has changed (any site's, if undefined): what was read before is not used any more. */
  endpointChanged(siteId: string | undefined): void {
    this.#news.hear(siteId)
    if (siteId !== undefined) this.#runs.get(siteId)?.outdate()
    else for (const run of this.#runs.values()) run.halt()
  }

  /** Notes that what was pending of a post for a site has ended: deliveries read before are not sent. `subject`: `siteId/postId`. */
  superseded(subject: string | undefined): void {
    const [siteId, postId = ''] = subject?.split('/') ?? []
    this.#news.hear(siteId)
    if (siteId !== undefined) this.#runs.get(siteId)?.end(postId)
  }

  /**
   * Until `membershipRegained`, other workers may take this one for dead and take over its lanes: it starts nothing more under its leases,
   * and takes no new ones.
   */
  membershipLost(): void {
    this.#isMissed = true
    this.#misses += 1
    this.endpointChanged(undefined)
  }

  /** Others know again that this worker lives. */
  membershipRegained(): void {
    this.#isMissed = false
    this.#onCapacity()
  }

  /** What is held now. */
  held(): Held {
    return {
      lanes: this.#runs.size,
      suspects: this.#countHeld('suspect'),
      waitingForRoom: this.#turns.waitingForRoom(),
      slots: this.#turns.free(),
    }
  }

  /** Starts nothing more, lets attempts in flight finish for `graceMs`, then aborts them; releases all lanes. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true
    this.#turns.tidy()
    const finished = new AbortController()
    const grace = this.#ctx.clock.sleep(graceMs, finished.signal).then(() => this.#abort.abort())
    // A step that is leasing now still starts its lanes, which are released at once.
    await this.#stepping.catch(() => {})
    await this.idle()
    finished.abort()
    await grace
  }

  /** Whether no lanes are leased for now. */
  #isResting(): boolean {
    return this.#stopping || this.#isMissed
  }

  async #step(): Promise<StepResult> {
    if (this.#isResting()) return { again: false }
    const error = this.#unreadable
    this.#unreadable = undefined
    // The loop backs off after an error; the lanes are due again already.
    if (error !== undefined) throw error
    const now = this.#ctx.clock.now()
    this.#setSlowOnesApart(now)
    this.#turns.tidy()
    const leases = await this.#lease(now)
    this.#found = leases.length
    try {
      if (leases.length > 0) await this.#startLanes(leases, now)
    } catch (error) {
      // Without their deliveries the lanes can only be released; the recorder does so once the database answers.
      for (const lease of leases) this.#recorder.release({ lease, clean: !lease.recovering, postponed: undefined })
      throw error
    }
    if (KINDS.some((kind) => this.#isWorthAStep(kind))) return { again: true }
    if (!KINDS.some((kind) => this.#exhausted[kind])) return { again: false }
    const next = await nextDueAt(this.#ctx.db.root, now)
    return next === undefined ? { again: false } : { again: false, waitMs: Math.max(1, next.getTime() - now.getTime()) }
  }

  /** Whether a step may find lanes of a kind to lease; `due` is when the first of those just released is due. */
  #isWorthAStep(kind: LeasedKind, due: Date | null = null): boolean {
    const isSoon = due !== null && due.getTime() - this.#ctx.clock.now().getTime() < SOON_MS
    return (isSoon || !this.#exhausted[kind]) && this.#room(kind) > 0
  }

  #release(run: LaneRun): void {
    const { lease } = run
    const postponed = run.postponed
      ? { known: plusMs(lease.until, -lease.ms), until: this.#postpone(this.#ctx.clock.now()) }
      : undefined
    this.#recorder.release({ lease, clean: run.isClean(), postponed })
  }

  /** Until when the next lane is postponed. */
  #postpone(now: Date): Date {
    const earliest = plusMs(now, POSTPONED_MS)
    const afterLast = plusMs(this.#lastPostponed, 1)
    const isInOrder = afterLast > earliest && afterLast < plusMs(now, LONGEST_POSTPONED_MS)
    this.#lastPostponed = isInOrder ? afterLast : earliest
    return this.#lastPostponed
  }

  #termFrom(now: Date): Term {
    return termFrom(this.#ctx.clock, now, this.#ctx.config.deliveryTimeoutMs + STARTING_MS)
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
      const isSlow = run.kind === 'prompt' && run.isSlow(now.getTime() - SLOW_MS)
      if (run.kind === 'slow' || !(isSlow || this.#recorder.isAside(run.lease.siteId))) continue
      run.slowDown(this.#limits.reading.few)
      free -= 1
    }
  }

  async #lease(now: Date): Promise<DueLane[]> {
    const limits = { prompt: Math.min(this.#room('prompt'), MOST_AT_ONCE), suspect: this.#room('suspect') }
    for (const kind of KINDS) this.#exhausted[kind] = false
    if (limits.prompt + limits.suspect === 0) return []
    const held = [...this.#runs.keys()]
    const { clock, db } = this.#ctx
    const misses = this.#misses
    const leases = await leaseDueLanes(db.root, clock, limits, { held, now, term: this.#termFrom(now) })
    for (const lease of leases) {
      const run = this.#hold(lease, kindOf(lease))
      // Membership was lost during the lease: another worker may have the lane by now.
      if (misses !== this.#misses) run?.halt()
    }
    const suspects = leases.filter(({ suspect }) => suspect).length
    this.#exhausted.suspect = suspects < limits.suspect
    this.#exhausted.prompt = leases.length - suspects < limits.prompt
    return leases
  }

  /** How many lanes of a kind to lease now; 0 while it is not worth a statement. */
  #room(kind: LeasedKind): number {
    const limit = this.#limits.lanes[kind]
    const free = limit - this.#countHeld(kind)
    return free >= limit * WORTH_LEASING[kind] ? Math.max(0, free) : 0
  }

  async #startLanes(leases: readonly DueLane[], now: Date): Promise<void> {
    const { root } = this.#ctx.db
    const { prompt = [], suspect = [] } = Object.groupBy(leases, kindOf)
    const perLane = this.#perLane(prompt.length)
    const [inPrompt, inSuspect, targets] = await Promise.all([
      readDue(root, prompt, perLane.prompt, now),
      readDue(root, suspect, perLane.suspect, now),
      readTargets(root, leases),
    ])
    const due = Map.groupBy([...inPrompt, ...inSuspect], (one) => one.siteId)
    for (const lease of leases) {
      const run = this.#runs.get(lease.siteId)
      // What was read is of this lease. It may be lost by now, and the lane have another run.
      if (run?.lease !== lease) continue
      const dueInLane = due.get(lease.siteId) ?? []
      run.complete = dueInLane.length < perLane[kindOf(lease)]
      this.#start(run, targets.get(lease.siteId), dueInLane)
    }
  }

  /**
   * How many deliveries to read from each of so many prompt lanes, and from a suspect: at least enough to keep a site's slots busy. Once a
   * lane has sent what was read, it is idle until it is released and leased anew.
   */
  #perLane(promptLanes: number): Record<LeasedKind, number> {
    const { slotsPerSite, reading } = this.#limits
    const least = 2 * slotsPerSite
    let waiting = 0
    for (const run of this.#runs.values()) if (run.kind === 'prompt') waiting += run.waiting.length
    const most = waiting < reading.waiting ? reading.many : reading.few
    const share = Math.floor(reading.perStep / Math.max(1, promptLanes))
    return { prompt: Math.max(least, Math.min(most, share)), suspect: least }
  }

  #start(run: LaneRun, target: Target | undefined, due: readonly DueDelivery[]): void {
    run.target = target
    if (target !== undefined) run.waiting = chooseAttempts(due, run.lease.recovering)
    if (this.#mayStart(run)) this.#readAhead(run)
    this.#turns.join(run)
  }

  /** A suspect's attempts wait for their site, not for their contents. */
  #readAhead(run: LaneRun): void {
    if (!run.lease.suspect) this.#contents.readAhead(run.waiting)
  }

  /** Forgets a released lane, unless an enqueue has leased it again before the release was heard of here. */
  #forget(lease: LaneLease): void {
    if (this.#runs.get(lease.siteId)?.lease === lease) this.#runs.delete(lease.siteId)
  }

  /** Makes an attempt and records its result. */
  async #attempt(run: LaneRun, delivery: DueDelivery, flight: Flight): Promise<void> {
    try {
      const event = this.#contents.known(delivery.eventId) ?? (await this.#readContent(run, delivery.eventId))
      const { target } = run
      if (!this.#mayStart(run)) return void run.waiting.unshift(delivery)
      if (event === undefined || target === undefined || run.leavesOut(delivery)) return
      this.#readAhead(run)
      this.#turns.sent(flight)
      const result = await attemptDelivery(this.#ctx, { delivery, target, event }, this.#abort.signal)
      run.answered(result)
      if (result === undefined) return
      this.#count(result)
      this.#recorder.record({
        lease: run.lease,
        delivery,
        result: run.outdated ? { ...result, silent: false } : result,
      })
    } finally {
      this.#turns.land(run, flight)
    }
  }

  /** The content of an event; undefined when it has been purged. When it cannot be read, the lane is halted and released. */
  async #readContent(run: LaneRun, eventId: string): Promise<EventContent | undefined> {
    try {
      return await this.#contents.read(eventId)
    } catch (error) {
      this.#unreadable = error instanceof Error ? error : new Error(String(error))
      run.halt()
      return undefined
    }
  }

  /** Whether the lease leaves an attempt that starts now time to end and be recorded. */
  #isLongEnough({ until, untilMs }: LaneLease): boolean {
    const { clock, config } = this.#ctx
    const neededMs = config.deliveryTimeoutMs + RECORDING_MS
    return clock.now().getTime() + neededMs <= until.getTime() && clock.monotonicMs() + neededMs <= untilMs
  }

  #mayStart(run: LaneRun): boolean {
    return !this.#stopping && !run.halted && this.#isLongEnough(run.lease)
  }
}
