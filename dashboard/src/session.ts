/**
 * Whose session it is, and whether it has ended. The session itself is a cookie that scripts cannot read; the page only learns that
 * the service refuses it after having accepted it. The page then stays as it is, with a dialog to sign in again, so that nothing
 * typed is lost.
 *
 * All pages of a browser have the same cookie. Once somebody else signs in on one of them, the others would act for that person:
 * a page that is about another account makes no more requests, and begins again.
 */
import { useSyncExternalStore } from 'react'

/** Where the pages of this browser tell each other whose session it is. */
const KEY = 'postrider.account'

type Standing = 'unknown' | 'signed-in' | 'ended'

let standing: Standing = 'unknown'
let account: string | undefined
let isOver = false
let isLeaving = false
const listeners = new Set<() => void>()

function change(next: Standing): void {
  standing = next
  for (const listener of listeners) listener()
}

/** Notes that the service has answered for this account. */
export function sessionBegan(accountId: string): void {
  if (isAnother(accountId)) {
    beginAgain()
    return
  }
  if (account === undefined) {
    addEventListener('storage', hear)
    // Before the listeners that save.
    for (const event of ['beforeunload', 'pagehide']) addEventListener(event, leave, { capture: true })
  }
  account = accountId
  try {
    localStorage.setItem(KEY, accountId)
  } catch {
    // A browser that keeps nothing: the other pages learn it from the service.
  }
  change('signed-in')
}

/** Hears which account another page is about. */
function hear({ key, newValue }: StorageEvent): void {
  if (key === KEY && newValue !== null && isAnother(newValue)) beginAgain()
}

function isAnother(accountId: string): boolean {
  return account !== undefined && account !== accountId
}

function beginAgain(): void {
  isOver = true
  location.reload()
}

/** The page is closed, or left for another site, unless the person decides to stay. */
function leave(): void {
  isLeaving = true
  setTimeout(() => {
    isLeaving = false
  })
}

/** The service was not reached. Browsers throw a `TypeError` then, as they do for a fault of the program. */
export class UnreachableError extends Error {}

/** Browsers let 64 KiB of bodies go on their way after the page is closed. */
const MOST_AFTERWARDS = 60_000

/**
 * `fetch`, until somebody else signs in: this page must not act for them, not even to save what was written on it. What is saved
 * while the page is closed arrives all the same, if it is not too long. Throws `UnreachableError`, or the reason of the signal.
 */
export const fetchInSession: typeof fetch = async (input, init) => {
  if (isOver) throw new UnreachableError('Somebody else has signed in.')
  const { body } = init ?? {}
  const keepalive =
    (isLeaving || document.visibilityState === 'hidden') &&
    typeof body === 'string' &&
    new TextEncoder().encode(body).length < MOST_AFTERWARDS
  return fetch(input, { ...init, keepalive }).catch((cause) => {
    if (init?.signal?.aborted) throw cause
    throw new UnreachableError('The service was not reached.', { cause })
  })
}

/** Notes that the service refused the session. It matters only if somebody was signed in; others get the sign-in page anyway. */
export function sessionEnded(): void {
  if (standing === 'signed-in') change('ended')
}

/** Calls `goOn` whenever somebody has signed in again after the session had ended. */
export function onSignedInAgain(goOn: () => void): void {
  let before = standing
  listeners.add(() => {
    const isBack = before === 'ended' && standing === 'signed-in'
    before = standing
    if (isBack) goOn()
  })
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
