import { useCallback, useEffect, useState } from 'react'

/**
 * Whether this is the browser's one tab that edits the post. Another tab with the post open only shows it and can take over, so
 * two tabs never write the same copy or overwrite each other's text in the service. Browsers have no locks on addresses without
 * https; there only the service's versions detect changes from elsewhere.
 */
export function useOnlyHere(id: string): { here: boolean; takeOver: () => void } {
  const [here, setHere] = useState(true)
  const [taken, setTaken] = useState(0)
  useEffect(() => {
    if (navigator.locks === undefined) return
    const closed = new AbortController()
    const held = new Promise<void>((release) => closed.signal.addEventListener('abort', () => release()))
    const name = `postrider.post.${id}`
    const hold = (lock: Lock | null) => {
      if (closed.signal.aborted) return
      setHere(lock !== null)
      return lock === null ? undefined : held
    }
    navigator.locks
      .request(name, taken > 0 ? { steal: true } : { ifAvailable: true }, hold)
      // Another tab has taken over.
      .catch(() => closed.signal.aborted || setHere(false))
    return () => closed.abort()
  }, [id, taken])
  return { here, takeOver: useCallback(() => setTaken((times) => times + 1), []) }
}
