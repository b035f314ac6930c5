/** How much may wait: of all together, and of one. */
type MostWaiting = { all: number; ofOne: number }

/** What `take` took; freeing it a second time has no effect. */
export type Slot = { free(): void }

type Waiting = { weight: number; slots: number; begin: () => void }

/**
 * A counting semaphore that is fair between its users: each has a line of its own, first come first served, and the lines take
 * turns. Nobody overtakes the first of the next line while it does not fit, or large ones would wait for ever.
 */
export class Slots {
  readonly #count: number
  #free: number
  #waitingWeight = 0
  /** The lines that are not empty, the next to have its turn first. */
  readonly #lines = new Map<string, Waiting[]>()

  constructor(count: number) {
    this.#count = count
    this.#free = count
  }

  /** How many slots are free. */
  get free(): number {
    return this.#free
  }

  /** The weight of all that wait for slots. */
  get waiting(): number {
    return this.#waitingWeight
  }

  /** The weight of what waits in the line of `whose`. */
  waitingOf(whose: string): number {
    return (this.#lines.get(whose) ?? []).reduce((total, { weight }) => total + weight, 0)
  }

  /** Whether `weight` more may wait. While nothing of `whose` waits, only the bound of all matters. */
  mayWait(weight: number, whose: string, most: MostWaiting): boolean {
    const own = this.waitingOf(whose)
    return this.waiting + weight <= most.all && (own === 0 || own + weight <= most.ofOne)
  }

  /** Resolves once `weight` slots are taken for `whose`; a weight above the total takes all of them. */
  async take(weight = 1, whose = ''): Promise<Slot> {
    const slots = Math.min(weight, this.#count)
    if (this.#lines.size === 0 && slots <= this.#free) this.#free -= slots
    else {
      this.#waitingWeight += weight
      await new Promise<void>((begin) => {
        const line = this.#lines.get(whose) ?? []
        line.push({ weight, slots, begin })
        this.#lines.set(whose, line)
      })
    }
    let held = slots
    return {
      free: () => {
        this.#give(held)
        held = 0
      },
    }
  }

  #give(count: number): void {
    this.#free += count
    for (const [whose, line] of this.#lines) {
      const [next] = line
      if (next === undefined || next.slots > this.#free) return
      this.#lines.delete(whose)
      line.shift()
      if (line.length > 0) this.#lines.set(whose, line) // behind the others; this loop comes to it again
      this.#waitingWeight -= next.weight
      this.#free -= next.slots
      next.begin()
    }
  }
}
