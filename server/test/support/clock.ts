import { sql } from 'kysely'
import type { Clock } from '../../src/platform/clock.ts'

/** A clock that moves only when told. The database's clock shows the same. */
export type ManualClock = Clock & {
  advance(ms: number): void
  /** The machine sleeps so long: its monotonic clock stands still. */
  suspend(ms: number): void
}

/** Limits for a service whose clock stands still: its results would gather until somebody moves the clock. */
export const WITHOUT_PAUSES = { gatherMs: 0, lockedMs: 0 }

/** A manual clock; sleeps end when time has been advanced past them. */
export function manualClock(start: Date): ManualClock {
  let now = start.getTime()
  let elapsed = 0
  const sleepers = new Set<{ until: number; wake: () => void }>()
  const clock: ManualClock = {
    now: () => new Date(now),
    monotonicMs: () => elapsed,
    inDatabase: () => sql<Date>`${new Date(now)}::timestamptz`,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const sleeper = {
          until: now + ms,
          wake() {
            sleepers.delete(sleeper)
            signal?.removeEventListener('abort', sleeper.wake)
            resolve()
          },
        }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', sleeper.wake, { once: true })
      })
    },
    suspend(ms) {
      clock.advance(ms)
      elapsed -= ms
    },
    advance(ms) {
      now += ms
      elapsed += Math.max(0, ms)
      for (const sleeper of [...sleepers]) if (sleeper.until <= now) sleeper.wake()
    },
  }
  return clock
}
