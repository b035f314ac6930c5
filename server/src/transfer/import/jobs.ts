/**
 * The work on an import: looking at what was read of the file, running it, and undoing it. Each entry is done in a transaction of its own,
 * which says so in its row; whoever takes the work over goes on with the next one.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { noteLoose } from '../../media/index.ts'
import type { Context } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/database.ts'
import { Failure } from '../../platform/errors.ts'
import { type LeasedJob, LeaseLost, recordProgress } from '../../platform/jobs/queue.ts'
import type { JobKind, JobSignals } from '../../platform/jobs/runner.ts'
import { errorField } from '../../platform/log.ts'
import {
  addImported,
  changeImported,
  type ImportedPost,
  lockPost,
  slugify,
  undoImported,
  writePosts,
} from '../../posts/index.ts'
import type { ImportStatus, ItemRow } from '../tables.ts'
import { withAddresses } from './addresses.ts'
import { decide } from './decide.ts'
import { type Fitted, fitted } from './fit.ts'
import { expectedAddresses, folderOf, pictureFetcher, removeAdded, takePictures } from './pictures.ts'
import { oneLoss, type SourcePost } from './source-post.ts'
import {
  type ItemChange,
  nextToDo,
  nextToUndo,
  noteOrigin,
  refuseRepeated,
  setStatus,
  unseenItems,
  updateItem,
} from './store.ts'

/** The kind of job whose key is the id of an import. */
export const IMPORT_JOB = 'import'

/** What is to be done with an import; `pictures`: of other hosts are taken over. */
export type ImportWork = { task: 'look' | 'undo' } | { task: 'run'; pictures?: boolean }

type Job = LeasedJob<ImportWork>
const pictureImport = ({ key, accountId }: Job) => ({ id: key, accountId })

const LOOKED_AT_ONCE = 20
const AGAIN_AFTER_MS = 15_000
const MOST_TRIES = 5

const ENDS: Record<ImportWork['task'], ImportStatus> = { look: 'ready', run: 'complete', undo: 'undone' }

/** The jobs of imports. */
export function importJobs(ctx: Context): JobKind<ImportWork> {
  const ended = (job: Job, status: ImportStatus, problem?: string) => ({
    record: (tx: Tx) => setStatus(tx, job.key, status, ctx.clock.now(), problem),
  })
  return {
    name: IMPORT_JOB,
    limits: { perProcess: 1, perAccount: 1 },
    async run(job, signals) {
      const work = { look: lookAtAll, run: runAll, undo: undoAll }[job.payload.task]
      await work(ctx, job, signals)
      const { record } = ended(job, ENDS[job.payload.task])
      // What it brought along is in the library now, or not needed any more.
      const isOver = job.payload.task !== 'look'
      return {
        async record(tx) {
          await record(tx)
          if (isOver) await noteLoose(tx, folderOf(pictureImport(job)), ctx.clock.now())
        },
      }
    },
    failed(job, error) {
      const isBusy = error instanceof Failure && error.status === 503
      if (isBusy || job.tries < MOST_TRIES) {
        ctx.log.warn('import.interrupted', { import_id: job.key, tries: job.tries, error: errorField(error) })
        return { retryAfterMs: AGAIN_AFTER_MS }
      }
      ctx.log.error('import.failed', { import_id: job.key, error: errorField(error) })
      return ended(job, 'failed', 'Something went wrong on our side. What was imported so far can be undone.')
    },
  }
}

/** Ends the work where another process is to go on, or the job was cancelled. */
function assertGoingOn({ stopping, now }: JobSignals): void {
  now.throwIfAborted()
  stopping.throwIfAborted()
}

/** Runs a transaction while the job is held: its `tries` count from here. */
async function step(ctx: Context, job: Job, work: (tx: Tx) => Promise<void>): Promise<void> {
  await ctx.db.tx(async (tx) => {
    await work(tx)
    if (!(await recordProgress(tx, job, { tries: 0 }))) throw new LeaseLost()
  })
}

async function lookAtAll(ctx: Context, job: Job, signals: JobSignals): Promise<void> {
  await refuseRepeated(ctx.db.root, job.key)
  for (;;) {
    const items = await unseenItems(ctx.db.root, job.key, LOOKED_AT_ONCE)
    if (items.length === 0) return
    const changes: Array<[ItemRow, ItemChange]> = []
    for (const item of items) {
      assertGoingOn(signals)
      changes.push([item, await lookAt(ctx, job.accountId, item)])
      await turn()
    }
    await step(ctx, job, async (tx) => {
      for (const [item, change] of changes) await updateItem(tx, item, change)
    })
  }
}

