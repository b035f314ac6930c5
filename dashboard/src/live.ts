/**
 * The page's one stream of live updates. Its events are not shown themselves: they invalidate cached queries, and what is on
 * the screen is fetched again (`rounds.ts`). A hidden page closes its stream, because browsers allow only six connections to a
 * service for all pages together, and opens a new one when it becomes visible.
 */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, isSignedOut } from './api.ts'
import { Rounds } from './rounds.ts'
import { sessionEnded, useSessionEnded } from './session.ts'

const UNSEEN_FOR_MS = 20_000

/** Follows live updates while the component is shown and somebody is signed in. Used once in the application. */
export function useLiveUpdates(): void {
  const queries = useQueryClient()
  const ended = useSessionEnded()
  useEffect(() => (ended ? undefined : follow(queries)), [queries, ended])
}

/** Follows live updates while the page is visible. Returns the function that ends it. */
function follow(queries: QueryClient): () => void {
  const rounds = new Rounds(queries)
  let stream: AbortController | undefined
  let unseen: ReturnType<typeof setTimeout> | undefined

  const read = async (mine: AbortController) => {
    try {
      for await (const event of api.events({ signal: mine.signal })) rounds.note(event)
    } catch (error) {
      if (isSignedOut(error)) sessionEnded()
    } finally {
      if (stream === mine) stream = undefined
    }
  }
  const open = () => {
    if (stream !== undefined) return
    stream = new AbortController()
    void read(stream)
  }
  const close = () => {
    stream?.abort()
    stream = undefined
  }
  const look = () => {
    clearTimeout(unseen)
    if (document.visibilityState === 'visible') open()
    else unseen = setTimeout(close, UNSEEN_FOR_MS)
  }
  // Reconnect at once: the SDK's waits have grown while the browser was offline.
  const back = () => {
    close()
    look()
  }
  look()
  document.addEventListener('visibilitychange', look)
  addEventListener('online', back)
  return () => {
    document.removeEventListener('visibilitychange', look)
    removeEventListener('online', back)
    clearTimeout(unseen)
    close()
    rounds.stop()
  }
}
