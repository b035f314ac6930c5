/** How many changed things are remembered of one owner. */
const MOST = 500

/**
 * What has been heard of one owner lately, so that a stream that was cut off can resume where it ended. Each thing is
 * remembered once, with the time of its last change. Beyond `MOST` things, the oldest are forgotten.
 *
 * Times are in milliseconds, adjusted to tell before from after: what is heard after `mark` gets a later time than `mark`
 * gave, even within one millisecond.
 */
export class Memory {
  /** When each thing was last heard of, longest ago first. */
  readonly #heard = new Map<string, number>()
  /** Everything heard after this time is remembered. */
  #complete: number
  #earliest: number

  /** `now`: changes are heard from now on. */
  constructor(now: number) {
    this.#complete = now
    this.#earliest = now + 1
  }

  note(things: readonly string[], now: number): void {
    this.#earliest = Math.max(this.#earliest, now)
    for (const thing of things) {
      this.#heard.delete(thing)
      this.#heard.set(thing, this.#earliest)
    }
    for (const [thing, at] of this.#heard) {
      if (this.#heard.size <= MOST) return
      this.#heard.delete(thing)
      this.#complete = at
    }
  }

  /** A time that separates what has been heard from what will be. */
  mark(now: number): number {
    const time = Math.max(this.#earliest, now)
    this.#earliest = time + 1
    return time
  }

  /** Forgets all: something may have been missed. */
  restart(now: number): void {
    this.#heard.clear()
    this.#complete = this.mark(now)
  }

  /** The things heard of after `time`; undefined when they are not all remembered. */
  since(time: number): string[] | undefined {
    if (time < this.#complete || time >= this.#earliest) return undefined
    return [...this.#heard].filter(([, at]) => at > time).map(([thing]) => thing)
  }
}
