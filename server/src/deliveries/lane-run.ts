import type { Slot } from '../platform/slots.ts'
import type { DueDelivery, LaneLease, Target } from './lease.ts'
import type { AttemptResult } from './policy.ts'

/** Which budget a held lane counts under. A prompt one becomes slow when its site takes long to answer. */
export type RunKind = 'prompt' | 'slow' | 'suspect'

/** One lane while this process holds it: what is to be sent, what is in flight, and what became of it. */
export class LaneRun {
  readonly lease: LaneLease
  kind: RunKind
  /** Undefined when nothing may be sent. */
  target: Target | undefined
  waiting: DueDelivery[] = []
  /** Whether everything that was due was read. */
  complete = true
  /** Posts of which nothing is to be sent any more. */
  readonly ended = new Set<string>()
  halted = false
  #started = 0
  #unknown = 0
  readonly #inFlight = new Set<{ since: Date; slot: Slot }>()

  constructor(lease: LaneLease, kind: RunKind) {
    this.lease = lease
    this.kind = kind
  }

  /** Nothing more of a post may start. */
  end(postId: string): void {
    this.ended.add(postId)
    this.waiting = this.waiting.filter((one) => one.postId !== postId)
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

  /** Gives away the slots of attempts that have been in flight since `before`; whether there are any. */
  freeSlots(before: Date): boolean {
    const slow = [...this.#inFlight].filter(({ since }) => since <= before)
    for (const { slot } of slow) slot.free()
    return slow.length > 0
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
