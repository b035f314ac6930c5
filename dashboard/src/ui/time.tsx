import { useSyncExternalStore } from 'react'
import { ago, clock, until } from '../format.ts'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** One timer per second for all times on the page, and none while there are none. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const one of listeners) one()
  }, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The text at the current whole second, so that one rendering sees one text. */
export function useText(textAt: (now: number) => string): string {
  return useSyncExternalStore(subscribe, () => textAt(Math.floor(Date.now() / 1_000) * 1_000))
}

/** Whether an instant has passed. */
export function useIsPast(at: string | null): boolean {
  return useSyncExternalStore(subscribe, () => at !== null && new Date(at).getTime() <= Date.now())
}

/** The present minute, in milliseconds since 1970. */
export function useMinute(): number {
  return useSyncExternalStore(subscribe, () => Math.floor(Date.now() / 60_000) * 60_000)
}

/** How long ago or how far ahead, in words; the full date is in its title. `at` is an ISO instant. */
export function Ago({ at }: { at: string }) {
  const text = useText((now) => ago(at, now))
  return (
    <time dateTime={at} title={clock(at)} className="whitespace-nowrap">
      {text}
    </time>
  )
}

/** The time left until an instant, counting down to "now". */
export function Until({ at }: { at: string }) {
  const text = useText((now) => until(at, now))
  return (
    <time dateTime={at} title={clock(at)} className="figures whitespace-nowrap">
      {text}
    </time>
  )
}
