/**
 * Sites that come back by themselves (`recovery: automatic`). Once such a site accepts a request, what failed in the last seven days is
 * sent again, as by a manual retry: of each post the newest event, the oldest first, and with care. One by one, at most one a second,
 * until ten have arrived; then all of the rest. If one is refused meanwhile, that is the end of it until the site accepts something
 * again. While nothing is sent that the site could accept, a probe every 15 minutes asks.
 *
 * A recovery is a job with the site's id as its key, so there is one at a time, and so is the probe. Each step of it is a transaction
 * that queues deliveries and records how far the job is: after a crash it goes on from there.
 */
import { sql } from 'kysely'
import { createChannels } from '../destinations/index.ts'
import {
  askForProbe,
  type ChangedDelivery,
  isUnrepaired,
  lockLanes,
  outcomeChanges,
  PROBE_JOB,
  type SiteOutcome,
} from '../engine/index.ts'
import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { Failure } from '../platform/errors.ts'
import { addJob, type LeasedJob, LeaseLost, recordProgress } from '../platform/jobs/queue.ts'
import type { JobKind, JobOutcome } from '../platform/jobs/runner.ts'
import { errorField } from '../platform/log.ts'
import { targetOf } from '../sites/index.ts'
import { MOST_REQUEUED, requeueFailed } from './requeue.ts'
import { samplePost } from './sample-post.ts'

const RECOVERY_JOB = 'recover-site'
/** What failed of older events stays as it is. */
const DAYS = 7
/** Steps are short; a probe of a site that hangs takes a delivery's timeout. */
const LIMITS = { perProcess: 16, perAccount: 8 }
const AFTER_ERROR_MS = 60_000

/** How a recovery goes: the time between two deliveries, how many must arrive before all of the rest follow, and the time between probes. */
export type RecoveryPace = { everyMs: number; careful: number; probeMs: number }

const PACE: RecoveryPace = { everyMs: 1_000, careful: 10, probeMs: 15 * 60_000 }

type SiteRef = { siteId: string; accountId: string }

/** What follows when deliveries to sites fail for good, and when a site that has failed accepts a request. */
export function siteRecovery(ctx: Context, pace: Partial<RecoveryPace> = {}) {
  const { everyMs, careful, probeMs } = { ...PACE, ...pace }
  return {
    /** Begins recoveries, and has sites probed, in the transaction that records the results. */
    async noteOutcomes(tx: Tx, outcomes: readonly SiteOutcome[]): Promise<void> {
      const failed = outcomes.filter((one) => one.failed > 0)
      for (const site of await lacking(ctx, tx, failed)) await askForProbe(ctx, tx, site, probeMs)
      await beginRecovery(
        ctx,
        tx,
        outcomes.filter((one) => one.accepted),
      )
    },
    jobs: [recoveryJobs(ctx, { everyMs, careful, probeMs }), probeJobs(ctx, probeMs)] as const,
  }
}

/** Begins to send these sites again what failed, as far as they recover by themselves: they have just accepted a request. One that is under way goes on. */
export async function beginRecovery(
  ctx: Pick<Context, 'clock' | 'signals'>,
  tx: Tx,
  sites: readonly SiteRef[],
): Promise<void> {
  for (const { siteId, accountId } of await lacking(ctx, tx, sites))
    await addJob(ctx, tx, { kind: RECOVERY_JOB, key: siteId, accountId, payload: {}, progress: NOTHING_YET })
}

const since = ({ clock }: Pick<Context, 'clock'>) => plusMs(clock.now(), -DAYS * 24 * 3_600_000)

/** What a recovery needs to know of a site that recovers by itself and is not paused. `isDebounced`: of a build hook; `lacks`: something that can be sent again. */
type Candidate = SiteRef & { isDebounced: boolean; lacks: boolean }

