type Watch = { attempts: number; onAbort: () => void }

/**
 * Listens once to each signal that attempts under way have: hundreds of them share one, and an EventTarget is slow to remove one
 * of hundreds of listeners.
 */
export class AbortWatch {
  readonly #aborted: (signal: AbortSignal) => void
  readonly #watched = new WeakMap<AbortSignal, Watch>()

  /** `aborted` is to end the attempts of a signal. */
  constructor(aborted: (signal: AbortSignal) => void) {
    this.#aborted = aborted
  }

  /** An attempt with this signal begins. */
  join(signal: AbortSignal | undefined): void {
    if (signal === undefined) return
    let watch = this.#watched.get(signal)
    if (watch === undefined) {
      watch = { attempts: 0, onAbort: () => this.#aborted(signal) }
      this.#watched.set(signal, watch)
      signal.addEventListener('abort', watch.onAbort)
    }
    watch.attempts += 1
  }

  /** An attempt with this signal is over. After the last one, nothing stays registered on the signal. */
  leave(signal: AbortSignal | undefined): void {
    const watch = signal === undefined ? undefined : this.#watched.get(signal)
    if (signal === undefined || watch === undefined) return
    watch.attempts -= 1
    if (watch.attempts > 0) return
    signal.removeEventListener('abort', watch.onAbort)
    this.#watched.delete(signal)
  }
}
