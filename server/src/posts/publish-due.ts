/**
 * Scheduled publishing. It reads stored times instead of setting timers: a post that came due while the service was down is
 * published when it is back. Each post has a transaction of its own, in which it is published as if somebody had asked for it now, so one
 * that cannot be published holds up no other. Accounts have turns, so that whoever has ten thousand posts due delays nobody who has one.
 * An account whose lanes another transaction has locked is passed over until the next step.
 */
import { sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import { plainArray } from '../platform/db/arrays.ts'
import { type Db, isDatabaseGone, isLockTimeout, isStatementTimeout, type Tx } from '../platform/db/database.ts'
import { limitLockWait } from '../platform/db/statements.ts'
import { errorField } from '../platform/log.ts'
import type { StepResult } from '../platform/loop.ts'
import { publishToAll } from './operations.ts'
import { postsTx } from './revision.ts'
import { COLUMNS, type PostRow } from './tables.ts'

/** How many posts are published at once; on the embedded database, which has one connection, one after the other. */
const AT_ONCE = 8

/** How many due posts are read at once: a post that comes due meanwhile waits for so many of others at most. */
const READ_AT_ONCE = 64

/** The wait before the next step when a due post is left: somebody is changing it, which may take a while. */
const LOCKED_MS = 100

type DuePost = Pick<PostRow, 'id' | 'account_id' | 'scheduled_at'>

/** What this step does not try again: posts that it could not publish, and accounts whose lanes are locked. */
type PassedOver = { posts: Set<string>; accounts: Set<string> }

/** One step: publishes everything that is due, to all sites, each post once however many processes do this. */
export async function publishDue(ctx: Context, stopping: AbortSignal): Promise<StepResult> {
  const { db, clock } = ctx
  const passedOver: PassedOver = { posts: new Set(), accounts: new Set() }
  let failed = false
  while (!stopping.aborted) {
    const found = await readDue(db.root, clock.now(), passedOver)
    if (found.length === 0) break
    const queue = found.values()
    const publishQueued = async () => {
      for (const post of queue) {
        if (stopping.aborted) return
        if (!(await publishOne(ctx, post, passedOver))) failed = true
      }
    }
    const runs = await Promise.allSettled(Array.from({ length: db.kind === 'embedded' ? 1 : AT_ONCE }, publishQueued))
    for (const run of runs) if (run.status === 'rejected') throw run.reason
  }
  if (failed) return { again: false }
  const next = await nextScheduledAt(db.root)
  if (next === undefined) return { again: false }
  return { again: false, waitMs: Math.max(LOCKED_MS, next.getTime() - clock.now().getTime()) }
}

/** Publishes a post that is still due and that nobody else has locked. Returns false if that went wrong. */
async function publishOne(ctx: Context, due: DuePost, { posts, accounts }: PassedOver): Promise<boolean> {
  const { id, account_id, scheduled_at } = due
  if (accounts.has(account_id)) return false
  try {
    const now = ctx.clock.now()
    const published = await postsTx(ctx.db, async (tx) => {
      await limitLockWait(tx, '1s')
      const post = await lockDue(tx, id, now)
      return post && publishToAll(ctx, tx, post, now)
    })
    if (published === undefined) posts.add(id)
    else ctx.log.info('post.published', { post_id: id, scheduled_at })
    return true
  } catch (error) {
    if (isDatabaseGone(error) && !isStatementTimeout(error)) throw error
    posts.add(id)
    if (!isLockTimeout(error)) {
      ctx.log.error('post.not_published', { post_id: id, scheduled_at, error: errorField(error) })
    } else if (!accounts.has(account_id)) {
      accounts.add(account_id)
      ctx.log.warn('posts.held_up', { account_id, error: errorField(error) })
    }
    return false
  }
}

/** Posts whose time has come, in the order in which they are published: the first of every account, the second of every account, … */
async function readDue(db: Db, now: Date, { posts, accounts }: PassedOver): Promise<DuePost[]> {
  const { rows } = await sql<DuePost>`
    select id, account_id, scheduled_at from (
      select id, account_id, scheduled_at, row_number() over (partition by account_id order by scheduled_at, id) as turn
      from posts where status = 'scheduled' and scheduled_at <= ${now}
        and id <> all(${plainArray([...posts])}::uuid[]) and account_id <> all(${plainArray([...accounts])}::uuid[])
    ) as due
    order by turn, scheduled_at, id limit ${READ_AT_ONCE}
  `.execute(db)
  return rows
}

/** Locks the post unless another transaction has, or it is not due any more. */
async function lockDue(tx: Tx, id: string, now: Date): Promise<PostRow | undefined> {
  return tx
    .selectFrom('posts')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('status', '=', 'scheduled')
    .where('scheduled_at', '<=', now)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
}

/** When the next scheduled post is due; undefined when none is scheduled. */
async function nextScheduledAt(db: Db): Promise<Date | undefined> {
  const row = await db
    .selectFrom('posts')
    .select('scheduled_at')
    .where('status', '=', 'scheduled')
    .orderBy('scheduled_at')
    .limit(1)
    .executeTakeFirst()
  return row?.scheduled_at ?? undefined
}
