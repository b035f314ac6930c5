/** A counting semaphore, first come first served. */
export class Slots {
  #free: number
  #waiting: Array<() => void> = []

  constructor(count: number) {
    this.#free = count
  }

  /** Resolves once a slot is taken; `free` must be called exactly once. */
  async take(): Promise<{ free(): void }> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return { free: () => this.#give() }
  }

  #give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
}
