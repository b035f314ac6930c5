/** A taken slot; giving it back twice is giving it back once. */
export type Slot = { free(): void }

/** A counting semaphore, first come first served. */
export class Slots {
  #free: number
  #waiting: Array<() => void> = []

  constructor(count: number) {
    this.#free = count
  }

  /** How many could be taken at once. */
  get free(): number {
    return this.#free
  }

  /** Resolves once a slot is taken. */
  async take(): Promise<Slot> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let taken = true
    return {
      free: () => {
        if (taken) this.#give()
        taken = false
      },
    }
  }

  #give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
}
