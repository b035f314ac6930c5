/**
 * Whether somebody is signed in. The session itself is a cookie that scripts cannot read; what is known here is only that
 * the service has refused it after it had been good. The page then stays as it is, with a dialog to sign in again, so that
 * nothing that was typed is lost.
 */
import { useSyncExternalStore } from 'react'

type Standing = 'unknown' | 'signed-in' | 'ended'

let standing: Standing = 'unknown'
const listeners = new Set<() => void>()

function change(next: Standing): void {
  standing = next
  for (const listener of listeners) listener()
}

/** The account could be read. */
export function sessionBegan(): void {
  change('signed-in')
}

/** The service refused us. Matters only to somebody who was signed in; others are on their way to the sign-in page. */
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