/** A body that cannot be one, by the sentence that says why; undefined if it was fitted. */
async function tryToFit(ctx: Context, accountId: string, source: SourcePost): Promise<Fitted | string> {
  try {
    return await fitted(ctx, accountId, source)
  } catch (error) {
    if (error instanceof Failure && error.status === 400) return error.message
    throw error
  }
}

const sourceOf = ({ source }: ItemRow) => JSON.parse(source ?? '{}') as SourcePost

async function lookAt(ctx: Context, accountId: string, item: ItemRow): Promise<ItemChange> {
  const source = sourceOf(item)
  const fit = await tryToFit(ctx, accountId, withAddresses(source, await expectedAddresses(ctx, accountId, source)))
  if (typeof fit === 'string') return { outcome: 'refused', reason: fit, source: null }
  const decision = await decide(ctx.db.root, accountId, source, item.digest ?? '', fit.content)
  const slug = 'post' in decision ? decision.post.slug : slugify(source.slug) || slugify(fit.content.title) || 'post'
  const isDone = decision.outcome === 'same' || decision.outcome === 'refused'
  return {
    outcome: decision.outcome,
    reason: decision.outcome === 'refused' ? decision.reason : null,
    slug,
    losses: isDone ? [] : [...fit.losses, ...timeLosses(source, ctx.clock.now())],
    media: isDone ? [] : fit.media,
    redirects: isDone ? [] : source.formerSlugs.map(({ slug: from }) => ({ from, to: slug })),
    ...(isDone ? { source: null } : {}),
  }
}

/** A schedule that is over. */
function timeLosses({ status, scheduledAt }: SourcePost, now: Date) {
  if (status !== 'scheduled' || (scheduledAt !== undefined && new Date(scheduledAt) > now)) return []
  return [oneLoss('schedule_over', 'It was to be published at a time that has passed. It arrives as a draft.')]
}

async function runAll(ctx: Context, job: Job, signals: JobSignals): Promise<void> {
  const goOn = () => assertGoingOn(signals)
  const hasPictures = job.payload.task === 'run' && job.payload.pictures === true
  const fetchAll = hasPictures ? pictureFetcher(ctx, pictureImport(job), goOn) : undefined
  for (let place = -1; ; ) {
    goOn()
    const item = await nextToDo(ctx.db.root, job.key, place)
    if (item === undefined) return
    place = item.place
    await importOne(ctx, job, item, { goOn, fetchAll })
    await turn()
  }
}

type Fetching = { goOn: () => void; fetchAll: ReturnType<typeof pictureFetcher> | undefined }

async function importOne(ctx: Context, job: Job, item: ItemRow, { goOn, fetchAll }: Fetching): Promise<void> {
  const source = sourceOf(item)
  const taken = await takePictures(ctx, pictureImport(job), source, goOn)
  const own = withAddresses(source, taken.addresses)
  const { losses } = taken
  let fit = await tryToFit(ctx, job.accountId, own)
  if (fetchAll !== undefined && typeof fit !== 'string') {
    const fetched = await fetchAll(fit.shown)
    losses.push(...fetched.losses)
    if (fetched.addresses.size > 0) fit = await tryToFit(ctx, job.accountId, withAddresses(own, fetched.addresses))
    if (typeof fit !== 'string') losses.push(...stillElsewhere(fit, fetched.addresses))
  }
  await step(ctx, job, async (tx) => {
    if (typeof fit === 'string') return updateItem(tx, item, { outcome: 'refused', reason: fit, source: null })
    await store(ctx, tx, job.accountId, { ...item, losses: [...item.losses, ...losses] }, source, fit)
  })
}

/** Addresses that are written in a way in which they are not found in the text. */
function stillElsewhere({ shown }: Fitted, taken: ReadonlyMap<string, string>) {
  return shown
    .filter((address) => taken.has(address))
    .map((address) =>
      oneLoss('picture', `${address} is in the library now, but the text goes on to show it from there.`),
    )
}

