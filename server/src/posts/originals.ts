/**
 * Keeps what sites were sent of a post's original level with where that is. Three things move it: another site becomes the original, a site
 * says where it shows the post, and what a site says of its addresses changes (its pattern, whether it names its own, whether it is there
 * at all). The first happens with the post's change. The other two may concern posts that are locked, or thousands of them: they are jobs.
 *
 * `post_sites.live_url` is where a site shows the post: it outlives the history of deliveries, and is read with the post.
 * `post_sites.canonical_url` is what the site was sent. Whoever brings a post level compares it with what it would be sent now, so nothing is
 * sent twice, whatever was done before, and nothing has to be known of what changed.
 */
import { forgetDefaultOriginal } from '../accounts/index.ts'
import { type LiveUrl, lockLanes, lockLanesOfAccount, saidUrls } from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import { enqueueJob, type LeasedJob, LeaseLost, recordProgress } from '../platform/jobs/queue.ts'
import type { JobKind, JobOutcome } from '../platform/jobs/runner.ts'
import { errorField } from '../platform/log.ts'
import { ADDRESSES_JOB, type AddressesChange, findSite } from '../sites/index.ts'
import { announce, canonicalsOf, isToldOtherwise, noteTold, updating } from './announce.ts'
import { notePosts } from './changes.ts'
import { newsOfOriginals, postsWithOriginal, renamedAt } from './original-queries.ts'
import { inPortions } from './portions.ts'
import { lockPost, lockPosts, readLocked, type SyncState, syncStateOf, syncStatesOf } from './queries.ts'
import { noteVisible, type PostsTx, writePosts } from './revision.ts'
import type { PostRow } from './tables.ts'
import { forgetLiveUrls, forgetOriginal, updatePost, writeLiveUrls } from './writes.ts'

/** Brings one post, which is its key, level with where sites say that they show it. */
const POST_JOB = 'post-original'
/** One transaction looks at so many posts: short enough that nobody waits long for their locks. */
const POSTS_PER_STEP = 20
const AGAIN_AFTER_MS = 60_000

/** Begins to follow where sites show a published post that has got another original, or ends it if that is none. Holds all lanes of the account. */
export async function followOriginal(tx: PostsTx, post: PostRow): Promise<void> {
  // The caller may enqueue for sites that are not sent the post yet.
  await lockLanesOfAccount(tx, post.account_id)
  if (post.primary_site_id === null) await forgetLiveUrls(tx, [post.id])
  else await takeLiveUrls(tx, post)
}

/**
 * Takes over where sites have said that they show a published post that has an original. Holds the lanes: what a site says meanwhile is
 * seen here, or noted once this is committed. Returns the sites that said it of an update which brought no other version.
 */
async function takeLiveUrls(tx: PostsTx, post: Pick<PostRow, 'account_id' | 'id'>): Promise<Set<string>> {
  const { sentTo, original } = await syncStateOf(tx, post.id)
  if (original === null) return new Set()
  await lockLanes(tx, sentTo)
  const said = await saidUrls(tx, post.id, await renamedAt(tx, post.id))
  const news = said.filter(({ siteId, url }) => sentTo.includes(siteId) && original.live[siteId] !== url)
  if (news.length > 0) await writeLiveUrls(tx, post, new Map(news.map(({ siteId, url }) => [siteId, url])))
  return new Set(said.filter(({ isRepeat }) => isRepeat).map(({ siteId }) => siteId))
}

/** Sends a published post to those sites for which the address of its original has changed. */
export async function announceOriginal(ctx: Context, tx: PostsTx, post: PostRow, now: Date): Promise<PostRow> {
  const sync = await syncStateOf(tx, post.id)
  return announceTo(ctx, tx, post, sync, sync.sentTo.filter(isToldOtherwise(post, sync)), now)
}

/**
 * The same after sites have said where they show it. A site that would be sent what it has just said itself needs that only if it was sent
 * another address. And what it says of such an update is no reason for another one: it may name another address in every answer.
 */
async function announceSaid(ctx: Context, tx: PostsTx, post: PostRow, saidOfRepeats: ReadonlySet<string>, now: Date) {
  const sync = await syncStateOf(tx, post.id)
  const canonicalOf = canonicalsOf(post, sync)
  const otherwise = sync.sentTo.filter(isToldOtherwise(post, sync))
  const isOwnWord = (siteId: string) => {
    const said = sync.original?.live[siteId]
    return said !== undefined && canonicalOf(siteId) === said
  }
  const isNeeded = (siteId: string) => sync.told?.[siteId] !== undefined && !saidOfRepeats.has(siteId)
  const known = otherwise.filter((siteId) => isOwnWord(siteId) && sync.told?.[siteId] === undefined)
  await noteTold(tx, post, sync, known)
  const siteIds = otherwise.filter((siteId) => !isOwnWord(siteId) || isNeeded(siteId))
  return announceTo(ctx, tx, post, sync, siteIds, now)
}

