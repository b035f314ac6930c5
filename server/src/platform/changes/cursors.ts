import { randomBytes } from 'node:crypto'

/** How much earlier, by its own clock, another process may hear of a change than the maker of a cursor. */
const ALLOWANCE_MS = 5_000

const CURSOR = /^([0-9a-z]{1,10})-([0-9A-Za-z_-]{8})$/

/** Cursors of a stream: a time, and which process's time it is. */
export class Cursors {
  readonly #process = randomBytes(6).toString('base64url')

  /** The cursor of a time in milliseconds. */
  at(time: number): string {
    return `${time.toString(36)}-${this.#process}`
  }

  /** What was heard here after this time is new to the cursor's holder; undefined when the text is no cursor. */
  since(cursor: string): number | undefined {
    const [, time = '', process] = CURSOR.exec(cursor) ?? []
    if (process === undefined) return undefined
    return Number.parseInt(time, 36) - (process === this.#process ? 0 : ALLOWANCE_MS)
  }
}
