/**
 * The short way from an enqueue to the first attempt, within one process. An enqueue locks its lanes anyway, so it also leases
 * the idle ones for the dispatcher in its process. On commit the dispatcher gets these lanes with everything that it would
 * otherwise have leased and read in four round trips. All other lanes become due and go the usual way; so do all lanes while the
 * dispatcher is busy, is not running, or is in another process.
 *
 * A lane is idle if it is not held, has nothing due now or later, and is not recovering, suspect or paused: then only what is
 * enqueued may be attempted, and its order depends on no missing result. If the process dies before the attempt, or does
 * not learn of its commit, the lease runs out as any other.
 */
import { onePer } from '../platform/one-per.ts'
import type { DueDelivery, EventContent, LaneLease, Target, Term } from './lease.ts'

/** A lane that an enqueue leased: its lease, its target, and all that may be attempted in it. */
export type FilledLane = { lease: LaneLease; target: Target; due: DueDelivery[] }

/** How long the leases are to last, and how much news the dispatcher had heard when it promised (news.ts). */
export type Promised = { term: Term; heard: number }

/** What an enqueue hands over: lanes, the contents of their events by id, and whether other lanes went the usual way. */
export type Filled = {
  promised: Promised
  lanes: readonly FilledLane[]
  contents: ReadonlyMap<string, EventContent>
  others: boolean
}

/** What takes lanes from the enqueues of this process: its dispatcher. */
export type Taker = {
  /** Promises to take so many lanes; undefined when they are to go the usual way. */
  promise(lanes: number, now: Date): Promised | undefined
  /** Must be called once they are committed, even if the taker has no use for them any more: it releases them. */
  take(filled: Filled): void
}

/** The taker of a service's lanes, if it has one. */
export const handover = onePer((_: object): { taker: Taker | undefined } => ({ taker: undefined }))