async function candidates(ctx: Pick<Context, 'clock'>, db: Db, sites: readonly SiteRef[]): Promise<Candidate[]> {
  if (sites.length === 0) return []
  const { rows } = await sql<Candidate>`
    select e.site_id as "siteId", e.account_id as "accountId", e.debounce_seconds is not null as "isDebounced",
      exists (select from deliveries d where ${isUnrepaired(sql`e.site_id`)} and d.created_at >= ${since(ctx)}) as lacks
    from endpoints e
    where e.site_id = any(${plainArray(sites.map(({ siteId }) => siteId))}::uuid[]) and e.recovers and not e.paused
      and e.deleted_at is null
    order by e.site_id
  `.execute(db)
  return rows
}

async function lacking(ctx: Pick<Context, 'clock'>, db: Db, sites: readonly SiteRef[]): Promise<Candidate[]> {
  return (await candidates(ctx, db, sites)).filter(({ lacks }) => lacks)
}

/** `current`: the delivery that was queued last, until it is known to have arrived; `arrived`: how many have. */
type Progress = { arrived: number; current: string | null }
const NOTHING_YET: Progress = { arrived: 0, current: null }

/** What a step leads to. `refused`: the site did not accept what it was sent. */
type Step = { next: Progress } | 'refused' | 'done'

function recoveryJobs(ctx: Context, { everyMs, careful, probeMs }: RecoveryPace): JobKind {
  const { db, log } = ctx
  return {
    name: RECOVERY_JOB,
    limits: LIMITS,
    async run(job) {
      const site = siteOf(job)
      const step = await db.tx(async (tx) => {
        await lockLanes(tx, [site.siteId])
        const step = await goOn(ctx, tx, site, (job.progress ?? NOTHING_YET) as Progress, careful)
        const progress = typeof step === 'string' ? {} : { progress: step.next }
        if (!(await recordProgress(tx, job, { tries: 0, ...progress }))) throw new LeaseLost()
        return step
      })
      if (typeof step !== 'string') return { retryAfterMs: everyMs }
      log.info('site.recovery_ended', { site_id: site.siteId, as: step })
      return {
        async record(tx) {
          if (step === 'refused') await askForProbe(ctx, tx, site, probeMs)
        },
      }
    },
    failed: laterAgain(ctx),
  }
}

/** Queues what is next of a site whose lane the transaction has locked. */
async function goOn(
  ctx: Context,
  tx: Tx,
  site: SiteRef,
  { arrived, current }: Progress,
  careful: number,
): Promise<Step> {
  const [here] = await candidates(ctx, tx, [site])
  if (here === undefined) return 'done'
  const state = current === null ? undefined : await stateOf(tx, current)
  if (state === 'waiting') return { next: { arrived, current } }
  if (state === 'refused') return 'refused'
  // It was refused and the site has accepted something since, all between two looks: the care begins anew.
  const total = state === 'arrived late' ? 1 : state === 'replaced' ? 0 : arrived + (state === 'arrived' ? 1 : 0)
  if (!here.lacks) {
    await hurryWaiting(ctx, tx, site.siteId)
    return 'done'
  }
  // One build serves all that wait for it.
  const most = here.isDebounced || total >= careful ? MOST_REQUEUED : 1
  const ids = await oldestFailures(ctx, tx, site.siteId, most)
  await requeueFailed(ctx, tx, site.accountId, { ids })
  return { next: { arrived: total, current: most === 1 ? (ids[0] ?? null) : null } }
}

/**
 * What became of a delivery since it was queued again: it waits for its attempt, was refused, has arrived (late: after refusals), was replaced by
 * something newer after refusals (and the site has accepted something since), or does not matter any more.
 */
type Fate = 'waiting' | 'refused' | 'arrived' | 'arrived late' | 'replaced' | 'gone'

