/**
 * Virtual time. Everything that waits in a simulation waits here: the agenda takes the earliest entry, lets it happen,
 * waits until the code that it woke is waiting again, and takes the next. One thing happens at a time, so a run is
 * determined by its seed alone.
 */
import { randomFrom } from '../support/random.ts'

/** Numbers from 0 to 1, determined by the seed and a name; streams of different names are independent. */
export function stream(seed: number, name: string): () => number {
  let hash = 0x811c9dc5 ^ seed
  for (const char of name) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193)
  const random = randomFrom(hash)
  for (let skipped = 0; skipped < 3; skipped += 1) random()
  return random
}

type Entry = { at: number; order: number; happen: () => void | Promise<void> }

/** The order of everything that happens, in milliseconds since the story began. */
export class Agenda {
  #now = 0
  #entered = 0
  readonly #entries: Entry[] = []

  get now(): number {
    return this.#now
  }

  /** Enters something to happen in `ms` milliseconds; the returned function cancels it. */
  after(ms: number, happen: Entry['happen']): () => void {
    const entry = { at: this.#now + Math.max(0, ms), order: this.#entered++, happen }
    let low = 0
    for (let high = this.#entries.length; low < high; ) {
      const middle = (low + high) >>> 1
      // Latest first, so that the next one is taken from the end.
      if (isLater(this.#entries[middle], entry)) low = middle + 1
      else high = middle
    }
    this.#entries.splice(low, 0, entry)
    return () => {
      const index = this.#entries.indexOf(entry)
      if (index !== -1) this.#entries.splice(index, 1)
    }
  }

  /** Lets things happen until `done`, or until `limit` has been reached. */
  async run(done: () => boolean, limit: number): Promise<void> {
    await settled()
    while (!done()) {
      const next = this.#entries.at(-1)
      if (next === undefined || next.at > limit) {
        this.#now = Math.max(this.#now, limit)
        return
      }
      this.#entries.pop()
      this.#now = Math.max(this.#now, next.at)
      await next.happen()
      await settled()
    }
  }
}

function isLater(one: Entry | undefined, other: Entry): boolean {
  if (one === undefined) return false
  return one.at > other.at || (one.at === other.at && one.order > other.order)
}

/**
 * Resolves when all promises and immediates have run their course. The recorder waits one turn of the event loop for
 * others to join its batch; nothing of the engine waits longer without an entry in the agenda.
 */
async function settled(): Promise<void> {
  await new Promise(setImmediate)
  await new Promise(setImmediate)
}
