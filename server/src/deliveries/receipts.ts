/**
 * Whether a post is live, beyond that its site answered 200: for sites with `verify`, the page of a post that the site accepted is looked at
 * until it shows the post, and of one whose removal it accepted, until it shows it no more. What came of it is kept with the delivery and
 * shown as `live`; the delivery's status stays.
 *
 * The looks at one post on one site are a job, which begins in the transaction that records the acceptance. A later acceptance replaces
 * it: what is looked for is always what the site accepted last. A page that does not show the post is no trouble before a static site had
 * time to build.
 */
import { sql } from 'kysely'
import {
  type DeliveryStatus,
  type EventKind,
  type LiveCheck,
  LOOK_JOB,
  lookJob,
  outcomeChanges,
} from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import { plainArray } from '../platform/db/arrays.ts'
import type { Tx } from '../platform/db/database.ts'
import { enqueueJobs, type LeasedJob, LeaseLost, recordProgress, restartJobs } from '../platform/jobs/queue.ts'
import type { JobKind, JobOutcome } from '../platform/jobs/runner.ts'
import { errorField } from '../platform/log.ts'
import { findSite, isSameSite, postAddress } from '../sites/index.ts'
import { lookAtPage, sightOfRemoval } from './look.ts'
import type { Recognisable } from './recognise.ts'

/** Pages of one account's sites are asked for gently. */
const LIMITS = { perProcess: 16, perAccount: 4 }
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAYS = [1, 2, 3, 4, 5, 6, 7]

/** When the looks are, from the acceptance on. */
const LOOKS_MS = [
  5_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  6 * HOUR_MS,
  ...DAYS.map((day) => day * 24 * HOUR_MS),
]
/** From which of them on a page has to show the post. A deploy hook is accepted when its build begins, which takes its time. */
const PATIENCE_MS = { webhook: 5 * MINUTE_MS, build: 30 * MINUTE_MS }
const AFTER_ERROR_MS = MINUTE_MS
/** The most tries of a look that ends in an error of ours. */
const MOST_TRIES = 5

/** Has the pages of posts looked at that a site has just accepted, if the site wants that. */
export async function expectPages(
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  accepted: ReadonlyArray<{ accountId: string; siteId: string; postId: string }>,
): Promise<void> {
  if (accepted.length === 0) return
  const rows = await tx
    .selectFrom('endpoints')
    .select('site_id')
    .where('site_id', '=', sql<string>`any(${plainArray(accepted.map(({ siteId }) => siteId))}::uuid[])`)
    .where('verifies', '=', true)
    .execute()
  const verifying = new Set(rows.map((row) => row.site_id))
  const jobs = accepted.filter(({ siteId }) => verifying.has(siteId)).map(lookJob)
  if (jobs.length > 0) await enqueueJobs(ctx, tx, LOOK_JOB, jobs, LOOKS_MS[0] ?? 0)
}

/**
 * A build of the site has read its posts: pages that are looked for, after a build that failed perhaps, may be there in a moment, so the looks begin
 * anew. Sites that get webhooks may read at any time.
 */
export async function expectBuild(ctx: Pick<Context, 'clock' | 'db'>, siteId: string): Promise<void> {
  const { root } = ctx.db
  const site = await root
    .selectFrom('endpoints')
    .select('site_id')
    .where('site_id', '=', siteId)
    .where('verifies', '=', true)
    .where('debounce_seconds', 'is not', null)
    .executeTakeFirst()
  if (site === undefined) return
  const progress: Progress = { looks: 0, isAnew: true }
  await restartJobs(ctx, root, { kind: LOOK_JOB, keysBeginWith: `${siteId}/`, progress }, LOOKS_MS[0] ?? 0)
}

/** The kind of job that looks at the page of a post until it shows it. */
export function lookJobs(ctx: Pick<Context, 'changes' | 'clock' | 'db' | 'egress' | 'log'>): JobKind {
  const { clock, db, egress, log } = ctx
  return {
    name: LOOK_JOB,
    limits: LIMITS,
    async run(job, { stopping, now }) {
      const expected = await db.snapshot((tx) => whatIsExpected(tx, job))
      if (expected === undefined) return DONE
      const { address, isBuilt, post } = expected
      const check = (state: LiveCheck['state'], problem: string | null): LiveCheck => {
        return { state, url: address?.href ?? null, at: clock.now().toISOString(), problem }
      }
      if (address === undefined || expected.obstacle !== undefined) {
        if (expected.isRemoved) return DONE
        return { record: (tx) => keep(ctx, tx, expected, check(null, expected.obstacle ?? UNKNOWN_ADDRESS)) }
      }
      const signal = AbortSignal.any([stopping, now])
      const sight = await lookAtPage(egress, address, post, signal)
      signal.throwIfAborted()
      const { state, problem } = inWords(expected.isRemoved ? sightOfRemoval(sight) : sight, expected)
      log.info('page.looked_at', { site_id: expected.siteId, post_id: post.id, state, problem })
      const progress = progressOf(job)
      const { looks } = progress
      const nextMs = LOOKS_MS[looks + 1]
      const patienceMs = isBuilt ? PATIENCE_MS.build : PATIENCE_MS.webhook
      // What was judged before is judged at once when somebody asks for another look. Looks that began anew give no more time.
      const waitedMs = progress.isAnew ? clock.now().getTime() - expected.acceptedAt : (LOOKS_MS[looks] ?? 0)
      const isTime = expected.wasJudged || waitedMs >= patienceMs
      if (state === 'verified' || nextMs === undefined)
        return { record: (tx) => keep(ctx, tx, expected, check(state, problem)) }
      await db.tx(async (tx) => {
        if (isTime) await keep(ctx, tx, expected, check(state, problem))
        if (!(await recordProgress(tx, job, { tries: 0, progress: { ...progress, looks: looks + 1 } })))
          throw new LeaseLost()
      })
      return { retryAfterMs: nextMs - (LOOKS_MS[looks] ?? 0) }
    },
    failed(job, error) {
      log.error('page.not_looked_at', { job_key: job.key, error: errorField(error) })
      return job.tries < MOST_TRIES ? { retryAfterMs: AFTER_ERROR_MS } : DONE
    },
  }
}

