/** Why a post could not be saved: what to say of it, and whether time may solve it. */
import { PostriderError } from '@postrider/sdk'
import { sentence } from '../../../api.ts'
import { type Field, fieldAt } from '../draft.ts'

const TRY_AGAIN_AFTER_MS = 5_000

/** Why the last save failed. `field` is the wrong one, if the service named one. */
export type SaveProblem = {
  kind: 'offline' | 'signed-out' | 'untitled' | 'gone' | 'refused'
  text: string
  field?: Field | undefined
}

/** What to show when a request has ended with this error. */
export function saveProblem(error: unknown): SaveProblem {
  if (!(error instanceof PostriderError)) return { kind: 'offline', text: sentence(error) }
  if (error.status === 401) return { kind: 'signed-out', text: 'your session has ended' }
  if (passes(error)) return { kind: 'refused', text: sentence(error) }
  if (error.status === 404) return { kind: 'gone', text: 'the post was deleted' }
  return { kind: 'refused', text: error.message, field: fieldAt(error.field) }
}

/** In how many milliseconds the same request may succeed by itself; undefined if a person has to do something first. */
export function tryAgainAfterMs(error: unknown): number | undefined {
  if (!(error instanceof PostriderError)) return TRY_AGAIN_AFTER_MS
  if (error.status === 401 || !passes(error)) return undefined
  return Math.max(TRY_AGAIN_AFTER_MS, 1_000 * (error.retryAfter ?? 0))
}

/** Whether the service may answer the same request otherwise later: without a session or requests left, or while it is busy. */
export function passes({ status, retryAfter }: PostriderError): boolean {
  return status >= 500 || status === 401 || status === 429 || (status === 409 && retryAfter !== undefined)
}
