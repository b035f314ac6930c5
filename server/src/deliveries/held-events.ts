import type { DueDelivery, EventContent } from './lease.ts'

type Held = { bytes: number; holders: number; content: EventContent | undefined }

/**
 * The contents of the events that lanes wait to send, each held once however many deliveries carry it, and no longer than
 * one of them waits or is in flight.
 */
export class HeldEvents {
  readonly #events = new Map<string, Held>()
  readonly #unread = new Set<string>()
  readonly #limit: number
  #bytes = 0

  /** `limit`: the most bytes that are held, but for a single event that has more. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** What part of the limit is free. */
  get free(): number {
    return Math.max(0, 1 - this.#bytes / this.#limit)
  }

  /** Holds a delivery's event until `release`; false when there is no room for it. */
  hold({ eventId, payloadBytes }: DueDelivery): boolean {
    const known = this.#events.get(eventId)
    if (known === undefined) {
      if (this.#bytes > 0 && this.#bytes + payloadBytes > this.#limit) return false
      this.#events.set(eventId, { bytes: payloadBytes, holders: 1, content: undefined })
      this.#unread.add(eventId)
      this.#bytes += payloadBytes
    } else known.holders += 1
    return true
  }

  /** The content of a held event, once it was read; undefined too when it has been purged. */
  contentOf(eventId: string): EventContent | undefined {
    return this.#events.get(eventId)?.content
  }

  /** Reads the contents of events that were not read before. */
  async read(read: (ids: readonly string[]) => Promise<Map<string, EventContent>>): Promise<void> {
    const ids = [...this.#unread]
    if (ids.length === 0) return
    const contents = await read(ids)
    for (const id of ids) {
      const held = this.#events.get(id)
      if (held !== undefined) held.content = contents.get(id)
      this.#unread.delete(id)
    }
  }

  /** To be called once for each `hold`. */
  release(eventId: string): void {
    const held = this.#events.get(eventId)
    if (held === undefined) return
    held.holders -= 1
    if (held.holders > 0) return
    this.#events.delete(eventId)
    this.#unread.delete(eventId)
    this.#bytes -= held.bytes
  }
}