async function stateOf(tx: Tx, id: string): Promise<Fate> {
  const row = await tx
    .selectFrom('deliveries as d')
    .innerJoin('lanes as l', 'l.site_id', 'd.site_id')
    .select([
      'd.status',
      'd.attempts_in_round',
      'd.last_error',
      sql<boolean>`l.last_delivered_at >= d.finished_at`.as('acceptedSince'),
    ])
    .where('d.id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return 'gone'
  if (row.last_error === 'superseded')
    return row.attempts_in_round === 0 ? 'gone' : row.acceptedSince ? 'replaced' : 'refused'
  if (row.status === 'pending') return row.attempts_in_round === 0 ? 'waiting' : 'refused'
  if (row.status === 'failed') return 'refused'
  return row.attempts_in_round > 1 ? 'arrived late' : 'arrived'
}

async function oldestFailures(ctx: Context, tx: Tx, siteId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select d.id from deliveries d where ${isUnrepaired(sql`${siteId}::uuid`)} and d.created_at >= ${since(ctx)}
    order by d.id limit ${limit}
  `.execute(tx)
  return rows.map(({ id }) => id)
}

/** Makes what waits for a retry due now: the site is known to accept again. The schedule of each goes on from there. */
async function hurryWaiting(ctx: Context, tx: Tx, siteId: string): Promise<void> {
  const now = ctx.clock.inDatabase()
  const { rows } = await sql<ChangedDelivery>`
    with hurried as (
      update deliveries set next_attempt_at = ${now} where site_id = ${siteId} and status = 'pending' and next_attempt_at > ${now}
      returning id, account_id as "accountId", site_id as "siteId"
    ), lane as (
      update lanes set due_at = least(due_at, ${now}) where site_id = ${siteId} and exists (select from hurried)
    )
    select * from hurried
  `.execute(tx)
  if (rows.length === 0) return
  await ctx.signals.send(tx, 'deliver')
  ctx.changes.note(tx, outcomeChanges(rows))
}

/** Probes sites that are sent nothing. A build hook is not probed, as a probe would build the site: the next publication does it. */
function probeJobs(ctx: Context, probeMs: number): JobKind {
  const { db, clock, log } = ctx
  return {
    name: PROBE_JOB,
    limits: LIMITS,
    async run(job) {
      const site = siteOf(job)
      const [here] = await lacking(ctx, db.root, [site])
      if (here === undefined || here.isDebounced) return { record: async () => {} }
      if (!(await recordProgress(db.root, job, { tries: 0 }))) throw new LeaseLost()
      if (await isTriedWithin(ctx, site.siteId, probeMs)) return { retryAfterMs: probeMs }
      const { target, url } = await targetOf(ctx, site.accountId, site.siteId)
      const { ok, code, error } = await createChannels(ctx).probe(target, samplePost(ctx.ids.next(), url, clock.now()))
      log.info('site.probed', { site_id: site.siteId, ok, code, error })
      return ok ? { record: (tx) => beginRecovery(ctx, tx, [site]) } : { retryAfterMs: probeMs }
    },
    failed: laterAgain(ctx),
  }
}

/** Whether something is sent to a site within this time anyway. */
async function isTriedWithin({ db, clock }: Context, siteId: string, ms: number): Promise<boolean> {
  const { rows } = await sql`
    select from deliveries where site_id = ${siteId} and status = 'pending'
      and next_attempt_at <= ${clock.inDatabase()} + ${ms} * interval '1 millisecond' limit 1
  `.execute(db.root)
  return rows.length > 0
}

function siteOf({ key, accountId }: LeasedJob): SiteRef {
  return { siteId: key, accountId }
}

function laterAgain({ log }: Pick<Context, 'log'>) {
  return ({ kind, key }: LeasedJob, error: unknown): JobOutcome => {
    // Somebody has disconnected it meanwhile.
    if (error instanceof Failure && error.kind === 'not_found') return { record: async () => {} }
    log.error('site.not_recovered', { job_kind: kind, site_id: key, error: errorField(error) })
    return { retryAfterMs: AFTER_ERROR_MS }
  }
}
