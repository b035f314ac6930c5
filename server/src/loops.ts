import { forgetOldNetworks, removeExpiredResets, removeExpiredSessions, resetJobs } from './accounts/index.ts'
import { expectPages, lookJobs, type RecoveryPace, siteRecovery } from './deliveries/index.ts'
import { createChannels } from './destinations/index.ts'
import {
  abandonLeases,
  Dispatcher,
  type Limits,
  purgeDeletedSites,
  removeOldHistory,
  showBacklog,
  Worker,
} from './engine/index.ts'
import { draftJobs, forgetOldJobs } from './generation/index.ts'
import { followIncidents } from './incidents/index.ts'
import { removeLooseFiles } from './media/index.ts'
import { messageJobs, verificationJobs } from './notifications/index.ts'
import type { Context } from './platform/context.ts'
import type { OpenDatabase } from './platform/db/open.ts'
import { removeOldKeys } from './platform/idempotency/idempotency.ts'
import { abandonJobsOf } from './platform/jobs/queue.ts'
import { JobRunner } from './platform/jobs/runner.ts'
import { defineLoop, type Loop, type StepResult } from './platform/loop.ts'
import { removeEndedWindows } from './platform/rate-limit/rate-limit.ts'
import { removeLeftovers } from './platform/scratch.ts'
import {
  emptyTrash,
  forgetNamesOfGoneSites,
  forgetPreviews,
  forgetTombstones,
  noteLiveUrls,
  originalJobs,
  runSchedule,
  sendingJobs,
} from './posts/index.ts'
import { detectionJobs } from './sites/index.ts'
import { forgetOldImports, importJobs } from './transfer/index.ts'

/** Wake-ups come from nudges and due times; this poll alone would be enough. */
const POLL_MS = 1_000
/** How often tables of the embedded database are maintained: those that have grown, and all. */
const GROWN_MS = 10_000
const MAINTAIN_MS = 5 * 60_000
/** How long somebody may not have been told that a site is in trouble. */
const INCIDENTS_MS = 5_000
const EXPIRE_MS = 10 * 60_000

/** Every background loop of the service, and the parts that carry on the work that some of the loops only begin. */
export type Loops = {
  deliver: Loop
  schedule: Loop
  jobs: Loop
  incidents: Loop
  expire: Loop
  maintain: Loop | undefined
  dispatcher: Dispatcher
  jobRunner: JobRunner
  worker: Worker
}

/** Defines the loops; none is started. `limits` replace the dispatcher's own, `pace` that of recoveries. */
export function createLoops(
  ctx: Context,
  maintain: OpenDatabase['maintain'],
  limits: Partial<Limits> = {},
  pace: Partial<RecoveryPace> = {},
): Loops {
  const { clock, log } = ctx
  const worker = new Worker(ctx, async (db, workerIds) => {
    await abandonLeases(db, clock, workerIds)
    await abandonJobsOf(db, workerIds)
  })
  const channels = createChannels(ctx)
  const recovery = siteRecovery(ctx, pace)
  const dispatcher = new Dispatcher(
    ctx,
    channels,
    () => worker.id(),
    {
      onReleased: () => deliver.nudge(),
      async onOutcomes(tx, outcomes) {
        await recovery.noteOutcomes(tx, outcomes)
        await expectPages(
          ctx,
          tx,
          outcomes.flatMap(({ toVerify, ...site }) => toVerify.map((postId) => ({ ...site, postId }))),
        )
      },
      onLiveUrls: (tx, liveUrls) => noteLiveUrls(ctx, tx, liveUrls),
    },
    limits,
  )
  showBacklog(ctx, () => dispatcher.held())
  const deliver = defineLoop({ name: 'deliver', everyMs: POLL_MS, clock, log, step: () => dispatcher.step() })
  const scheduleLoop = defineLoop({
    name: 'schedule',
    everyMs: POLL_MS,
    clock,
    log,
    step: (signal) => runSchedule(ctx, signal),
  })
  const kinds = [
    draftJobs(ctx),
    detectionJobs(ctx),
    sendingJobs(ctx),
    messageJobs(ctx),
    verificationJobs(ctx),
    resetJobs(ctx),
    ...originalJobs(ctx),
    ...recovery.jobs,
    lookJobs(ctx),
    importJobs(ctx),
  ]
  const jobRunner = new JobRunner(
    ctx,
    () => worker.id(),
    kinds,
    () => jobs.nudge(),
  )
  const jobs = defineLoop({ name: 'jobs', everyMs: POLL_MS, clock, log, step: () => jobRunner.step() })
  const incidents = defineLoop({
    name: 'incidents',
    everyMs: INCIDENTS_MS,
    clock,
    log,
    step: () => followIncidents(ctx),
  })
  const expire = defineLoop({
    name: 'expire',
    everyMs: EXPIRE_MS,
    housekeeping: true,
    clock,
    log,
    step: (signal) => removeExpired(ctx, signal),
  })
  ctx.signals.on('deliver', () => deliver.nudge())
  ctx.signals.on('schedule', () => scheduleLoop.nudge())
  ctx.signals.on('jobs', () => jobs.nudge())
  ctx.signals.on('endpoint', (siteId) => dispatcher.endpointChanged(siteId))
  ctx.signals.on('superseded', (subject) => dispatcher.superseded(subject))
  return {
    deliver,
    schedule: scheduleLoop,
    jobs,
    incidents,
    expire,
    maintain: maintain && maintenanceLoop(ctx, maintain),
    dispatcher,
    jobRunner,
    worker,
  }
}

/** Removes what has expired. */
async function removeExpired(ctx: Context, stopping: AbortSignal): Promise<StepResult> {
  const { db, clock, log } = ctx
  const more = [
    await removeEndedWindows(db.root, clock.now()),
    await removeOldKeys(db.root, clock.now()),
    await removeExpiredSessions(db.root, clock.now()),
    await removeExpiredResets(db.root, clock.now()),
    await forgetOldNetworks(db.root, clock.now()),
    await forgetOldJobs(db.root, clock.now()),
    await forgetTombstones(db.root, clock.now()),
    await emptyTrash(db.root, clock.now()),
    await forgetPreviews(db.root, clock.now()),
    await forgetOldImports(ctx),
    await removeLooseFiles(ctx),
  ]
  await removeLeftovers(ctx)
  const removed = await removeOldHistory(ctx, stopping)
  if (removed > 0) log.info('history.removed', { deliveries: removed })
  more.push(await purgeDeletedSites(db, clock.now()), await forgetNamesOfGoneSites(db.root))
  return { again: more.includes(true) }
}

/** Its first step does nothing: at start, people are waiting. */
function maintenanceLoop({ clock, log }: Context, maintain: NonNullable<OpenDatabase['maintain']>): Loop {
  let maintainedAtMs: number | undefined
  return defineLoop({
    name: 'maintain',
    everyMs: GROWN_MS,
    housekeeping: true,
    clock,
    log,
    async step() {
      const now = clock.monotonicMs()
      maintainedAtMs ??= now
      const since = now - maintainedAtMs
      if (since >= MAINTAIN_MS) {
        await maintain('all')
        maintainedAtMs = now
      } else if (since > 0) await maintain('grown')
      return { again: false }
    },
  })
}
