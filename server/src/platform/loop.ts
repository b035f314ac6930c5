import type { Clock } from './clock.ts'
import { isDatabaseGone, isStatementTimeout } from './db/database.ts'
import { errorField, type Log } from './log.ts'
import { messageOf } from './thrown.ts'

/**
 * A background loop: runs one step at a time, waits, runs again. It is woken early by `nudge`, backs off after an
 * error, and stops between steps. The rows in the database are the truth; a lost nudge costs at most one wait.
 */
export type Loop = {
  name: string
  start(): void
  /** Runs the next step now, or right after the one that is running; has no effect during a back-off. */
  nudge(): void
  /** Stops after the running step, which it waits for. */
  stop(): Promise<void>
  /** Runs steps until one finds nothing to do. For tests and for work by hand; not while started. */
  drain(): Promise<void>
  /** `failing` holds the last error's message while steps fail. */
  status(): { name: string; running: boolean; failing: string | undefined; housekeeping: boolean }
}

/** What a step found: more to do at once, or wait this long at most (milliseconds). */
export type StepResult = { again: true } | { again: false; waitMs?: number }

const LONGEST_BACKOFF_MS = 30_000
/** When the database is back, everybody waits for the loops. */
const LONGEST_BACKOFF_WHILE_AWAY_MS = 2_000

/** Defines a loop that runs `step` at least every `everyMs`. `housekeeping`: nobody waits for what it does. */
export function defineLoop(options: {
  name: string
  everyMs: number
  housekeeping?: boolean
  clock: Clock
  log: Log
  step: (signal: AbortSignal) => Promise<StepResult>
}): Loop {
  const { name, everyMs, housekeeping = false, clock, log, step } = options
  let stopping = new AbortController()
  let wake = new AbortController()
  let running: Promise<void> | undefined
  let failing: string | undefined

  async function guardedStep(failures: number): Promise<{ waitMs: number; failures: number }> {
    try {
      const result = await step(stopping.signal)
      failing = undefined
      return { waitMs: result.again ? 0 : Math.min(result.waitMs ?? everyMs, everyMs), failures: 0 }
    } catch (error) {
      failing = messageOf(error)
      log.error('loop.failed', { loop: name, failures: failures + 1, error: errorField(error) })
      const isAway = isDatabaseGone(error) && !isStatementTimeout(error)
      const longestMs = isAway ? LONGEST_BACKOFF_WHILE_AWAY_MS : LONGEST_BACKOFF_MS
      return { waitMs: Math.min(250 * 2 ** failures, longestMs), failures: failures + 1 }
    }
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      wake = new AbortController()
      const next = await guardedStep(failures)
      failures = next.failures
      // A failing step waits out its back-off even when nudged: nudges come with every publish.
      const wakers = failures > 0 ? stopping.signal : AbortSignal.any([stopping.signal, wake.signal])
      if (next.waitMs > 0) await clock.sleep(next.waitMs, wakers)
    }
  }

  return {
    name,
    start() {
      stopping = new AbortController()
      running ??= run()
    },
    nudge: () => wake.abort(),
    async stop() {
      stopping.abort()
      await running
      running = undefined
    },
    async drain() {
      while ((await step(stopping.signal)).again) {}
    },
    status: () => ({ name, running: running !== undefined, failing, housekeeping }),
  }
}
