import { LinkedList } from '../platform/linked-list.ts'
import type { LaneRun } from './lane-run.ts'
import type { DueDelivery } from './lease.ts'

/** Memory that large contents share, and the lanes that wait for some of it, first come first served. */
export class Room {
  readonly line = new LinkedList<LaneRun>()
  readonly #bytes: number
  #free: number

  constructor(bytes: number) {
    this.#bytes = bytes
    this.#free = bytes
  }

  /**
   * Takes room for a lane's next content, if there is enough and no other lane is before it in line; returns whether it did. Then
   * the lane has it as `room`, and leaves this line. A content larger than all the room takes all.
   */
  take(run: LaneRun, delivery: DueDelivery): boolean {
    const bytes = Math.min(delivery.payloadBytes, this.#bytes)
    const first = this.line.first ?? run
    if (first !== run || bytes > this.#free) return false
    this.line.delete(run)
    this.#free -= bytes
    run.room = { delivery, bytes }
    return true
  }

  /** Gives back what was taken. */
  give(bytes: number): void {
    this.#free += bytes
  }
}
