/**
 * Whether the session has ended. The session itself is a cookie that scripts cannot read; the page only learns that the
 * service refuses it after having accepted it. The page then stays as it is, with a dialog to sign in again, so that nothing
 * typed is lost.
 */
import { useSyncExternalStore } from 'react'

type Standing = 'unknown' | 'signed-in' | 'ended'

let standing: Standing = 'unknown'
const listeners = new Set<() => void>()

function change(next: Standing): void {
  standing = next
  for (const listener of listeners) listener()
}

/** Notes that the account could be read. */
export function sessionBegan(): void {
  change('signed-in')
}

/** Notes that the service refused the session. It matters only if somebody was signed in; others get the sign-in page anyway. */
export function sessionEnded(): void {
  if (standing === 'signed-in') change('ended')
}

/** Whether to ask to sign in again. */
export function useSessionEnded(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => standing === 'ended',
  )
}
