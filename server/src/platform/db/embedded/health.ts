import { EmbeddedError } from './errors.ts'

/** Whether PostgreSQL still runs and what it wrote last. Broken is final; `onBroken` is called once, with the error for callers and why. */
export class Health {
  readonly #onBroken: (error: EmbeddedError, why: string) => void
  #broken: EmbeddedError | null = null
  #lastWords = ''

  constructor(onBroken: (error: EmbeddedError, why: string) => void) {
    this.#onBroken = onBroken
  }

  get broken(): EmbeddedError | null {
    return this.#broken
  }

  /** The last fatal line PostgreSQL has written, or an empty string. */
  get lastWords(): string {
    return this.#lastWords
  }

  /** Takes a line of PostgreSQL's error output. */
  readLogLine(line: string): void {
    if (/\b(PANIC|FATAL):/.test(line)) this.#lastWords = line
  }

  breakDown(reason: string, cause?: unknown): EmbeddedError {
    if (this.#broken) return this.#broken
    const why = [reason, this.#lastWords].filter((text) => text !== '').join('; ') || 'PostgreSQL aborted'
    const message = `The embedded database has stopped (${why}). Remove the cause and restart Postrider; what was committed is kept.`
    this.#broken = new EmbeddedError('broken', message, { cause })
    this.#onBroken(this.#broken, why)
    return this.#broken
  }
}
