import type { Sendable } from './attempt.ts'
import type { HeldEvents } from './held-events.ts'
import type { DueDelivery, LaneLease, Target } from './lease.ts'
import type { AttemptResult } from './policy.ts'
import type { Slot } from './slots.ts'

/** Which budget a held lane counts under. A prompt one becomes slow when its site takes long to answer. */
export type RunKind = 'prompt' | 'slow' | 'suspect'

/** One lane while this process holds it: what is to be sent, what is in flight, and what became of it. */
export class LaneRun {
  readonly lease: LaneLease
  readonly waiting: DueDelivery[] = []
  kind: RunKind
  /** Undefined when nothing may be sent. */
  target: Target | undefined
  /** Whether all that was chosen for the lane was put into this run. */
  complete = true
  halted = false
  readonly #events: HeldEvents
  #started = 0
  #unknown = 0
  readonly #inFlight = new Set<{ since: Date; slot: Slot }>()

  constructor(lease: LaneLease, kind: RunKind, events: HeldEvents) {
    this.lease = lease
    this.kind = kind
    this.#events = events
  }

  /** The next delivery with what it carries; undefined when there is none, or its event has been purged. */
  next(): Sendable | undefined {
    const { target } = this
    const delivery = this.waiting.shift()
    if (target === undefined || delivery === undefined) return undefined
    const event = this.#events.contentOf(delivery.eventId)
    if (event !== undefined) return { delivery, target, event }
    this.#events.release(delivery.eventId)
    return undefined
  }

  /** Adds deliveries to attempt, as far as their events may be held. */
  add(deliveries: readonly DueDelivery[]): void {
    for (const delivery of deliveries) {
      this.complete &&= this.#events.hold(delivery)
      if (!this.complete) return
      this.waiting.push(delivery)
    }
  }

  /** Nothing more may start. */
  halt(): void {
    this.halted = true
  }

  /** Notes an attempt; the returned function ends it, with undefined when its outcome is unknown. */
  started({ eventId }: DueDelivery, since: Date, slot: Slot): (result: AttemptResult | undefined) => void {
    const attempt = { since, slot }
    this.#inFlight.add(attempt)
    this.#started += 1
    return (result) => {
      this.#inFlight.delete(attempt)
      this.#events.release(eventId)
      if (result === undefined) this.#unknown += 1
      // A site that does not answer is not asked again in this run.
      if (result === undefined || result.silent) this.halt()
    }
  }

  /** Gives away the slots of attempts that have been in flight since `before`; whether there are any. */
  freeSlots(before: Date): boolean {
    const slow = [...this.#inFlight].filter(({ since }) => since <= before)
    for (const { slot } of slow) slot.free()
    return slow.length > 0
  }

  /** Lets go of what has not been started; the next lease will find it again. */
  dropWaiting(): void {
    const dropped = this.waiting.splice(0)
    if (dropped.length > 0) this.complete = false
    for (const { eventId } of dropped) this.#events.release(eventId)
  }

  /**
   * Whether the outcome of every attempt on the lane is known. After a crash that takes more than this run's own: it must
   * have attempted everything that the dead holder may have had in flight.
   */
  isClean(): boolean {
    const recovered = !this.lease.recovering || (this.complete && this.#started > 0 && this.waiting.length === 0)
    return this.#unknown === 0 && recovered
  }
}
