import { Linked } from '../platform/linked-list.ts'
import type { DueDelivery, LaneLease, Target } from './lease.ts'
import type { AttemptResult } from './policy.ts'

/** Which budget a held lane counts under. A prompt one becomes slow when its site takes long to answer, or its results to be recorded. */
export type RunKind = 'prompt' | 'slow' | 'suspect'

/** The kinds a lane can have when it is leased; it becomes slow only later. */
export type LeasedKind = Exclude<RunKind, 'slow'>
export const KINDS: readonly LeasedKind[] = ['prompt', 'suspect']

/** The kind of a lane when it is leased. */
export function kindOf(lease: LaneLease): LeasedKind {
  return lease.suspect ? 'suspect' : 'prompt'
}

/** An attempt in flight. */
export class Flight extends Linked<Flight> {
  /** When its request was made: milliseconds since 1970, or `UNSENT`. */
  since: number = UNSENT
  /** The room that its content takes, in bytes. */
  readonly room: number

  constructor(room: number) {
    super()
    this.room = room
  }
}

/** The request is not made yet. */
export const UNSENT = Number.POSITIVE_INFINITY

/** One lane while this process holds it: what is to be sent, what is in flight, and what became of it. */
export class LaneRun extends Linked<LaneRun> {
  readonly lease: LaneLease
  kind: RunKind
  /** Undefined when nothing may be sent. */
  target: Target | undefined
  waiting: DueDelivery[] = []
  /** Whether everything that was due was read, and nothing of it left out. */
  complete = true
  halted = false
  /** Whether the endpoint was changed since the lane was read. */
  outdated = false
  /** Whether it was halted, with nothing attempted, because too many lanes wait for room: when released, it is due again later. */
  postponed = false
  /** The site's last response time, in milliseconds. Known from the second answer on: the first includes connecting. */
  answerMs: number | undefined
  /** The room that was taken for the content of the next delivery, if that is large. */
  room: { delivery: DueDelivery; bytes: number } | undefined
  /** Attempts in flight, a handful. */
  readonly flights: Flight[] = []
  /** The current turn, or the last one: attempts started in it, and when it began (milliseconds since 1970). */
  turn = { attempts: 0, since: 0 }
  /** Posts of which nothing more may be sent; most lanes have none. */
  #ended: Set<string> | undefined
  #hasAnswered = false
  #unknown = 0

  constructor(lease: LaneLease, kind: RunKind) {
    super()
    this.lease = lease
    this.kind = kind
  }

  /** Nothing more of a post may start. What waits of it is left out, although it may be newer than what the site has confirmed. */
  end(postId: string): void {
    this.#ended ??= new Set()
    this.#ended.add(postId)
    const waiting = this.waiting.filter((one) => one.postId !== postId)
    if (waiting.length < this.waiting.length) this.complete = false
    this.waiting = waiting
  }

  /** Whether nothing more of a delivery's post may start; if so, it is left out. */
  leavesOut({ postId }: DueDelivery): boolean {
    if (this.#ended?.has(postId) !== true) return false
    this.complete = false
    return true
  }

  /** Nothing more may start. */
  halt(): void {
    this.halted = true
  }

  /** The endpoint was changed: nothing more may start, and what is in flight says nothing of the endpoint as it is now. */
  outdate(): void {
    this.outdated = true
    this.halt()
  }

  /**
   * Nothing more may start now, but soon. If it has attempted something, the lane is due again at once: of each post only one event was
   * to be sent under this lease, and the next may be small.
   */
  postpone(): void {
    this.postponed = this.turn.attempts === 0
    this.halt()
  }

  /** Moves to the slow lanes' budget. Keeps at most so many of what waits; the next holder reads the others again. */
  slowDown(most: number): void {
    this.kind = 'slow'
    if (this.waiting.length <= most) return
    this.waiting.length = most
    this.complete = false
  }

  /** Whether an attempt has been in flight since `at` (milliseconds since 1970) or for longer. */
  isSlow(at: number): boolean {
    return this.flights.some(({ since }) => since <= at)
  }

  /** Notes that an attempt is over. */
  land(flight: Flight): void {
    const index = this.flights.indexOf(flight)
    if (index !== -1) this.flights.splice(index, 1)
  }

  /** Notes how an attempt ended; undefined when its outcome is unknown. */
  answered(result: AttemptResult | undefined): void {
    if (result === undefined) this.#unknown += 1
    // A silent site is sent nothing more in this run. A suspect that answers gives up its place, and its lane goes on as a prompt one.
    if (result === undefined || result.silent || this.lease.suspect) this.halt()
    else {
      if (this.#hasAnswered) this.answerMs = result.tookMs
      this.#hasAnswered = true
    }
  }

  /**
   * Whether the outcome of every attempt on the lane is known. After a crash, this run must also have attempted everything that the
   * dead holder may have had in flight: a run that read only a part, or whose site is paused, has not.
   */
  isClean(): boolean {
    const recovered =
      !this.lease.recovering || (this.target !== undefined && this.complete && this.waiting.length === 0)
    return this.#unknown === 0 && recovered
  }
}
