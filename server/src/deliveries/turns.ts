import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../platform/clock.ts'
import { Slots } from '../platform/slots.ts'
import { type Flight, kindOf, type LaneRun, type LeasedKind } from './lane-run.ts'
import type { DueDelivery } from './lease.ts'

/** How many attempts there may be at once. */
export type TurnLimits = {
  /** Attempts in flight that may still be answered promptly. */
  slots: number
  /** Attempts in flight up to which those that are not answered promptly make room for others at once. */
  inFlight: number
  /** Attempts in flight per site. */
  slotsPerSite: number
  /** Contents of more bytes than `above` share so many bytes at once, those for suspects apart; one that is larger still goes alone. */
  large: { above: number } & Record<LeasedKind, number>
}

/** An attempt that is not answered by then is not answered promptly. */
const PROMPT_MS = 200
/** An attempt that is not answered by then is slow. */
export const SLOW_MS = 1_000

/** What is done with a lane when it has its turn. `attempt` ends with a call of `land`. */
type Doing = {
  mayStart(run: LaneRun): boolean
  attempt(run: LaneRun, delivery: DueDelivery, flight: Flight): void
  /** Nothing is left to attempt, and nothing is in flight. */
  done(run: LaneRun): void
}

/**
 * Whose attempt is next. The lanes that are held stand in line for the slots, each for one attempt at a time, so that a lane
 * with much to send takes turns with the others. Nothing waits but the lane itself: under load there are thousands, and what
 * waits for long is what collecting garbage costs.
 *
 * Few slots are enough for sites that answer promptly, and keep memory small. Most sites in the world take longer, and cost
 * nothing while they do: an attempt gives its slot to others after `PROMPT_MS` while few are in flight, and after `SLOW_MS`
 * however many there are.
 */
export class Turns {
  readonly #clock: Clock
  readonly #limits: TurnLimits
  readonly #doing: Doing
  readonly #large: Record<LeasedKind, Slots>
  readonly #line = new Set<LaneRun>()
  /** Attempts that have a slot, the longest in flight first. */
  readonly #holders = new Set<Flight>()
  readonly #outside = AsyncLocalStorage.snapshot()
  #inFlight = 0
  #waiting = false

  constructor(clock: Clock, limits: TurnLimits, doing: Doing) {
    this.#clock = clock
    this.#limits = limits
    this.#doing = doing
    const { prompt, suspect } = limits.large
    this.#large = { prompt: new Slots(prompt), suspect: new Slots(suspect) }
  }

  get freeSlots(): number {
    return this.#limits.slots - this.#holders.size
  }

  /** Whether so many attempts could start at once. */
  hasRoom(count: number): boolean {
    if (this.freeSlots < count) this.#takeFromSlow()
    return this.freeSlots >= count
  }

  /** Takes in a lane that was just leased and read. */
  join(run: LaneRun): void {
    this.#goOn(run)
    // Whoever filled the lane, or woke the loop, is done; its trace is not that of the attempts.
    this.#outside(() => this.#serve())
  }

  /** An attempt is over. The site has answered, so its lane may widen. */
  land(run: LaneRun, flight: Flight): void {
    run.flights.delete(flight)
    flight.room?.free()
    this.#inFlight -= 1
    this.#holders.delete(flight)
    if (!run.lease.suspect) run.width = this.#limits.slotsPerSite
    this.#goOn(run)
    this.#serve()
  }

  /** Puts a lane at the end of the line if it may start another attempt; it is done when there is none to start and none in flight. */
  #goOn(run: LaneRun): void {
    if (run.room !== undefined && run.room.slot === undefined) return // it comes when there is room
    if (run.waiting.length > 0 && this.#doing.mayStart(run)) {
      if (run.flights.size < run.width) this.#line.add(run)
    } else if (run.flights.size === 0) {
      this.#line.delete(run)
      run.room?.slot?.free()
      this.#doing.done(run)
    }
  }

  /** Gives the free slots to those in line, one each. */
  #serve(): void {
    for (const run of this.#line) {
      if (this.freeSlots === 0) this.#takeFromSlow()
      if (this.freeSlots === 0) return
      this.#line.delete(run)
      this.#takeTurn(run)
    }
  }

  /** Takes the slots of attempts that have had them for long enough, and comes back when the next one has. */
  #takeFromSlow(): void {
    const now = this.#clock.now().getTime()
    const patienceMs = this.#inFlight < this.#limits.inFlight ? PROMPT_MS : SLOW_MS
    for (const flight of this.#holders) {
      const leftMs = flight.since + patienceMs - now
      if (leftMs > 0) {
        if (!this.#waiting) void this.#serveIn(Math.min(leftMs, SLOW_MS)) // the clock may have been set back
        return
      }
      this.#holders.delete(flight)
    }
  }

  async #serveIn(ms: number): Promise<void> {
    this.#waiting = true
    await this.#clock.sleep(ms)
    this.#waiting = false
    this.#serve()
  }

  /** Starts the lane's next attempt, if it still may. */
  #takeTurn(run: LaneRun): void {
    const [delivery] = run.waiting
    if (delivery === undefined || !this.#doing.mayStart(run)) this.#goOn(run)
    // Before the slot: whoever holds one waits for nothing but the database and its site.
    else if (this.#isLarge(delivery) && run.room?.delivery !== delivery) void this.#makeRoom(run, delivery)
    else {
      run.waiting.shift()
      const flight: Flight = { since: this.#clock.now().getTime(), room: run.room?.slot }
      run.room = undefined
      run.flights.add(flight)
      this.#holders.add(flight)
      this.#inFlight += 1
      this.#goOn(run)
      this.#doing.attempt(run, delivery, flight)
    }
  }

  #isLarge({ payloadBytes }: DueDelivery): boolean {
    return payloadBytes > this.#limits.large.above
  }

  /** Sites that hang can make others wait for large contents only. */
  async #makeRoom(run: LaneRun, delivery: DueDelivery): Promise<void> {
    run.room?.slot?.free()
    run.room = { delivery, slot: undefined }
    run.room.slot = await this.#large[kindOf(run.lease)].take(delivery.payloadBytes)
    this.#goOn(run)
    this.#serve()
  }
}
