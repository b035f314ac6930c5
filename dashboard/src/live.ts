/**
 * The one stream of live updates of this page. What it tells is not shown but makes what was read old, and what is on the
 * screen is read again (`rounds.ts`). A page that nobody sees lets go of its stream, since browsers allow six connections to a
 * service for all pages together, and goes on where it was when somebody looks.
 */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, isSignedOut } from './api.ts'
import { Rounds } from './rounds.ts'
import { sessionEnded, useSessionEnded } from './session.ts'

const UNSEEN_FOR_MS = 20_000

/** Follows what changes for as long as the component is shown and somebody is signed in; once in the application. */
export function useLiveUpdates(): void {
  const queries = useQueryClient()
  const ended = useSessionEnded()
  useEffect(() => (ended ? undefined : follow(queries)), [queries, ended])
}

/** Follows what changes while the page is seen. Returns what ends it. */
function follow(queries: QueryClient): () => void {
  const rounds = new Rounds(queries)
  let stream: AbortController | undefined
  let lastEventId: string | undefined
  let unseen: ReturnType<typeof setTimeout> | undefined

  const read = async (mine: AbortController) => {
    try {
      const { signal } = mine
      for await (const event of api.events({ signal, ...(lastEventId === undefined ? {} : { lastEventId }) })) {
        // A connection that was made again goes on where the last one ended; the first begins with what was read before it.
        if (event.event !== 'ready' || lastEventId === undefined) rounds.note(event)
        lastEventId = event.id ?? lastEventId
      }
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
  // The waits between attempts have grown meanwhile.
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
