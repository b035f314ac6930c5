/** The engine's decisions, as pure functions. */
import type { DeliveryStatus } from './tables.ts'

/** An attempt without an answer after this time is slow. */
export const SLOW_MS = 1_000

/**
 * What a channel says of an attempt. `delivered`: the target accepted; `liveUrl` is where it says that it shows the post. `refused`: the target answered, but did not accept; `code` is its status, if it has such.
 * `unreachable`: no answer came; `silent` if somebody waited for one. `unknown`: it was aborted, so the target may have accepted or not.
 */
export type AttemptOutcome =
  | { kind: 'delivered'; code: number; liveUrl?: string | null; tookMs: number }
  | { kind: 'refused'; code: number; error: string; excerpt: string | null; tookMs: number }
  | { kind: 'unreachable'; error: string; silent: boolean; tookMs: number }
  | { kind: 'unknown' }

/** An attempt whose outcome is known, with when it was made. */
export type AttemptResult = Exclude<AttemptOutcome, { kind: 'unknown' }> & { startedAt: Date; finishedAt: Date }

/** Whether an attempt was accepted. */
export function isAccepted({ kind }: Pick<AttemptResult, 'kind'>): boolean {
  return kind === 'delivered'
}

/** Whether somebody waited for an answer that did not come. A site that refuses at once costs no more than an answer. */
export function isSilent(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'unreachable' && outcome.silent
}

/** The error of an attempt; null if it was accepted. */
export function errorOf(result: AttemptResult): string | null {
  return result.kind === 'delivered' ? null : result.error
}

/** The status code that came back; null when no answer did. */
export function codeOf(result: AttemptResult): number | null {
  return result.kind === 'unreachable' ? null : result.code
}

/** What an attempt makes of its delivery: a status, and after how long it is attempted again, if it is. */
export type NextState = { status: DeliveryStatus | 'superseded'; retryInMs: number | null }

/**
 * The state after an attempt (specification, sections 3 and 6). `attempts` counts all of them, `attemptsInRound` those
 * since the last manual retry; both include this one.
 */
export function afterAttempt(
  isOk: boolean,
  made: { attempts: number; attemptsInRound: number },
  retryDelaysMs: readonly number[],
): NextState {
  if (isOk) return { status: made.attempts > 1 ? 'delivered_retry' : 'delivered', retryInMs: null }
  const retryInMs = retryDelaysMs[made.attemptsInRound - 1]
  return retryInMs === undefined ? { status: 'failed', retryInMs: null } : { status: 'pending', retryInMs }
}

/**
 * Which of a lane's due deliveries to attempt under one lease: of each post the oldest event, so that attempts for a post never overlap
 * and a site hears of a post before it hears of its changes. The next one follows once its result is recorded.
 */
export function oldestPerPost<Due extends { postId: string; sequence: number }>(due: readonly Due[]): Due[] {
  const byPost = new Map<string, Due>()
  for (const one of due) {
    const chosen = byPost.get(one.postId)
    if (chosen === undefined || one.sequence < chosen.sequence) byPost.set(one.postId, one)
  }
  return [...byPost.values()]
}

/** A site is in error after this many failed attempts in a row, or when a delivery ends as failed (decision S3). */
const FAILURES_UNTIL_ERROR = 5

/** What is remembered of an endpoint between attempts. */
export type LaneHealth = { suspect: boolean; failing: boolean; failuresInARow: number }

/** The health after an attempt. What it settled alongside is not a failure more. A suspect endpoint (it did not answer) is sent one attempt at a time. */
export function healthAfter(
  health: LaneHealth,
  result: { isOk: boolean; isSilent: boolean; isAlongside?: boolean },
  next: NextState,
): LaneHealth {
  if (result.isOk) return { suspect: false, failing: false, failuresInARow: 0 }
  const failuresInARow = health.failuresInARow + (result.isAlongside ? 0 : 1)
  const failing = health.failing || next.status === 'failed' || failuresInARow >= FAILURES_UNTIL_ERROR
  return { suspect: result.isSilent, failing, failuresInARow }
}

/** How many seconds after it was due something happened; null if it was not planned, or has not happened. */
export function lateBySeconds(dueAt: Date | null, at: Date | null): number | null {
  if (dueAt === null || at === null) return null
  return Math.max(0, Math.round((at.getTime() - dueAt.getTime()) / 1_000))
}