async function announceTo(
  ctx: Context,
  tx: PostsTx,
  post: PostRow,
  sync: SyncState,
  siteIds: readonly string[],
  now: Date,
): Promise<PostRow> {
  const counted = await announce(ctx, tx, post, sync, now, await updating(ctx, tx, post, siteIds, now))
  if (counted === undefined) return post
  await noteTold(tx, post, sync, siteIds)
  notePosts(ctx, tx, [post])
  return updatePost(tx, post, counted)
}

/** Has posts brought level with where sites say that they show them, in the transaction that records it, as far as it matters and is new. */
export async function noteLiveUrls(
  ctx: Pick<Context, 'clock' | 'signals'>,
  tx: Tx,
  said: readonly LiveUrl[],
): Promise<void> {
  for (const { id, accountId } of await newsOfOriginals(tx, said))
    await enqueueJob(ctx, tx, { kind: POST_JOB, key: id, accountId, payload: {} })
}

/** The kinds of jobs that bring posts level with addresses that have changed. */
export function originalJobs(ctx: Context): JobKind[] {
  return [postJobs(ctx), siteJobs(ctx)]
}

function postJobs(ctx: Context): JobKind {
  return {
    name: POST_JOB,
    limits: { perProcess: 4, perAccount: 2 },
    run: async ({ accountId, key }) => ({
      record: (tx) =>
        writePosts(tx, async (posts) => {
          const post = await lockPost(posts, accountId, key)
          if (post?.status !== 'published') return
          const saidOfRepeats = await takeLiveUrls(posts, post)
          await announceSaid(ctx, posts, post, saidOfRepeats, ctx.clock.now())
        }),
    }),
    failed: laterAgain(ctx),
  }
}

type Progress = { after: string | null }

/** A step is a transaction that records how far the job is: after a crash it goes on from there. */
function siteJobs(ctx: Context): JobKind<AddressesChange> {
  return {
    name: ADDRESSES_JOB,
    limits: { perProcess: 1, perAccount: 1 },
    async run(job, { stopping }) {
      const { accountId, key: siteId } = job
      const site = await findSite(ctx.db.root, accountId, siteId)
      if (site === undefined) await ctx.db.tx((tx) => forgetDefaultOriginal(tx, accountId, siteId))
      const { isOwn } = job.payload
      const changed = { accountId, siteId, isOwn, isGone: site === undefined, namesItsOwn: site?.canonical === 'own' }
      for (let after = (job.progress as Progress | null)?.after ?? null; ; ) {
        stopping.throwIfAborted()
        const last = await ctx.db.tx(async (tx) => {
          const last = await writePosts(tx, (posts) => levelSome(ctx, posts, changed, after))
          if (!(await recordProgress(tx, job, { tries: 0, progress: { after: last } }))) throw new LeaseLost()
          return last
        })
        if (last === null) return { record: async () => {} }
        after = last
      }
    },
    failed: laterAgain(ctx),
  }
}

/** A site whose addresses have changed. `isGone`: it was disconnected. `isOwn`: it names its own, or did until now. */
type ChangedSite = AddressesChange & { accountId: string; siteId: string; isGone: boolean; namesItsOwn: boolean }

/** Brings the next posts that have an original level, and those without it whose site is gone. Returns the last of them; null: there are no more. */
async function levelSome(
  ctx: Context,
  tx: PostsTx,
  { accountId, siteId, isOwn, isGone, namesItsOwn }: ChangedSite,
  after: string | null,
): Promise<string | null> {
  const ids = await postsWithOriginal(tx, accountId, isGone ? siteId : undefined, after, POSTS_PER_STEP)
  if (ids.length === 0) return null
  const locked = await lockPosts(tx, accountId, ids)
  await lockLanesOfAccount(tx, accountId)
  const now = ctx.clock.now()
  if (isGone) {
    const forgotten = await forgetOriginal(tx, accountId, ids, siteId)
    notePosts(ctx, tx, forgotten)
  }
  if (namesItsOwn) for (const { id } of locked) await takeLiveUrls(tx, { id, account_id: accountId })
  const states = await syncStatesOf(tx, ids)
  // A site may pull a post that it was never sent.
  for (const { id, original } of states) if (isOwn || original?.siteId === siteId) noteVisible(tx, accountId, id)
  const otherwise = new Set(states.filter((one) => one.sentTo.some(isToldOtherwise(one, one))).map(({ id }) => id))
  for (const portion of inPortions(locked.filter(({ id }) => otherwise.has(id))))
    for (const post of await readLocked(tx, portion)) await announceOriginal(ctx, tx, post, now)
  return ids.at(-1) ?? null
}

function laterAgain({ log }: Pick<Context, 'log'>) {
  return ({ kind, key }: LeasedJob, error: unknown): JobOutcome => {
    log.error('original.not_level', { job_kind: kind, job_key: key, error: errorField(error) })
    return { retryAfterMs: AGAIN_AFTER_MS }
  }
}
