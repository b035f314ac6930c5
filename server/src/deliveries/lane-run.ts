import type { DueDelivery, EventContent, LaneLease } from './lease.ts'
import type { AttemptResult } from './policy.ts'
import type { Slot } from './slots.ts'

/** Which budget a held lane counts under. A prompt one becomes slow when its site takes long to answer. */
export type RunKind = 'prompt' | 'slow' | 'suspect'

/** One lane while this process holds it: what is to be sent, what is in flight, and what became of it. */
export class LaneRun {
  readonly lease: LaneLease
  readonly waiting: DueDelivery[] = []
  kind: RunKind
  /** Whether all that was chosen for the lane was put into this run. */
  complete = true
  halted = false
  bytes = 0
  readonly #contents = new Map<string, EventContent>()
  #started = 0
  #unknown = 0
  readonly #inFlight = new Set<{ since: Date; slot: Slot }>()

  constructor(lease: LaneLease, kind: RunKind) {
    this.lease = lease
    this.kind = kind
  }

  /** Takes the contents of its own events, and of no other ones: a run may stay for as long as a site hangs. */
  takeContents(events: Map<string, EventContent>): void {
    for (const { eventId } of this.waiting) {
      const content = events.get(eventId)
      if (content !== undefined) this.#contents.set(eventId, content)
    }
  }

  /** The next delivery with what it carries; undefined when there is none, or its event has been purged. */
  next(): { delivery: DueDelivery; event: EventContent } | undefined {
    const delivery = this.waiting.shift()
    const event = delivery && this.#contents.get(delivery.eventId)
    if (delivery === undefined || event === undefined) return undefined
    this.#contents.delete(delivery.eventId)
    return { delivery, event }
  }

  add(delivery: DueDelivery): void {
    this.waiting.push(delivery)
    this.bytes += delivery.payloadBytes
  }

  /** Nothing more may start. */
  halt(): void {
    this.halted = true
  }

  /** Notes an attempt; the returned function ends it, with undefined when its outcome is unknown. */
  started(since: Date, slot: Slot): (result: AttemptResult | undefined) => void {
    const attempt = { since, slot }
    this.#inFlight.add(attempt)
    this.#started += 1
    return (result) => {
      this.#inFlight.delete(attempt)
      if (result === undefined) this.#unknown += 1
      // A site that does not answer is not asked again in this run.
      if (result === undefined || result.silent) this.halt()
    }
  }

  /** If an attempt has been in flight since `before`, gives its slot away; whether that made this run a slow one. */
  turnSlow(before: Date): boolean {
    const slow = [...this.#inFlight].filter(({ since }) => since <= before)
    for (const { slot } of slow) slot.free()
    if (slow.length === 0 || this.kind !== 'prompt') return false
    this.kind = 'slow'
    return true
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
