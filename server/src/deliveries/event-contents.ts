import { LRUCache } from 'lru-cache'
import type { Db } from '../platform/db/database.ts'
import { type Asked, gather } from '../platform/gather.ts'
import { type DueDelivery, type EventContent, readEvents } from './lease.ts'

/** How many contents, and bytes of them, are kept after they were sent: an event goes to many sites at about the same time. */
const KEPT = 4_096
const KEPT_BYTES = 4 * 1024 * 1024
/** How many, and bytes of them, may have been read ahead and not been asked for yet: few enough that they are still kept then. */
const AHEAD = KEPT / 2
const AHEAD_BYTES = KEPT_BYTES / 2
/** How many of a lane's contents are read ahead. */
const AHEAD_PER_LANE = 8

/**
 * The contents of events, read when an attempt needs them: of what waits, only the ids are in memory, and a bounded number of
 * contents that are needed next. Attempts that start at the same time share a statement.
 */
export class EventContents {
  readonly #kept = new LRUCache<string, EventContent>({
    max: KEPT,
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ post }) => Math.max(1, post.length),
    dispose: (_, eventId) => this.#used(eventId),
  })
  readonly #aheadUpTo: number
  readonly #ask: (eventId: string) => Promise<{ result: EventContent | undefined }>
  /** What is being read now, also by a statement that has begun. */
  readonly #reading = new Map<string, Promise<EventContent | undefined>>()
  /** The sizes of the contents that were read ahead, or are being read, and have not been asked for yet. */
  readonly #ahead = new Map<string, number>()
  #aheadBytes = 0

  /** `aheadUpTo`: contents of more bytes are not read ahead. Their lanes may wait long, and keep others from reading ahead. */
  constructor(db: Db, aheadUpTo: number) {
    this.#aheadUpTo = aheadUpTo
    this.#ask = gather(
      (eventId: string) => eventId,
      async (asked: ReadonlyArray<Asked<string>>) => {
        const ids = asked.map(({ item }) => item)
        const contents = await readEvents(db, ids)
        return ids.map((id) => contents.get(id))
      },
    )
  }

  /** Keeps the content of an event. */
  keep(eventId: string, content: EventContent): void {
    this.#kept.set(eventId, content)
  }

  /** The content of an event, if it is still kept. */
  known(eventId: string): EventContent | undefined {
    this.#used(eventId)
    return this.#kept.get(eventId)
  }

  /** The content of an event; undefined when it has been purged. Rejects when the database does not answer. */
  read(eventId: string): Promise<EventContent | undefined> {
    const reading = this.#reading.get(eventId) ?? this.#readAndKeep(eventId)
    this.#reading.set(eventId, reading)
    return reading
  }

  async #readAndKeep(eventId: string): Promise<EventContent | undefined> {
    try {
      const { result } = await this.#ask(eventId)
      if (result !== undefined) this.keep(eventId, result)
      return result
    } finally {
      this.#reading.delete(eventId)
    }
  }

  /**
   * Begins to read the contents that a lane needs next, unless the first of them is there or on its way. `waiting`: what waits in the
   * lane, in the order in which it is sent. Attempts would otherwise wait with their slots for a database that is busy with
   * their results.
   */
  readAhead(waiting: readonly DueDelivery[]): void {
    const next = waiting[0]
    if (next === undefined || this.#isComing(next.eventId)) return
    for (const { eventId, payloadBytes } of waiting.slice(0, AHEAD_PER_LANE)) {
      if (payloadBytes > this.#aheadUpTo) return
      if (this.#ahead.size >= AHEAD || this.#aheadBytes + payloadBytes > AHEAD_BYTES) return
      if (this.#isComing(eventId)) continue
      this.#ahead.set(eventId, payloadBytes)
      this.#aheadBytes += payloadBytes
      void this.#readUnasked(eventId)
    }
  }

  /** An error is left to the attempt that needs the content: it reads it again. */
  async #readUnasked(eventId: string): Promise<void> {
    const content = await this.read(eventId).catch(() => undefined)
    if (content === undefined) this.#used(eventId)
  }

  #isComing(eventId: string): boolean {
    return this.#reading.has(eventId) || this.#kept.has(eventId)
  }

  #used(eventId: string): void {
    this.#aheadBytes -= this.#ahead.get(eventId) ?? 0
    this.#ahead.delete(eventId)
  }
}
