import { LRUCache } from 'lru-cache'
import { batched } from '../platform/batching.ts'
import type { Db } from '../platform/db/database.ts'
import { type DueDelivery, type EventContent, readEvents } from './lease.ts'

/** How many bytes of contents are cached: an event goes to many sites at about the same time. */
const CACHED_BYTES = 8 * 1024 * 1024
/** Contents of more bytes are not read ahead: their lane may wait for memory before it needs them. */
const SMALL_BYTES = 16 * 1024

/** The contents of events, read shortly before they are sent: of what waits in a lane, only the ids are in memory. */
export class EventContents {
  readonly #cache = new LRUCache<string, EventContent>({
    maxSize: CACHED_BYTES,
    sizeCalculation: ({ payload }) => Math.max(1, payload.length),
  })
  readonly #loading = new Map<string, Promise<EventContent | undefined>>()
  /** Asks that come while a statement runs share the next one. */
  readonly #ask: (eventId: string) => Promise<{ result: EventContent | undefined }>

  constructor(db: Db) {
    this.#ask = batched(
      (eventId: string) => eventId,
      async (batch) => {
        const ids = batch.map(({ item }) => item)
        const contents = await readEvents(db, ids)
        return ids.map((id) => contents.get(id))
      },
    )
  }

  /**
   * The content of an event; undefined when it has been purged. If it has to be read, the same statement reads those of `next`, what waits
   * behind it. Rejects when the database does not answer.
   */
  async read(eventId: string, next: () => readonly DueDelivery[]): Promise<EventContent | undefined> {
    const ready = this.#cache.get(eventId) ?? this.#loading.get(eventId)
    if (ready !== undefined) return ready
    const asked = this.#load(eventId)
    for (const one of next())
      if (one.payloadBytes <= SMALL_BYTES && !this.#cache.has(one.eventId) && !this.#loading.has(one.eventId))
        this.#load(one.eventId).catch(() => {}) // whoever needs it reads it again
    return asked
  }

  #load(eventId: string): Promise<EventContent | undefined> {
    const loading = this.#ask(eventId)
      .then(({ result }) => {
        if (result !== undefined) this.#cache.set(eventId, result)
        return result
      })
      .finally(() => this.#loading.delete(eventId))
    this.#loading.set(eventId, loading)
    return loading
  }
}
