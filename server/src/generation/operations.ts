import { modelName } from '../platform/ai-config.ts'
import type { Context } from '../platform/context.ts'
import type { Db } from '../platform/db/database.ts'
import { fail, invalid } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { cancelJob, enqueueJob } from '../platform/jobs/queue.ts'
import { findPost, type PostRow, relatedPosts, type WithAudience, withAudience } from '../posts/index.ts'
import { findSite } from '../sites/index.ts'
import { type Brief, type Length, type Page, TARGET_WORDS, type Tone } from './brief.ts'
import { jobChange } from './changes.ts'
import { OUTLINE_WRITER } from './outline-writer/write-outline.ts'
import { estimateSeconds } from './policy.ts'
import { countUnfinished, deleteJob, findJob, insertJob, jobsAhead, learnedMsPerWord, NOT_BEGUN } from './queries.ts'
import { DRAFT_JOB, type JobRow } from './tables.ts'
import { tokensToday } from './usage.ts'

/** A request for a draft. The first keyword is the primary one. */
export type DraftRequest = {
  topic: string
  siteId: string | undefined
  length: Length
  tone: Tone
  includeFaq: boolean
  keywords: string[]
}

/** A job, its estimated time left, and its post if that still exists. */
export type Job = { row: JobRow; estimatedSeconds: number; post: WithAudience<PostRow> | undefined }

/** The most unfinished jobs of an account. Waiting jobs cost little, but somebody has to read their drafts. */
const MOST_UNFINISHED = 50
const OFFERED_PAGES = 8

function jobNotFound(): Error {
  return fail('not_found', 'There is no such job.')
}

/**
 * Creates a job. Throws `invalid` on `site_id` for a site that is not the account's, and `rate_limited` when the account has
 * used up its tokens of the day or has too many unfinished jobs.
 */
export async function startJob(ctx: Context, accountId: string, request: DraftRequest): Promise<Job> {
  const brief = await briefOf(ctx, accountId, request)
  const now = ctx.clock.now()
  await refuseBeyondDay(ctx, accountId, now)
  return ctx.db.tx(async (tx) => {
    if ((await countUnfinished(tx, accountId)) >= MOST_UNFINISHED)
      throw fail('rate_limited', `${MOST_UNFINISHED} drafts are already being written. Wait until some are finished.`, {
        retryAfter: 60,
        headers: { 'Retry-After': '60' },
      })
    const id = ctx.ids.next()
    await insertJob(tx, {
      id,
      account_id: accountId,
      status: 'processing',
      brief: JSON.stringify(brief),
      generator: generatorName(ctx),
      created_at: now,
    })
    await enqueueJob(ctx, tx, { kind: DRAFT_JOB, key: id, accountId, payload: {}, progress: NOT_BEGUN })
    ctx.changes.note(tx, [jobChange(accountId, id)])
    return present(ctx, tx, await oneJob(tx, accountId, id))
  })
}

/** The name of what writes drafts with this configuration. */
function generatorName({ config }: Pick<Context, 'config'>): string {
  const { model } = config.ai
  return model === undefined ? OUTLINE_WRITER : modelName(model)
}

async function refuseBeyondDay(ctx: Context, accountId: string, now: Date): Promise<void> {
  const { tokensPerDay, model } = ctx.config.ai
  if (model === undefined || tokensPerDay === 'off') return
  if ((await tokensToday(ctx.db.root, accountId, now)) < tokensPerDay) return
  const midnight = new Date(now)
  midnight.setUTCHours(24, 0, 0, 0)
  const seconds = Math.ceil((midnight.getTime() - now.getTime()) / 1_000)
  throw fail(
    'rate_limited',
    `The ${tokensPerDay} tokens that the account may use for drafts in a day are used up. Try again after midnight UTC.`,
    { retryAfter: seconds, headers: { 'Retry-After': String(seconds) } },
  )
}

async function briefOf(ctx: Context, accountId: string, request: DraftRequest): Promise<Brief> {
  const { siteId, ...wishes } = request
  if (siteId === undefined) return { ...wishes, niche: '', siteName: '', pages: [] }
  const id = siteId.toLowerCase()
  const site = isId(id) ? await findSite(ctx.db.root, accountId, id) : undefined
  if (site === undefined) throw invalid('site_id', 'There is no such site.')
  const about = [request.topic, ...request.keywords]
  const related = await relatedPosts(ctx.db.root, { accountId, siteId: id }, about, OFFERED_PAGES)
  const pages = related.flatMap(({ title, slug, canonicalUrl }) => pageOf(site.url, title, slug, canonicalUrl))
  return { ...wishes, niche: site.niche, siteName: site.name, pages }
}

/** A post's own address if it is on the site, else the address that most sites would give it. */
function pageOf(siteUrl: string, title: string, slug: string, canonicalUrl: string | undefined): Page[] {
  const site = URL.parse(siteUrl)
  if (site === null) return []
  const own = canonicalUrl === undefined ? null : URL.parse(canonicalUrl)
  if (own?.origin === site.origin) return [{ title, url: own.href, certain: true }]
  return [{ title, url: `${site.origin}${site.pathname.replace(/\/+$/, '')}/${slug}`, certain: false }]
}

/** One job. Throws `not_found`. */
export async function getJob(ctx: Context, accountId: string, id: string): Promise<Job> {
  return present(ctx, ctx.db.root, await oneJob(ctx.db.root, accountId, id))
}

async function oneJob(db: Db, accountId: string, id: string): Promise<JobRow> {
  const row = isId(id) ? await findJob(db, accountId, id) : undefined
  if (row === undefined) throw jobNotFound()
  return row
}

async function present(ctx: Context, db: Db, row: JobRow): Promise<Job> {
  const post = row.post_id === null ? undefined : await findPost(db, row.account_id, row.post_id)
  const shown = post && (await withAudience(db, post))
  return { row, post: shown, estimatedSeconds: row.status === 'processing' ? await secondsLeft(ctx, db, row) : 0 }
}

async function secondsLeft({ clock, config }: Context, db: Db, row: JobRow): Promise<number> {
  const { progress, worked_ms: workedMs, generator, work } = row
  return estimateSeconds({
    words: TARGET_WORDS[row.brief.length],
    msPerWord: generator === OUTLINE_WRITER ? 0 : await learnedMsPerWord(db, generator),
    ahead: work?.begun === false ? await jobsAhead(db, row) : 0,
    jobs: config.ai.jobs,
    done: progress.done,
    workedMs,
    waitMs: (work?.runAt.getTime() ?? 0) - clock.now().getTime(),
  })
}

/** Cancels a job if it is unfinished, and removes it; a finished draft stays. Throws `not_found`. */
export async function removeJob(ctx: Context, accountId: string, id: string): Promise<void> {
  if (!isId(id)) throw jobNotFound()
  const key = id.toLowerCase()
  await ctx.db.tx(async (tx) => {
    if (!(await deleteJob(tx, accountId, key))) throw jobNotFound()
    await cancelJob(ctx, tx, { kind: DRAFT_JOB, key })
    ctx.changes.note(tx, [jobChange(accountId, key)])
  })
}
