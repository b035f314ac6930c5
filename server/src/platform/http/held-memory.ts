/** A part of the memory that a client keeps. `grow` adds bytes to it; freeing it a second time has no effect. */
export type Held = { grow(bytes: number): void; free(): void }

type Part = { bytes: number; giveUp: () => void }

/**
 * Memory that clients occupy for as long as they like: answers that they have not read yet, bodies that they have not sent completely.
 * Honest clients may be slow, so the bound is on the memory of all together, not on the time. When it exceeds `mostBytes`, whoever
 * occupies most loses the oldest part: a client with many connections that hardly move harms only itself.
 */
export class HeldMemory {
  readonly #mostBytes: number
  #bytes = 0
  /** The parts of each, the oldest first. */
  readonly #parts = new Map<string, Set<Part>>()

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** Counts `bytes` for `whose`. `giveUp` is called, at once or later, if that memory has to be freed; then it is not counted any more. */
  hold(whose: string, bytes: number, giveUp: () => void): Held {
    const part: Part = { bytes: 0, giveUp }
    const parts = this.#parts.get(whose) ?? new Set()
    this.#parts.set(whose, parts.add(part))
    const held: Held = {
      grow: (more) => {
        if (!parts.has(part)) return
        part.bytes += more
        this.#bytes += more
        while (this.#bytes > this.#mostBytes) this.#giveUpOne()
      },
      free: () => this.#remove(whose, part),
    }
    held.grow(bytes)
    return held
  }

  #giveUpOne(): void {
    let [most, loser]: [number, string | undefined] = [0, undefined]
    for (const [whose, parts] of this.#parts) {
      const bytes = [...parts].reduce((total, part) => total + part.bytes, 0)
      if (bytes > most) [most, loser] = [bytes, whose]
    }
    const oldest = loser && [...(this.#parts.get(loser) ?? [])].find((part) => part.bytes > 0)
    if (!loser || !oldest) return
    this.#remove(loser, oldest)
    oldest.giveUp()
  }

  #remove(whose: string, part: Part): void {
    const parts = this.#parts.get(whose)
    if (parts?.delete(part) !== true) return
    this.#bytes -= part.bytes
    if (parts.size === 0) this.#parts.delete(whose)
  }
}
