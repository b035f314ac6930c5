import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../platform/clock.ts'
import { LinkedList } from '../platform/linked-list.ts'
import { Flight, KINDS, kindOf, type LaneRun, type LeasedKind, UNSENT } from './lane-run.ts'
import type { DueDelivery } from './lease.ts'
import { SLOW_MS } from './policy.ts'
import { Room } from './room.ts'

/** Bounds on concurrent attempts. */
export type TurnLimits = {
  /** Most slots: attempts in flight that may still be answered promptly. */
  slots: number
  /** Fewest slots: the number sinks to this while the process is busy. */
  slotsWhenBusy: number
  /** Below this many attempts in flight, an attempt that is not answered promptly gives up its slot immediately. */
  inFlight: number
  /** Attempts in flight per site. */
  slotsPerSite: number
  /** Attempts that a lane may start in one turn. */
  perTurn: number
  /**
   * Contents of more than `above` bytes share so many bytes, by kind of lane; one larger than that still goes alone. At most `waiting`
   * lanes of a kind wait for such room.
   */
  large: { above: number; waiting: number } & Record<LeasedKind, number>
}

/** An answer within this time is prompt. A turn starts no attempt after this time. */
const PROMPT_MS = 200
/** How often the event loop's spare time is sampled, and the factors for the number of slots when there is some and when there is none. */
const LOOK_MS = 10
const MORE = 1.1
const FEWER = 0.8

/** What the dispatcher does for a lane. `attempt` calls `sent` when it makes its request, and ends with `land`. */
type Doing = {
  mayStart(run: LaneRun): boolean
  attempt(run: LaneRun, delivery: DueDelivery, flight: Flight): void
  /** Nothing is left to attempt, and nothing is in flight. */
  done(run: LaneRun): void
}

/**
 * Decides which lane attempts next. Held lanes stand in line for slots, so that a lane with a large backlog takes turns with the
 * others. A turn is a few attempts, one after the other over the same connection: over TLS, a new one costs more than five
 * deliveries. What stands in line is the `LaneRun` itself, without a promise: under load there are thousands of them, and
 * long-lived objects are what makes garbage collection expensive.
 *
 * Few slots suffice for sites that answer promptly, and keep memory small. While the process is busy, more attempts in flight end no
 * sooner: they wait for the processor, and their objects survive garbage collections, which then take a fifth of the processor.
 * Most sites in the world take longer to answer and cost no processor time meanwhile, so there is time for more attempts. An attempt
 * gives up its slot after `PROMPT_MS` while few are in flight, after `SLOW_MS` once there are many, and later the more there are.
 */
export class Turns {
  readonly #clock: Clock
  readonly #limits: TurnLimits
  readonly #doing: Doing
  readonly #rooms: Record<LeasedKind, Room>
  readonly #line = new LinkedList<LaneRun>()
  /** Attempts that have a slot and have made their request, the longest in flight first. */
  readonly #holders = new LinkedList<Flight>()
  /** Attempts run outside the async context of whoever triggered them: they must not join the caller's trace or transaction. */
  readonly #outside = AsyncLocalStorage.snapshot()
  /** Attempts that have a slot and are still reading their content. */
  #reading = 0
  #inFlight = 0
  /** The current number of slots, and when it was last adjusted (milliseconds since 1970). */
  #slots: number
  #adjustedAt = 0
  /** When the line is served next, milliseconds since 1970. */
  #wakeAt = Number.POSITIVE_INFINITY

  constructor(clock: Clock, limits: TurnLimits, doing: Doing) {
    this.#clock = clock
    this.#limits = limits
    this.#slots = limits.slots
    this.#doing = doing
    const { prompt, suspect } = limits.large
    this.#rooms = { prompt: new Room(prompt), suspect: new Room(suspect) }
  }

