/** What follows from a failed try, and how long a draft will take. Decisions only. */
import type { ModelErrorKind } from './model/model.ts'

/** Tries of one question, and the waits between them in milliseconds. */
type Patience = { tries: number; waitsMs: readonly number[] }

/** For what costs nothing and passes: about a quarter of an hour. */
const LONG: Patience = { tries: 8, waitsMs: [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000] }
/** For what may have been paid for. */
const SHORT: Patience = { tries: 3, waitsMs: [2_000, 15_000] }
/** A server that wants to be left alone for longer is not waited for. */
const LONGEST_WAIT_MS = 15 * 60_000

const PATIENCE: Partial<Record<ModelErrorKind | 'internal', Patience>> = {
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

/** A job that was begun this often without an answer being saved brings its process down; it is given up. */
export const MOST_LEASES = 10

/**
 * Milliseconds until the question is put again; undefined when the job has failed. `tries` counts those made, this one
 * included; `retryAfterMs` is what the server asked for.
 */
export function waitAfter(
  kind: ModelErrorKind | 'internal',
  tries: number,
  retryAfterMs: number | undefined,
): number | undefined {
  const patience = PATIENCE[kind]
  if (patience === undefined || tries >= patience.tries) return undefined
  const waitMs = Math.max(patience.waitsMs[tries - 1] ?? 0, retryAfterMs ?? 0)
  return waitMs > LONGEST_WAIT_MS ? undefined : waitMs
}

/** Milliseconds per word before anything was learned: a hosted model, with questions, revisions and waits. */
const FIRST_GUESS_MS = 45

/** What an estimate starts from. `msPerWord`: learned from past jobs. `ahead`: jobs that come first, `jobs` at once. */
export type Situation = {
  words: number
  msPerWord: number | undefined
  ahead: number
  jobs: number
  /** From 0 to 1, and the time that took. */
  done: number
  workedMs: number
  /** Until the job is tried again. */
  waitMs: number
}

/** Seconds until the draft is there, at least 1. What the job itself has needed so far counts the more, the further it is. */
export function estimateSeconds({ words, msPerWord, ahead, jobs, done, workedMs, waitMs }: Situation): number {
  const learnedMs = words * (msPerWord ?? FIRST_GUESS_MS)
  const measuredMs = done > 0 ? workedMs / done : 0
  const wholeMs = measuredMs === 0 ? learnedMs : measuredMs * done + learnedMs * (1 - done)
  const queueMs = Math.floor(ahead / jobs) * learnedMs
  return Math.max(1, Math.ceil((wholeMs * (1 - done) + queueMs + Math.max(0, waitMs)) / 1_000))
}
