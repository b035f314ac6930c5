/**
 * The job that finds out a site's platform. It is enqueued when a site is connected without a platform, and when such a site moves to
 * another address; it is cancelled when the user chooses a platform, and when the site is disconnected.
 */
import type { Context } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/database.ts'
import { cancelJob, enqueueJob, type LeasedJob } from '../../platform/jobs/queue.ts'
import type { JobKind, JobOutcome } from '../../platform/jobs/runner.ts'
import { errorField } from '../../platform/log.ts'
import { setDetectedPlatform } from '../queries.ts'
import { detectPlatform } from './detect-platform.ts'

const DETECTION_JOB = 'detect-platform'

/** A site that hangs occupies one of these for some seconds; half of them are for other accounts' sites. */
const LIMITS = { perProcess: 16, perAccount: 8 }
/** The most tries before a site stays `custom`. */
const MOST_TRIES = 2
/** Long enough for the site to finish a deployment or get its certificate. */
const AGAIN_AFTER_MS = 5 * 60_000

const STAYS_CUSTOM: JobOutcome = { record: async () => {} }

/** Has the platform of the site at `url` detected. */
export function enqueueDetection(
  ctx: Pick<Context, 'clock' | 'signals'>,
  tx: Tx,
  { id, accountId, url }: { id: string; accountId: string; url: string },
): Promise<void> {
  return enqueueJob(ctx, tx, { kind: DETECTION_JOB, key: id, accountId, payload: { url } })
}

/** Ends the detection of a site's platform. */
export function cancelDetection(ctx: Pick<Context, 'signals'>, tx: Tx, siteId: string): Promise<void> {
  return cancelJob(ctx, tx, { kind: DETECTION_JOB, key: siteId })
}

/** The kind of job that detects platforms. */
export function detectionJobs(ctx: Pick<Context, 'changes' | 'egress' | 'log'>): JobKind<{ url: string }> {
  const { changes, egress, log } = ctx
  const about = ({ key, tries }: LeasedJob) => ({ site_id: key, tries })
  const laterOrNever = (job: LeasedJob): JobOutcome =>
    job.tries < MOST_TRIES ? { retryAfterMs: AGAIN_AFTER_MS } : STAYS_CUSTOM
  return {
    name: DETECTION_JOB,
    limits: LIMITS,
    async run(job, { stopping, now }) {
      const signal = AbortSignal.any([stopping, now])
      const look = await detectPlatform(egress, job.payload.url, signal)
      if (look.kind === 'interrupted') throw signal.reason
      if (look.kind === 'later') {
        log.info('site.not_detected', { ...about(job), reason: look.reason })
        return laterOrNever(job)
      }
      const { platform, unreached } = look
      log.info('site.detected', { ...about(job), platform, unreached })
      return {
        async record(tx) {
          await setDetectedPlatform(tx, job.key, platform)
          changes.note(tx, [{ owner: job.accountId, kind: 'site', id: job.key }])
        },
      }
    },
    failed(job, error) {
      log.error('site.detection_failed', { ...about(job), error: errorField(error) })
      return laterOrNever(job)
    },
  }
}
