import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../platform/clock.ts'
import { Slots } from '../platform/slots.ts'
import { type Flight, kindOf, type LaneRun, type LeasedKind, UNSENT } from './lane-run.ts'
import type { DueDelivery } from './lease.ts'

/** How many attempts there may be at once. */
export type TurnLimits = {
  /** Attempts in flight that may still be answered promptly. */
  slots: number
  /** The same while this process has no time to spare. */
  slotsWhenBusy: number
  /** Attempts in flight up to which those that are not answered promptly make room for others at once. */
  inFlight: number
  /** Attempts in flight per site. */
  slotsPerSite: number
  /** Attempts that a lane may start before others have their turn. */
  perTurn: number
  /** Contents of more bytes than `above` share so many bytes at once, those for suspects apart; one that is larger still goes alone. */
  large: { above: number } & Record<LeasedKind, number>
}

/** An attempt that is not answered by then is not answered promptly. A turn lasts no longer either, but for its last attempt. */
const PROMPT_MS = 200
/** An attempt that is not answered by then is slow. */
export const SLOW_MS = 1_000
/** How often it is looked whether there is time to spare, and by what the number of slots is multiplied when there is and when there is none. */
const LOOK_MS = 10
const MORE = 1.1
const FEWER = 0.8

/** What is done with a lane when it has its turn. `attempt` calls `sent` when its request is made, and ends with `land`. */
type Doing = {
  mayStart(run: LaneRun): boolean
  attempt(run: LaneRun, delivery: DueDelivery, flight: Flight): void
  /** Nothing is left to attempt, and nothing is in flight. */
  done(run: LaneRun): void
}

/**
 * Whose attempt is next. The lanes that are held stand in line for the slots, so that a lane with much to send takes turns with
 * the others. A turn is a few attempts, one after the other: the connection is there, and over TLS a new one costs more than
 * five deliveries. Nothing waits but the lane itself: under load there are thousands, and what waits for long is what
 * collecting garbage costs.
 *
 * Few slots are enough for sites that answer promptly, and keep memory small. While this process has no time to spare, more attempts in
 * flight end no sooner: they wait for the processor, and all that they consist of outlives collections of garbage, which then take a
 * fifth of the processor. Most sites in the world take longer, and cost nothing while they do: then there is time to spare for more
 * attempts. One gives its slot to others after `PROMPT_MS` while few are in flight, after `SLOW_MS` when they are many, and the
 * later the more there are.
 */
export class Turns {
  readonly #clock: Clock
  readonly #limits: TurnLimits
  readonly #doing: Doing
  readonly #large: Record<LeasedKind, Slots>
  readonly #line = new Set<LaneRun>()
  /** Attempts that have a slot and whose requests are made, the longest in flight first. */
  readonly #holders = new Set<Flight>()
  /** Whoever fills a lane, asks for room or wakes a loop has a trace and perhaps a transaction; the attempts are not part of them. */
  readonly #outside = AsyncLocalStorage.snapshot()
  /** Attempts that have a slot and read what they are to send. */
  #reading = 0
  #inFlight = 0
  /** How many slots there are, and when that was looked at last (milliseconds since 1970). */
  #slots: number
  #adjustedAt = 0
  /** When the line is looked at next, milliseconds since 1970. */
  #wakeAt = Number.POSITIVE_INFINITY

  constructor(clock: Clock, limits: TurnLimits, doing: Doing) {
    this.#clock = clock
    this.#limits = limits
    this.#slots = limits.slots
    this.#doing = doing
    const { prompt, suspect } = limits.large
    this.#large = { prompt: new Slots(prompt), suspect: new Slots(suspect) }
  }

