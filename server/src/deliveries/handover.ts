/**
 * The short way from an enqueue to the first attempt, within one process. An enqueue locks its lanes in any case. The idle ones
 * it leases at once for the dispatcher beside it, which gets them with the commit, and with them everything that it would have
 * leased and read in four round trips. All other lanes become due and go the usual way; so do all of them while the
 * dispatcher is busy, is not running, or is in another process.
 *
 * A lane is idle when nobody holds it and nothing in it is due, now or later: what is being enqueued is then all that may be
 * attempted, and no result is missing on which its order depends. If the process dies between the commit and the attempt, or does not
 * learn that it has committed, the lease runs out like any other.
 */
import { onePer } from '../platform/one-per.ts'
import type { DueDelivery, EventContent, LaneLease, Target } from './lease.ts'

/** A lane that was leased as it was filled: its lease, its target, and all that may be attempted in it. */
export type FilledLane = { lease: LaneLease; target: Target; due: DueDelivery[] }

/** Until when lanes may be leased, and what the dispatcher had heard when it said so. */
export type Promised = { until: Date; heard: number }

/** What an enqueue hands over: lanes, the contents of their events by id, and whether other lanes went the usual way. */
export type Filled = {
  promised: Promised
  lanes: readonly FilledLane[]
  contents: ReadonlyMap<string, EventContent>
  others: boolean
}

/** Who works on lanes in this process. */
export type Taker = {
  /** Promises to take so many lanes; undefined when it is not to have them. */
  promise(lanes: number, now: Date): Promised | undefined
  /** To be called once they are committed, even if it has no use for them any more: it gives them back. */
  take(filled: Filled): void
}

/** Where enqueues of a service find who takes their lanes. */
export const handover = onePer((_: object): { taker: Taker | undefined } => ({ taker: undefined }))