/** Stores a post, or changes the one that came from the same source; looks again, because time has passed since it was looked at. */
async function store(
  ctx: Context,
  tx: Tx,
  accountId: string,
  item: ItemRow,
  source: SourcePost,
  { content }: Fitted,
): Promise<void> {
  const now = ctx.clock.now()
  const digest = item.digest ?? ''
  const decision = await decide(tx, accountId, source, digest, content)
  const { outcome } = decision
  if (outcome === 'refused') return updateItem(tx, item, { outcome, reason: decision.reason, source: null })
  if (outcome === 'same') return updateItem(tx, item, { outcome, source: null })
  const former = outcome === 'changed' ? decision.post : null
  const post = await writePosts(tx, async (posts) => {
    if (former === null) return addImported(ctx, posts, accountId, postOf(source, content, now), now)
    const locked = await lockPost(posts, accountId, former.id)
    // Whoever has changed it in this moment comes first.
    return locked?.version === former.version ? changeImported(ctx, posts, locked, content, now) : undefined
  })
  if (post === undefined) return updateItem(tx, item, { outcome: 'refused', reason: CHANGED_JUST_NOW, source: null })
  await noteOrigin(tx, accountId, item.source_id, { postId: post.id, digest, version: post.version })
  await updateItem(tx, item, {
    source: null,
    slug: post.slug,
    losses: item.losses,
    redirects: source.formerSlugs.map(({ slug: from }) => ({ from, to: post.slug })),
    post_id: post.id,
    version: post.version,
    left_at: post.updated_at,
    former_version: former?.version ?? null,
  })
}

const CHANGED_JUST_NOW = 'Somebody changed the post while it was imported. It is left as it is.'

const dateOf = (text: string | undefined | null) => (text == null ? null : new Date(text))

/** A new post. A schedule that is over leaves a draft. */
function postOf(source: SourcePost, content: Fitted['content'], now: Date): ImportedPost {
  const { own } = source
  const future = (text: string | undefined | null) => {
    const date = dateOf(text)
    return date !== null && date > now ? date : null
  }
  const scheduledAt = source.status === 'scheduled' ? future(source.scheduledAt) : null
  const status = source.status === 'scheduled' && scheduledAt === null ? 'draft' : source.status
  const end = future(own?.unpublishAt)
  const publishedAt = status === 'published' ? earlier(dateOf(source.publishedAt) ?? now, now) : null
  const createdAt = earlier(dateOf(source.createdAt) ?? publishedAt ?? now, now)
  return {
    ...content,
    version: own?.version ?? 1,
    status,
    publishedAt,
    scheduledAt,
    scheduleZone: scheduledAt === null ? null : (own?.scheduleZone ?? null),
    unpublishAt: end !== null && (scheduledAt === null || end > scheduledAt) ? end : null,
    createdAt,
    updatedAt: earlier(dateOf(source.updatedAt) ?? createdAt, now),
    // Those of files without dates: each gets a time of its own, so that they keep their order.
    formerSlugs: source.formerSlugs.map(({ slug, retiredAt }, index) => ({
      slug,
      retiredAt: dateOf(retiredAt) ?? new Date(now.getTime() - source.formerSlugs.length + index),
    })),
    siteIds: own === undefined ? null : own.siteIds,
    primarySiteId: own?.primarySiteId,
  }
}

/** Nothing was written in the future. */
const earlier = (a: Date, b: Date) => (a < b ? a : b)

async function undoAll(ctx: Context, job: Job, signals: JobSignals): Promise<void> {
  for (let place = -1; ; ) {
    assertGoingOn(signals)
    const item = await nextToUndo(ctx.db.root, job.key, place)
    if (item === undefined) return removeAdded(ctx, pictureImport(job))
    place = item.place
    await step(ctx, job, (tx) => undoOne(ctx, tx, job.accountId, item))
    await turn()
  }
}

async function undoOne(ctx: Context, tx: Tx, accountId: string, item: ItemRow): Promise<void> {
  const { post_id: postId, version, left_at: updatedAt, former_version: formerVersion } = item
  if (postId === null || version === null || updatedAt === null) return
  const state = { postId, version, updatedAt, formerVersion }
  const post = await writePosts(tx, (posts) => undoImported(ctx, posts, accountId, state, ctx.clock.now()))
  // The next import of the same file is to change it again.
  if (post.undone && post.version !== undefined)
    await noteOrigin(tx, accountId, item.source_id, { postId, digest: '', version: post.version })
  await updateItem(tx, item, { undone: post.undone })
}
