import { performance } from 'node:perf_hooks'
import { type RawBuilder, sql } from 'kysely'

/** Where time comes from. Product code never reads the system clock itself, so tests can move time. */
export type Clock = {
  now(): Date
  /** Milliseconds since some moment. Setting the clock does not move it. */
  monotonicMs(): number
  /** An SQL expression: when its statement began, by the database's clock, the only one that all processes agree on. */
  inDatabase(): RawBuilder<Date>
  /** Resolves after `ms` milliseconds of this clock, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** setTimeout fires at once above this many milliseconds; longer sleeps end early and the caller checks again. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  inDatabase: () => sql<Date>`statement_timestamp()`,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const finish = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', finish)
        resolve()
      }
      const timer = setTimeout(finish, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS))
      signal?.addEventListener('abort', finish, { once: true })
    }),
}

/** `at` moved by `ms` milliseconds (negative: earlier). */
export function plusMs(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}

/**
 * An SQL expression: the fence of a new lease. It is the database's time in microseconds, or one more than `last`, the fence of the lease
 * before, if that is greater. A counter would repeat a number after failover to a standby that lacks the last commits: the holder of the
 * lost lease would pass for the holder of the next one.
 */
export function nextFence(clock: Clock, last: RawBuilder<number>): RawBuilder<number> {
  return sql`greatest(${last} + 1, (extract(epoch from ${clock.inDatabase()}) * 1000000)::bigint)`
}

/** An SQL expression: when a lease of `ms` that its statement takes ends. */
export function endIn(clock: Clock, ms: number): RawBuilder<Date> {
  return sql`(${clock.inDatabase()} + ${ms}::float8 * interval '1 millisecond')`
}

/** An instant on two clocks: nothing may rely on it once either says that it has passed. */
export type Deadline = { at: Date; atMonotonicMs: number }

/** The deadline in `ms` from now. */
export function deadlineIn(clock: Clock, ms: number): Deadline {
  return { at: plusMs(clock.now(), ms), atMonotonicMs: clock.monotonicMs() + ms }
}

/**
 * How many milliseconds are left until a deadline; negative once it has passed. The wall clock may be set back, and the monotonic one
 * stands still while a laptop sleeps: whichever says less is right.
 */
export function remainingMs(clock: Clock, { at, atMonotonicMs }: Deadline): number {
  return Math.min(at.getTime() - clock.now().getTime(), atMonotonicMs - clock.monotonicMs())
}
