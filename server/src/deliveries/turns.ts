import { AsyncLocalStorage } from 'node:async_hooks'
import { Slots } from '../platform/slots.ts'
import { type Flight, kindOf, type LaneRun, type LeasedKind } from './lane-run.ts'
import type { DueDelivery } from './lease.ts'

/** How many attempts there may be at once. */
export type TurnLimits = {
  /** Attempts in flight that may still be answered promptly. */
  slots: number
  /** Attempts in flight per site. */
  slotsPerSite: number
  /** Contents of more bytes than `above` share so many bytes at once, those for suspects apart; one that is larger still goes alone. */
  large: { above: number } & Record<LeasedKind, number>
}

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
 */
export class Turns {
  readonly #limits: TurnLimits
  readonly #doing: Doing
  readonly #large: Record<LeasedKind, Slots>
  readonly #line = new Set<LaneRun>()
  readonly #outside = AsyncLocalStorage.snapshot()
  #freeSlots: number

  constructor(limits: TurnLimits, doing: Doing) {
    this.#limits = limits
    this.#doing = doing
    this.#freeSlots = limits.slots
    const { prompt, suspect } = limits.large
    this.#large = { prompt: new Slots(prompt), suspect: new Slots(suspect) }
  }

  get freeSlots(): number {
    return this.#freeSlots
  }

  /** Takes in a lane that was just leased and read. */
  join(run: LaneRun): void {
    this.#goOn(run)
    this.serve()
  }

  /** Gives the free slots to those in line, one each. */
  serve(): void {
    // Whoever filled a lane, or woke the loop, is done; its trace is not that of the attempts.
    this.#outside(() => this.#serve())
  }

  /** An attempt is over. The site has answered, so its lane may widen. */
  land(run: LaneRun, flight: Flight): void {
    run.flights.delete(flight)
    flight.room?.free()
    this.#giveBack(flight)
    if (!run.lease.suspect) run.width = this.#limits.slotsPerSite
    this.#goOn(run)
    this.#serve()
  }

  /** Takes the slots from attempts that are in flight since `since` or longer; whether there are any. To be followed by `serve`. */
  giveUpSlots(run: LaneRun, since: Date): boolean {
    let isSlow = false
    for (const flight of run.flights) {
      if (flight.since === undefined || flight.since > since) continue
      isSlow = true
      this.#giveBack(flight)
    }
    return isSlow
  }

  #giveBack(flight: Flight): void {
    if (!flight.holdsSlot) return
    flight.holdsSlot = false
    this.#freeSlots += 1
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

  #serve(): void {
    for (const run of this.#line) {
      if (this.#freeSlots === 0) return
      this.#line.delete(run)
      this.#takeTurn(run)
    }
  }

  /** Starts the lane's next attempt, if it still may. */
  #takeTurn(run: LaneRun): void {
    const [delivery] = run.waiting
    if (delivery === undefined || !this.#doing.mayStart(run)) this.#goOn(run)
    // Before the slot: whoever holds one waits for nothing but the database and its site.
    else if (this.#isLarge(delivery) && run.room?.delivery !== delivery) void this.#makeRoom(run, delivery)
    else {
      run.waiting.shift()
      const flight: Flight = { since: undefined, holdsSlot: true, room: run.room?.slot }
      run.room = undefined
      run.flights.add(flight)
      this.#freeSlots -= 1
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