  /** How many attempts could start now; none while lanes stand in line. */
  free(): number {
    if (this.#line.size > 0) return 0
    const now = this.#now()
    this.#adjust(now)
    this.#takeFromSlow(now)
    return this.#free
  }

  /** Adds a lane that was just leased and read. */
  join(run: LaneRun): void {
    this.#outside(() => {
      this.#goOn(run)
      this.#serve()
    })
  }

  /** Takes lanes out of the line for room that need none any more or may start nothing; otherwise they stay there until room is free. */
  tidy(): void {
    this.#outside(() => {
      for (const kind of KINDS) for (const run of this.#rooms[kind].line.toArray()) this.#goOn(run)
      this.#serve()
    })
  }

  /** How many lanes wait for room, without suspect ones, who wait for each other. */
  waitingForRoom(): number {
    return this.#rooms.prompt.line.size
  }

  /** Notes that an attempt makes its request: from now on it waits for its site. */
  sent(flight: Flight): void {
    const now = this.#now()
    flight.since = now
    this.#reading -= 1
    this.#holders.add(flight)
    if (this.#line.size > 0 && this.#free === 0) this.#comeBack(now)
  }

  /** Ends an attempt: its lane continues the turn or goes back to the line. */
  land(run: LaneRun, flight: Flight): void {
    run.land(flight)
    this.#roomOf(run).give(flight.room)
    this.#inFlight -= 1
    const hadSlot = this.#giveBack(flight)
    if (hadSlot && this.#isStillItsTurn(run)) {
      run.turn.attempts += 1
      this.#start(run)
    } else this.#goOn(run)
    this.#serve()
  }

  /** Frees the attempt's slot; returns whether it still had one. */
  #giveBack(flight: Flight): boolean {
    if (flight.since !== UNSENT) return this.#holders.delete(flight)
    this.#reading -= 1
    return true
  }

  #isStillItsTurn(run: LaneRun): boolean {
    const { attempts, since } = run.turn
    if (attempts >= this.#limits.perTurn || this.#now() - since >= PROMPT_MS) return false
    return this.#mayStart(run)
  }

  /** Milliseconds since 1970. */
  #now(): number {
    return this.#clock.now().getTime()
  }

  get #free(): number {
    return Math.max(0, Math.floor(this.#slots) - this.#reading - this.#holders.size)
  }

  /** Adapts the number of slots to the spare time. It sinks faster than it rises, so it settles where the process is just busy. */
  #adjust(now: number): void {
    const looks = (now - this.#adjustedAt) / LOOK_MS
    if (looks >= 0 && looks < 1) return
    this.#adjustedAt = now
    const { slots, slotsWhenBusy } = this.#limits
    const change = this.#clock.hasSpareTime() ? MORE : FEWER
    // The clock may have been set back.
    this.#slots = Math.min(slots, Math.max(slotsWhenBusy, this.#slots * change ** Math.max(1, looks)))
  }

  /**
   * Puts a lane at the end of the line if it may start another attempt, or in line for room if its next content is large; takes it out
   * of any line if not. A lane with nothing to start and nothing in flight is done.
   */
  #goOn(run: LaneRun): void {
    const isFree = run.flights.length < this.#widthOf(run) && this.#doing.mayStart(run)
    const next = isFree ? run.waiting[0] : undefined
    if (run.room !== undefined && run.room.delivery !== next) {
      this.#roomOf(run).give(run.room.bytes)
      run.room = undefined
    }
    if (next === undefined) this.#leave(run)
    else if (this.#hasItsRoom(run, next) || this.#roomOf(run).take(run, next)) this.#standIn(this.#line, run)
    else this.#waitForRoom(run)
  }

  #standIn(line: LinkedList<LaneRun>, run: LaneRun): void {
    if (run.list !== line) run.list?.delete(run)
    line.add(run)
  }

  #leave(run: LaneRun): void {
    run.list?.delete(run)
    if (run.flights.length === 0) this.#doing.done(run)
  }

  /**
   * Room is taken before a slot, so no attempt waits for room in its slot. A lane that finds none sends its small contents first, and
   * then stands in line for room. That line is limited, or its lanes would take the place of lanes with small contents; the others
   * are released, due again later, or at once if they have attempted something.
   */
  #waitForRoom(run: LaneRun): void {
    const { above, waiting } = this.#limits.large
    const { line } = this.#roomOf(run)
    const small = run.waiting.findIndex(({ payloadBytes }) => payloadBytes <= above)
    if (small !== -1) {
      run.waiting.unshift(...run.waiting.splice(small, 1))
      this.#standIn(this.#line, run)
    } else if (run.list === line || line.size < waiting) this.#standIn(line, run)
    else {
      run.postpone()
      this.#leave(run)
    }
  }

  /**
   * How many attempts of a lane may be in flight: one while the site's response time is unknown, otherwise as many as send what is
   * waiting within a turn. Each takes a connection, so a site that answers at once gets a handful over one.
   */
  #widthOf({ answerMs, waiting }: LaneRun): number {
    if (answerMs === undefined) return 1
    const wanted = Math.ceil((waiting.length * answerMs) / PROMPT_MS)
    return Math.max(1, Math.min(this.#limits.slotsPerSite, wanted))
  }

  /** Whether the lane holds exactly the room that this delivery needs: none for a small content, its own for a large one. */
  #hasItsRoom({ room }: LaneRun, delivery: DueDelivery): boolean {
    return room === undefined ? delivery.payloadBytes <= this.#limits.large.above : room.delivery === delivery
  }

  #roomOf(run: LaneRun): Room {
    return this.#rooms[kindOf(run.lease)]
  }

  /** Lets the lanes that wait for room go on, as far as there is some. */
  #admit({ line }: Room): void {
    for (let run = line.first; run !== undefined; run = line.first) {
      this.#goOn(run)
      if (line.first === run) return
    }
  }

  /** Gives the free slots to the lanes in line, one each. */
  #serve(): void {
    this.#adjust(this.#now())
    for (;;) {
      for (const kind of KINDS) this.#admit(this.#rooms[kind])
      const run = this.#line.first
      if (run === undefined) return
      if (this.#free === 0 && !this.#makeFree(this.#now())) return
      this.#line.delete(run)
      this.#takeTurn(run)
    }
  }

  /** Takes slots away from slow attempts; if there is still none, comes back once there may be one. Returns whether there is one now. */
  #makeFree(now: number): boolean {
    this.#takeFromSlow(now)
    if (this.#free === 0) this.#comeBack(now)
    return this.#free > 0
  }

  /** Starts a turn with the lane's next attempt, if that may still start. */
  #takeTurn(run: LaneRun): void {
    if (!this.#mayStart(run)) {
      this.#goOn(run)
      return
    }
    run.turn = { attempts: 1, since: this.#now() }
    this.#start(run)
  }

  /** Whether the lane has a next attempt that needs nothing but a slot. */
  #mayStart(run: LaneRun): boolean {
    const [delivery] = run.waiting
    if (delivery === undefined || !this.#hasItsRoom(run, delivery)) return false
    return run.flights.length < this.#widthOf(run) && this.#doing.mayStart(run)
  }

  /** Starts the lane's next attempt in a free slot; the caller has checked `#mayStart`. */
  #start(run: LaneRun): void {
    const delivery = run.waiting.shift()
    if (delivery === undefined) return
    const flight = new Flight(run.room?.bytes ?? 0)
    run.room = undefined
    run.flights.push(flight)
    this.#reading += 1
    this.#inFlight += 1
    this.#goOn(run)
    this.#doing.attempt(run, delivery, flight)
  }

  /** How long an attempt keeps its slot. The number in flight thus grows with the square root of the sites' response time, not linearly. */
  #patienceMs(): number {
    const share = this.#inFlight / this.#limits.inFlight
    return share < 1 ? PROMPT_MS : SLOW_MS * share
  }

  /** Takes away the slots that attempts have had for `#patienceMs`. */
  #takeFromSlow(now: number): void {
    const patienceMs = this.#patienceMs()
    for (let flight = this.#holders.first; flight !== undefined; flight = this.#holders.first) {
      if (flight.since > now) this.#neverAfter(now)
      if (flight.since + patienceMs > now) return
      this.#holders.delete(flight)
    }
  }

  /** The clock was set back: attempts that were sent after `now` count as sent now. */
  #neverAfter(now: number): void {
    for (const flight of this.#holders.toArray()) flight.since = Math.min(flight.since, now)
  }

  /** Schedules `#serve` for when the next slot can be taken away, or sooner if there may be more slots by then. */
  #comeBack(now: number): void {
    const { first } = this.#holders
    if (first === undefined) return // all slots are with attempts that still read; `sent` comes back here
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
