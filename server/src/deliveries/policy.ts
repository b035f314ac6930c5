/** The delivery engine's decisions, as pure functions. */
import { plusMs } from '../platform/clock.ts'
import type { EgressOutcome } from '../platform/egress/egress.ts'
import { excerptOf } from './excerpt.ts'
import type { DeliveryStatus } from './tables.ts'

/** An attempt without an answer after this time is slow. */
export const SLOW_MS = 1_000

/**
 * How an attempt ended. `code` is null when no answer came; `error` is null on success. `excerpt`: what the site said about
 * a failure.
 */
export type AttemptResult = {
  ok: boolean
  code: number | null
  error: string | null
  excerpt: string | null
  /** Whether it waited for an answer that did not come. A site that refuses at once costs no more than an answer. */
  silent: boolean
  startedAt: Date
  finishedAt: Date
  tookMs: number
}

/** Judges what came back: only status 200 is success, and redirects are not followed (specification, section 6). */
export function judge(outcome: EgressOutcome, startedAt: Date, finishedAt: Date): AttemptResult {
  const times = { startedAt, finishedAt, tookMs: Math.round(outcome.tookMs) }
  if (outcome.kind === 'unreachable') {
    const silent = outcome.cause === 'timeout' || times.tookMs >= SLOW_MS
    return { ok: false, code: null, error: outcome.cause, excerpt: null, silent, ...times }
  }
  const { status } = outcome
  if (status === 200) return { ok: true, code: status, error: null, excerpt: null, silent: false, ...times }
  const error = status >= 300 && status < 400 ? 'redirect_not_followed' : 'http_error'
  return { ok: false, code: status, error, excerpt: excerptOf(outcome.body), silent: false, ...times }
}

/** What an attempt makes of its delivery. `superseded`: it failed, and is not tried again because something newer took its place meanwhile. */
export type NextState = { status: DeliveryStatus | 'superseded'; nextAttemptAt: Date | null }

/**
 * The state after an attempt (specification, sections 3 and 6). `attempts` counts all of them, `attemptsInRound` those
 * since the last manual retry; both include this one. Delays run from the end of the failed attempt.
 */
export function afterAttempt(
  result: Pick<AttemptResult, 'ok' | 'finishedAt'>,
  made: { attempts: number; attemptsInRound: number },
  retryDelaysMs: readonly number[],
): NextState {
  if (result.ok) return { status: made.attempts > 1 ? 'delivered_retry' : 'delivered', nextAttemptAt: null }
  const delayMs = retryDelaysMs[made.attemptsInRound - 1]
  if (delayMs === undefined) return { status: 'failed', nextAttemptAt: null }
  return { status: 'pending', nextAttemptAt: plusMs(result.finishedAt, delayMs) }
}

/**
 * Which of a lane's due deliveries to attempt now: one per post, so that attempts for a post never overlap.
 *
 * Normally the oldest event of a post goes first, and the next one once its result is recorded. After a crash
 * (`recovering`) the newest goes first: the crashed holder may have had a newer event acknowledged without recording
 * it, and sending an older one then would take the site backwards. If the newest is delivered now, the older ones end
 * as superseded. If it fails now, that does not prove that it never arrived: it stays `uncertain`, and the older ones
 * wait for it (`blocked`) and end with it.
 */
export function chooseAttempts<Due extends { postId: string; sequence: number }>(
  due: readonly Due[],
  recovering: boolean,
): Due[] {
  if (due.length < 2) return [...due]
  const byPost = new Map<string, Due>()
  for (const one of due) {
    const chosen = byPost.get(one.postId)
    if (chosen === undefined || one.sequence < chosen.sequence !== recovering) byPost.set(one.postId, one)
  }
  return [...byPost.values()]
}

/** A site is in error after this many failed attempts in a row, or when a delivery ends as failed (decision S3). */
const FAILURES_UNTIL_ERROR = 5

/** What is remembered of an endpoint between attempts. */
export type LaneHealth = { suspect: boolean; failing: boolean; failuresInARow: number }

/** The health after an attempt. A suspect endpoint (it did not answer) is sent one attempt at a time. */
export function healthAfter(
  health: LaneHealth,
  result: Pick<AttemptResult, 'ok' | 'silent'>,
  next: NextState,
): LaneHealth {
  if (result.ok) return { suspect: false, failing: false, failuresInARow: 0 }
  const failuresInARow = health.failuresInARow + 1
  const failing = health.failing || next.status === 'failed' || failuresInARow >= FAILURES_UNTIL_ERROR
  return { suspect: result.silent, failing, failuresInARow }
}
