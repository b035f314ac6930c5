type Watch = { listeners: Set<() => void>; onAbort: () => void }

/** Signals that end attempts. Hundreds share one, and an event target is slow to lose one listener out of hundreds. */
const watched = new WeakMap<AbortSignal, Watch>()

/** Calls `listener` when the signal aborts, until `unwatch`. */
export function watch(signal: AbortSignal, listener: () => void): void {
  let known = watched.get(signal)
  if (known === undefined) {
    const listeners = new Set<() => void>()
    known = {
      listeners,
      onAbort: () => {
        for (const one of [...listeners]) one()
      },
    }
    watched.set(signal, known)
    signal.addEventListener('abort', known.onAbort)
  }
  known.listeners.add(listener)
}

/** The listener hears nothing more. The last one takes ours from the signal. */
export function unwatch(signal: AbortSignal, listener: () => void): void {
  const known = watched.get(signal)
  if (known === undefined) return
  known.listeners.delete(listener)
  if (known.listeners.size > 0) return
  signal.removeEventListener('abort', known.onAbort)
  watched.delete(signal)
}
