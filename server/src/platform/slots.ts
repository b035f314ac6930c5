/** What `take` took; freeing it a second time has no effect. */
export type Slot = { free(): void }

/** A counting semaphore, first come first served. */
export class Slots {
  readonly #count: number
  #free: number
  #waitingWeight = 0
  readonly #waiting: Array<{ weight: number; begin: () => void }> = []

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

  /** Resolves once `weight` slots are taken; a weight above the total takes all of them. */
  async take(weight = 1): Promise<Slot> {
    const taken = Math.min(weight, this.#count)
    if (this.#waiting.length === 0 && taken <= this.#free) this.#free -= taken
    else {
      this.#waitingWeight += taken
      await new Promise<void>((begin) => this.#waiting.push({ weight: taken, begin }))
    }
    let held = taken
    return {
      free: () => {
        this.#give(held)
        held = 0
      },
    }
  }

  #give(count: number): void {
    this.#free += count
    for (let next = this.#waiting[0]; next !== undefined && next.weight <= this.#free; next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#waitingWeight -= next.weight
      this.#free -= next.weight
      next.begin()
    }
  }
}
