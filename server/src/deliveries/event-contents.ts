import { LRUCache } from 'lru-cache'
import type { Db } from '../platform/db/database.ts'
import { type Asked, gather } from '../platform/gather.ts'
import { type EventContent, readEvents } from './lease.ts'

/** How many contents, and bytes of them, are kept after they were sent: an event goes to many sites at about the same time. */
const KEPT = 4_096
const KEPT_BYTES = 4 * 1024 * 1024

/**
 * The contents of events, read when an attempt needs them: of what waits, only the ids are in memory. Attempts that start at
 * the same time share a statement.
 */
export class EventContents {
  readonly #kept = new LRUCache<string, EventContent>({
    max: KEPT,
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ post }) => Math.max(1, post.length),
  })
  readonly #ask: (eventId: string) => Promise<{ result: EventContent | undefined }>

  constructor(db: Db) {
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
    return this.#kept.get(eventId)
  }

  /** The content of an event; undefined when it has been purged. Rejects when the database does not answer. */
  async read(eventId: string): Promise<EventContent | undefined> {
    const { result } = await this.#ask(eventId)
    if (result !== undefined) this.keep(eventId, result)
    return result
  }
}
