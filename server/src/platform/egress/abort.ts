/** Is told when a signal aborts. */
export type AbortListener = { onAbort(): void }

type Watch = { listeners: Set<AbortListener>; onAbort: () => void }

/** Signals that end attempts. Hundreds of attempts share one, and an EventTarget is slow to remove one of hundreds of listeners. */
const watched = new WeakMap<AbortSignal, Watch>()

/** Tells `listener` when the signal aborts, until `unwatch`. */
export function watch(signal: AbortSignal, listener: AbortListener): void {
  let known = watched.get(signal)
  if (known === undefined) {
    const listeners = new Set<AbortListener>()
    known = {
      listeners,
      onAbort: () => {
        for (const one of [...listeners]) one.onAbort()
      },
    }
    watched.set(signal, known)
    signal.addEventListener('abort', known.onAbort)
  }
  known.listeners.add(listener)
}

/** Stops telling `listener`. After the last one, nothing stays registered on the signal. */
export function unwatch(signal: AbortSignal, listener: AbortListener): void {
  const known = watched.get(signal)
  if (known === undefined) return
  known.listeners.delete(listener)
  if (known.listeners.size > 0) return
  signal.removeEventListener('abort', known.onAbort)
  watched.delete(signal)
}