const REMOVAL: EventKind = 'post.deleted'
const ACCEPTED: readonly DeliveryStatus[] = ['delivered', 'delivered_retry']
const DONE: JobOutcome = { record: async () => {} }
const UNKNOWN_ADDRESS =
  'It is not known where the site shows the post. Say in its settings what the address of a post is (post_url), or let it answer webhooks with the address.'

/** Whoever has a site that is built finds the cause where it is built. */
function inWords<Of extends { problem: string | null }>(sight: Of, { isBuilt }: Expected): Of {
  if (!isBuilt || sight.problem === null) return sight
  return { ...sight, problem: `${sight.problem} The build may have failed: look at the site’s builds at its host.` }
}

/** How many looks there were; `isAnew`: they began anew, without a new acceptance. */
type Progress = { looks: number; isAnew?: boolean }

function progressOf({ progress }: LeasedJob): Progress {
  return (progress as Progress | null) ?? { looks: 0 }
}

/**
 * A post that a site accepted last, or accepted to remove, and where it should be, or was. `obstacle`: why the page is not looked at.
 * `isBuilt`: the site builds its pages. `wasJudged`: it was said already whether this is live.
 */
type Expected = {
  id: string
  accountId: string
  siteId: string
  post: Recognisable
  isRemoved: boolean
  address: URL | undefined
  obstacle: string | undefined
  isBuilt: boolean
  wasJudged: boolean
  /** In milliseconds since 1970. */
  acceptedAt: number
}

/** What a job looks for; undefined if nothing: the site was disconnected or never had the post, or nobody wants to know any more. */
async function whatIsExpected(tx: Tx, { key, accountId }: LeasedJob): Promise<Expected | undefined> {
  const [siteId = '', postId = ''] = key.split('/')
  const site = await findSite(tx, accountId, siteId)
  const newest = await lastAccepted(tx, siteId, postId)
  if (site === undefined || newest === undefined || !newest.verifies) return undefined
  const isRemoved = newest.kind === REMOVAL
  const shown = isRemoved ? await lastAccepted(tx, siteId, postId, 'shown') : newest
  if (shown === undefined) return undefined
  const post = JSON.parse(shown.payload) as Recognisable & { slug: string; published_at: string } // as `publicPost` makes it
  const address = URL.parse(shown.live_url ?? postAddress(site, post) ?? '') ?? undefined
  const isBuilt = newest.debounce_seconds !== null
  const wasJudged = newest.live_check?.state != null
  const obstacle = obstacleTo(site, address)
  const acceptedAt = newest.finished_at?.getTime() ?? 0
  return { id: newest.id, accountId, siteId, post, isRemoved, address, obstacle, isBuilt, wasJudged, acceptedAt }
}

/**
 * What a site accepted last of a post; undefined if nothing, or if it has not accepted yet to remove it. `event`: `shown` passes over
 * removals.
 */
export async function lastAccepted(tx: Tx, siteId: string, postId: string, event: 'any' | 'shown' = 'any') {
  const newest = await tx
    .selectFrom('deliveries as d')
    .innerJoin('events as v', 'v.id', 'd.event_id')
    .innerJoin('endpoints as e', 'e.site_id', 'd.site_id')
    .select([
      'd.id',
      'd.status',
      'd.live_url',
      'd.live_check',
      'd.finished_at',
      'v.kind',
      'v.payload',
      'e.verifies',
      'e.debounce_seconds',
    ])
    .where('d.post_id', '=', postId)
    .where('d.site_id', '=', siteId)
    .where((eb) => {
      const isAccepted = eb('d.status', 'in', [...ACCEPTED])
      return event === 'shown' ? isAccepted.and('v.kind', '!=', REMOVAL) : isAccepted.or('v.kind', '=', REMOVAL)
    })
    .orderBy('d.sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest !== undefined && ACCEPTED.includes(newest.status) ? newest : undefined
}

/** Only pages of the site itself are looked at, whatever a site says of where its posts are: on the host of its address, or of the pattern of its posts' addresses. */
function obstacleTo(site: { url: string; post_url: string | null }, address: URL | undefined): string | undefined {
  const own = [site.url, site.post_url ?? ''].flatMap((known) => URL.parse(known) ?? [])
  if (address === undefined || own.some((known) => isSameSite(known, address))) return undefined
  const hosts = [...new Set(own.map(({ host }) => host))].join(' and ')
  return `The site says that the post is on ${address.host}; only pages on ${hosts} are looked at. If the posts are there, set post_url.`
}

/** Keeps what came of a look with the delivery, unless its history is gone. */
async function keep(
  ctx: Pick<Context, 'changes'>,
  tx: Tx,
  { id, accountId, siteId }: Expected,
  check: LiveCheck,
): Promise<void> {
  await tx
    .updateTable('deliveries')
    .set({ live_check: JSON.stringify(check) })
    .where('id', '=', id)
    .execute()
  ctx.changes.note(tx, outcomeChanges([{ id, accountId, siteId }]))
}
