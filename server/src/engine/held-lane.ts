import type { DueDelivery, LaneLease, Target } from './lease.ts'
import { type AttemptOutcome, isSilent } from './policy.ts'

/** A lane while this process holds it. */
export class HeldLane {
  readonly lease: LaneLease
  /** Undefined while it is being read, and when nothing may be sent. */
  target: Target | undefined
  /** What is still to be attempted under this lease. */
  readonly queue: DueDelivery[] = []
  /** Whether nothing more may start under this lease. */
  isHalted = false
  /** Whether the endpoint was changed under this lease: then what an attempt finds out says nothing of the endpoint as it is now. */
  isOutdated = false
  /** Whether an attempt was made of which nobody knows whether the site has accepted it. */
  hasUnknown = false
  readonly #endedPosts = new Set<string>()

  constructor(lease: LaneLease) {
    this.lease = lease
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
