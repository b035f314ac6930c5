import type { Pending } from './debounce.ts'
import type { DueDelivery, LaneLease, LeasedTarget } from './lease.ts'
import { type AttemptOutcome, isSilent, oldestPerPost } from './policy.ts'

/** A lane while this process holds it. */
export class HeldLane {
  readonly lease: LaneLease
  /** Undefined while it is being read, and when nothing may be sent. */
  target: LeasedTarget | undefined
  /** What is still to be attempted under this lease. */
  readonly queue: DueDelivery[] = []
  /** Of a debounced endpoint: what waits for a retry. An attempt that is accepted settles it too. */
  #later: DueDelivery[] = []
  /** Whether nothing more may start under this lease. */
  isHalted = false
  /** How many of its deliveries wait for room for their large contents. */
  waitingForRoom = 0
  /** Whether the endpoint was changed under this lease: then what an attempt finds out says nothing of the endpoint as it is now. */
  isOutdated = false
  /** Whether an attempt was made of which nobody knows whether the site has accepted it. */
  hasUnknown = false
  readonly #endedPosts = new Set<string>()

  constructor(lease: LaneLease) {
    this.lease = lease
  }

  /** Takes what was read for the lane. What is due of a debounced endpoint, all of it, is in `pending`. */
  fill(target: LeasedTarget | undefined, due: readonly DueDelivery[], pending: Pending | undefined): void {
    this.target = target
    if (!this.isDebounced) this.queue.push(...oldestPerPost(due))
    else if (pending !== undefined) {
      this.queue.push(...pending.due)
      this.#later = pending.later
    }
  }

  /** Whether one attempt serves everything that waits. */
  get isDebounced(): boolean {
    return this.target !== undefined && this.target.debounceSeconds !== null
  }

  /** What the attempt that begins now serves beside its delivery; undefined where each delivery gets its own. */
  takeAlongside(): Pending | undefined {
    if (!this.isDebounced) return undefined
    const isLeft = (delivery: DueDelivery) => !this.hasEnded(delivery)
    return { due: this.queue.splice(0).filter(isLeft), later: this.#later.splice(0).filter(isLeft) }
  }

  /** Nothing more of a post may start: what was pending of it has ended. */
  endPost(postId: string): void {
    this.#endedPosts.add(postId)
  }

  /** Whether a delivery that was read may have ended since. */
  hasEnded({ postId }: DueDelivery): boolean {
    return this.#endedPosts.has(postId)
  }

  /** The endpoint was changed: nothing that was read before may start. */
  endpointChanged(): void {
    this.isOutdated = true
    this.isHalted = true
  }

  /** A site that does not answer is sent nothing more; a suspect gets one attempt at a time, whatever comes of it. */
  attempted(outcome: AttemptOutcome): void {
    if (outcome.kind === 'unknown') this.hasUnknown = true
    if (outcome.kind === 'unknown' || this.lease.suspect || isSilent(outcome)) this.isHalted = true
  }
}
