/** How much may wait: of all together, and of one. */
type MostWaiting = { all: number; ofOne: number }

/** What `take` took; freeing it a second time has no effect. */
export type Slot = { free(): void }

type Waiting = { weight: number; slots: number; begin: () => void }

/**
 * A counting semaphore that is fair between its users: each has a queue of its own, first come first served, and the queues take
 * turns. Nobody overtakes the first of the next queue while it does not fit, or large ones would wait for ever.
 */
export class Slots {
  readonly #count: number
  #free: number
  #waitingWeight = 0
  /** The queues that are not empty, the next to have its turn first. */
  readonly #queues = new Map<string, Waiting[]>()

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

  /** The weight of what waits in the queue of `owner`. */
  waitingOf(owner: string): number {
    return (this.#queues.get(owner) ?? []).reduce((total, { weight }) => total + weight, 0)
  }

  /** Whether `weight` more may wait. While nothing of `owner` waits, only the bound of all matters. */
  mayWait(weight: number, owner: string, most: MostWaiting): boolean {
    const own = this.waitingOf(owner)
    return this.waiting + weight <= most.all && (own === 0 || own + weight <= most.ofOne)
  }

  /** Resolves once `weight` slots are taken for `owner`; a weight above the total takes all of them. */
  async take(weight = 1, owner = ''): Promise<Slot> {
    const slots = Math.min(weight, this.#count)
    if (this.#queues.size === 0 && slots <= this.#free) this.#free -= slots
    else {
      this.#waitingWeight += weight
      await new Promise<void>((begin) => {
        const queue = this.#queues.get(owner) ?? []
        queue.push({ weight, slots, begin })
        this.#queues.set(owner, queue)
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
    for (const [owner, queue] of this.#queues) {
      const [next] = queue
      if (next === undefined || next.slots > this.#free) return
      this.#queues.delete(owner)
      queue.shift()
      if (queue.length > 0) this.#queues.set(owner, queue) // behind the others; this loop comes to it again
      this.#waitingWeight -= next.weight
      this.#free -= next.slots
      next.begin()
    }
  }
}
