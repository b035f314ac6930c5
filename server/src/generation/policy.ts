/** Decides what follows from a failed try, and estimates how long a draft will take. */
import type { ModelErrorKind } from './model/model.ts'

/** Tries of one question, and the waits between them in milliseconds. */
type RetrySchedule = { tries: number; waitsMs: readonly number[] }

/** For temporary failures that cost nothing: about ten minutes, or longer if the server asks for that. */
const LONG: RetrySchedule = { tries: 8, waitsMs: [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000] }
/** For failures that may have cost tokens. */
const SHORT: RetrySchedule = { tries: 3, waitsMs: [2_000, 15_000] }
/** If the server asks for a longer wait, the job fails. */
const LONGEST_WAIT_MS = 15 * 60_000

const SCHEDULES: Partial<Record<ModelErrorKind | 'internal', RetrySchedule>> = {
  rate_limited: LONG,
  overloaded: LONG,
  unreachable: LONG,
  timeout: SHORT,
  cut: SHORT,
  empty: SHORT,
  too_long: SHORT,
  unusable: SHORT,
  internal: SHORT,
}

/**
 * Milliseconds until the question is asked again; undefined when the job fails. `tries` includes the one that just failed;
 * `retryAfterMs` is the wait that the server asked for.
 */
export function waitAfter(
  kind: ModelErrorKind | 'internal',
  tries: number,
  retryAfterMs: number | undefined,
): number | undefined {
  const schedule = SCHEDULES[kind]
  if (schedule === undefined || tries >= schedule.tries) return undefined
  const waitMs = Math.max(schedule.waitsMs[tries - 1] ?? 0, retryAfterMs ?? 0)
  return waitMs > LONGEST_WAIT_MS ? undefined : waitMs
}

/** Milliseconds per word before anything is learned, for a hosted model: questions, revisions and waits. */
const FIRST_GUESS_MS = 45

/** The input of an estimate. `msPerWord` is learned from past jobs; `ahead` jobs come first, `jobs` run at the same time. */
export type EstimateInput = {
  words: number
  msPerWord: number | undefined
  ahead: number
  jobs: number
  /** The share done, from 0 to 1, and the time it took. */
  done: number
  workedMs: number
  /** The wait before the next try. */
  waitMs: number
}

/** Seconds until the draft is finished, at least 1. The further the job is, the more its own speed counts. */
export function estimateSeconds({ words, msPerWord, ahead, jobs, done, workedMs, waitMs }: EstimateInput): number {
  const learnedMs = words * (msPerWord ?? FIRST_GUESS_MS)
  const measuredMs = done > 0 ? workedMs / done : 0
  const wholeMs = measuredMs === 0 ? learnedMs : measuredMs * done + learnedMs * (1 - done)
  const queueMs = Math.floor(ahead / jobs) * learnedMs
  return Math.max(1, Math.ceil((wholeMs * (1 - done) + queueMs + Math.max(0, waitMs)) / 1_000))
}
