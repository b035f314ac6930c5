import { randomBytes } from 'node:crypto'

/** What another process may know later, or by another clock, than the one that made a cursor. */
const ALLOWANCE_MS = 5_000

const CURSOR = /^([0-9a-z]{1,10})-([0-9A-Za-z_-]{8})$/

/** Cursors of a stream: a time, and which process's time it is. */
export class Cursors {
  readonly #process = randomBytes(6).toString('base64url')

  /** The cursor of a time in milliseconds. */
  at(time: number): string {
    return `${time.toString(36)}-${this.#process}`
  }

  /** Since when what was heard here is new to who has the cursor; undefined when the text is no cursor. */
  since(cursor: string): number | undefined {
    const [, time = '', process] = CURSOR.exec(cursor) ?? []
    if (process === undefined) return undefined
    return Number.parseInt(time, 36) - (process === this.#process ? 0 : ALLOWANCE_MS)
  }
}
