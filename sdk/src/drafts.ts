import { pause } from './transport.ts'
import type { GenerationJob, Post } from './types.ts'

/** A job that is complete, with its draft. */
export type FinishedDraft = GenerationJob & { status: 'complete'; post: Post }

/** Options of waiting for a draft. `onProgress` gets the job after every poll. */
export type WaitForDraft = { signal?: AbortSignal; onProgress?: (job: GenerationJob) => void }

/** There will be no draft: the job failed, or its draft was deleted. `code` and message say why, and what to do. */
export class DraftFailedError extends Error {
  readonly code: string
  readonly job: GenerationJob

  constructor(job: GenerationJob) {
    super(job.error?.message ?? 'The draft has been deleted since it was written.')
    this.name = 'DraftFailedError'
    this.code = job.error?.code ?? 'draft_deleted'
    this.job = job
  }
}

const PAUSE_MS = { first: 500, most: 10_000 }

/**
 * Polls a job until it is finished. It pauses for a tenth of the estimated time left, within a minimum that grows with every
 * poll and a maximum, because each poll counts against the account's rate limit.
 */
export async function waitForDraft(
  look: () => Promise<GenerationJob>,
  { signal, onProgress }: WaitForDraft = {},
): Promise<FinishedDraft> {
  for (let least = PAUSE_MS.first; ; least *= 1.3) {
    const job = await look()
    onProgress?.(job)
    if (isFinished(job)) return job
    if (job.status !== 'processing') throw new DraftFailedError(job)
    await pause(Math.min(PAUSE_MS.most, Math.max(least, job.estimated_seconds * 100)), signal)
  }
}

function isFinished(job: GenerationJob): job is FinishedDraft {
  return job.status === 'complete' && job.post !== undefined
}