  /** How many attempts could start at once; none while others stand in line. */
  free(): number {
    if (this.#line.size > 0) return 0
    this.#adjust()
    this.#takeFromSlow()
    return this.#free
  }

  /** Takes in a lane that was just leased and read. */
  join(run: LaneRun): void {
    this.#outside(() => {
      this.#goOn(run)
      this.#serve()
    })
  }

  /** The request of an attempt is made: from now on it is its site that takes time. */
  sent(flight: Flight): void {
    flight.since = this.#clock.now().getTime()
    this.#reading -= 1
    this.#holders.add(flight)
    if (this.#line.size > 0 && this.#free === 0) this.#comeBack()
  }

  /** An attempt is over. */
  land(run: LaneRun, flight: Flight): void {
    run.flights.delete(flight)
    flight.room?.free()
    this.#inFlight -= 1
    const hadSlot = this.#giveBack(flight)
    if (hadSlot && this.#isStillItsTurn(run)) {
      run.turn.attempts += 1
      this.#start(run)
    } else this.#goOn(run)
    this.#serve()
  }

  /** Whether the attempt had its slot to the end. */
  #giveBack(flight: Flight): boolean {
    if (flight.since !== UNSENT) return this.#holders.delete(flight)
    this.#reading -= 1
    return true
  }

  #isStillItsTurn(run: LaneRun): boolean {
    const { attempts, since } = run.turn
    if (attempts >= this.#limits.perTurn || this.#clock.now().getTime() - since >= PROMPT_MS) return false
    return this.#mayStart(run)
  }

  get #free(): number {
    return Math.max(0, Math.floor(this.#slots) - this.#reading - this.#holders.size)
  }

  /** Makes the slots as many as there is time for. They become fewer faster than more, so their number settles where the process is just busy. */
  #adjust(): void {
    const now = this.#clock.now().getTime()
    const looks = (now - this.#adjustedAt) / LOOK_MS
    if (looks >= 0 && looks < 1) return
    this.#adjustedAt = now
    const { slots, slotsWhenBusy } = this.#limits
    const change = this.#clock.hasSpareTime() ? MORE : FEWER
    // The clock may have been set back.
    this.#slots = Math.min(slots, Math.max(slotsWhenBusy, this.#slots * change ** Math.max(1, looks)))
  }

  /**
   * Puts a lane at the end of the line if it may start another attempt, once there is room for its content; it is done when
   * there is none to start and none in flight.
   */
  #goOn(run: LaneRun): void {
    if (run.room !== undefined && run.room.slot === undefined) return // it comes when there is room
    const next = this.#doing.mayStart(run) ? run.waiting[0] : undefined
    if (run.room !== undefined && run.room.delivery !== next) {
      run.room.slot?.free()
      run.room = undefined
    }
    if (next === undefined) {
      this.#line.delete(run)
      if (run.flights.size === 0) this.#doing.done(run)
    } else if (run.flights.size < this.#widthOf(run)) {
      if (this.#hasItsRoom(run, next)) this.#line.add(run)
      else void this.#makeRoom(run, next)
    }
  }

  /**
   * Attempts in flight: one until it is known how long the site takes, and to a suspect site; then as many as send what is
   * waiting within a turn. Each takes a connection, so a site that answers at once is sent a handful over one.
   */
  #widthOf({ answerMs, lease, waiting }: LaneRun): number {
    if (answerMs === undefined || lease.suspect) return 1
    const wanted = Math.ceil((waiting.length * answerMs) / PROMPT_MS)
    return Math.max(1, Math.min(this.#limits.slotsPerSite, wanted))
  }

  /** Whether the lane holds exactly the room that this delivery needs; not while it still waits for it. */
  #hasItsRoom({ room }: LaneRun, delivery: DueDelivery): boolean {
    if (room === undefined) return delivery.payloadBytes <= this.#limits.large.above
    return room.delivery === delivery && room.slot !== undefined
  }

  /** Before the line: whoever has a slot waits for nothing but the database and its site, and large contents for large ones only. */
  async #makeRoom(run: LaneRun, delivery: DueDelivery): Promise<void> {
    this.#line.delete(run)
    run.room = { delivery, slot: undefined }
    run.room.slot = await this.#large[kindOf(run.lease)].take(delivery.payloadBytes)
    this.#goOn(run)
    this.#serve()
  }

  /** Gives the free slots to those in line, one each. */
  #serve(): void {
    this.#adjust()
    for (const run of this.#line) {
      if (this.#free === 0) this.#takeFromSlow()
      if (this.#free === 0) {
        this.#comeBack()
        return
      }
      this.#line.delete(run)
      this.#takeTurn(run)
    }
  }

  /** Starts the lane's next attempt, if that is still what it stood in line for. */
  #takeTurn(run: LaneRun): void {
    if (!this.#mayStart(run)) {
      this.#goOn(run)
      return
    }
    run.turn = { attempts: 1, since: this.#clock.now().getTime() }
    this.#start(run)
  }

  /** Whether there is a next attempt that waits for nothing but a slot. */
  #mayStart(run: LaneRun): boolean {
    const [delivery] = run.waiting
    if (delivery === undefined || !this.#hasItsRoom(run, delivery)) return false
    return run.flights.size < this.#widthOf(run) && this.#doing.mayStart(run)
  }

  /** Starts an attempt in a free slot. The lane may. */
  #start(run: LaneRun): void {
    const delivery = run.waiting.shift()
    if (delivery === undefined) return
    const flight: Flight = { since: UNSENT, room: run.room?.slot }
    run.room = undefined
    run.flights.add(flight)
    this.#reading += 1
    this.#inFlight += 1
    this.#goOn(run)
    this.#doing.attempt(run, delivery, flight)
  }

  /** How long an attempt keeps its slot. What is in flight grows with the root of the time that sites take, not with the time. */
  #patienceMs(): number {
    const share = this.#inFlight / this.#limits.inFlight
    return share < 1 ? PROMPT_MS : SLOW_MS * share
  }

  /** Takes the slots of attempts that have had them for long enough. */
  #takeFromSlow(): void {
    const now = this.#clock.now().getTime()
    const patienceMs = this.#patienceMs()
    for (const flight of this.#holders) {
      if (flight.since > now) for (const one of this.#holders) one.since = Math.min(one.since, now) // the clock was set back
      if (flight.since + patienceMs > now) return
      this.#holders.delete(flight)
    }
  }

  /** Looks at the line again when the next attempt has had its slot for long enough, or there may be time to spare. */
  #comeBack(): void {
    const [first] = this.#holders
    if (first === undefined) return // all are reading, and say so when they have
    const now = this.#clock.now().getTime()
    const until = Math.min(first.since, now) + this.#patienceMs()
    const mayBeMore = this.#reading + this.#holders.size < this.#limits.slots
    const at = Math.max(now + 1, mayBeMore ? Math.min(until, now + LOOK_MS) : until)
    if (at >= this.#wakeAt) return
    this.#wakeAt = at
    void this.#outside(() => this.#serveAt(at, at - now))
  }

  async #serveAt(at: number, inMs: number): Promise<void> {
    await this.#clock.sleep(inMs)
    if (this.#wakeAt !== at) return // an earlier one has come in between
    this.#wakeAt = Number.POSITIVE_INFINITY
    this.#serve()
  }
}
