/**
 * What posts are scheduled for: to be published, and to become drafts again. It reads stored times instead of setting timers: what came due
 * while the service was down is done when it is back, once. Each post has a transaction of its own, in which it is published or unpublished
 * as if somebody had asked for it now, so one that cannot be published holds up no other. Accounts have turns, so that whoever has ten
 * thousand posts due delays nobody who has one. An account whose lanes another transaction has locked is passed over until the next step.
 */
import { sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import { plainArray } from '../platform/db/arrays.ts'
import { type Db, isDatabaseGone, isLockTimeout, isStatementTimeout, type Tx } from '../platform/db/database.ts'
import { limitLockWait } from '../platform/db/statements.ts'
import { errorField } from '../platform/log.ts'
import type { StepResult } from '../platform/loop.ts'
import { countLate, tellLate } from './late.ts'
import { applyChange, publishToAudience } from './operations.ts'
import type { PostStatus } from './policy.ts'
import { postsTx } from './revision.ts'
import { COLUMNS, madeBy, type PostRow } from './tables.ts'

/** How many posts are published at once; on the embedded database, which has one connection, one after the other. */
const AT_ONCE = 8

/** How many due posts are read at once: a post that comes due meanwhile waits for so many of others at most. */
const READ_AT_ONCE = 64

/** The wait before the next step when one is left that is due: somebody is changing it, which may take a while. */
const LOCKED_MS = 100

/** A post for which something is due: its end, if that has come, even if it should have been published meanwhile. */
type DuePost = Pick<PostRow, 'id' | 'account_id'> & { due_at: Date }

/** What this step does not try again: posts for which it could not do it, and accounts whose lanes are locked. */
type PassedOver = { posts: Set<string>; accounts: Set<string> }

/** One step: publishes and unpublishes everything that is due, each post once however many processes do this. */
export async function runSchedule(ctx: Context, stopping: AbortSignal): Promise<StepResult> {
  const { db, clock } = ctx
  const passedOver: PassedOver = { posts: new Set(), accounts: new Set() }
  let failed = false
  let late: Map<string, number> | undefined
  while (!stopping.aborted) {
    const found = await readDue(db.root, clock.now(), passedOver)
    if (found.length === 0) break
    late ??= await countLate(db.root, clock.now())
    const untold = late
    const queue = found.values()
    const workOff = async () => {
      for (const post of queue) {
        if (stopping.aborted) return
        if (!(await runOne(ctx, post, passedOver, untold))) failed = true
      }
    }
    const runs = await Promise.allSettled(Array.from({ length: db.kind === 'embedded' ? 1 : AT_ONCE }, workOff))
    for (const run of runs) if (run.status === 'rejected') throw run.reason
  }
  if (failed) return { again: false }
  const next = await nextDueAt(db.root)
  if (next === undefined) return { again: false }
  return { again: false, waitMs: Math.max(LOCKED_MS, next.getTime() - clock.now().getTime()) }
}

/** Publishes or unpublishes a post for which that is still due and that nobody else has locked. `untold`: how many late posts of accounts nobody has been told of. Returns false if that went wrong. */
async function runOne(
  ctx: Context,
  due: DuePost,
  { posts, accounts }: PassedOver,
  untold: Map<string, number>,
): Promise<boolean> {
  const { id, account_id, due_at } = due
  if (accounts.has(account_id)) return false
  try {
    const now = ctx.clock.now()
    // Taken by the first of an account's late posts: its message speaks of them all.
    const late = untold.get(account_id)
    untold.delete(account_id)
    const done = await postsTx(ctx.db, async (tx) => {
      await limitLockWait(tx, '1s')
      const post = await lockDue(tx, id)
      if (post === undefined) return undefined
      const action = dueAction(post, now)
      if (action === 'unpublish')
        await applyChange(ctx, tx, post, { status: 'draft', unpublish_at: null }, undefined, now, madeBy('schedule'))
      if (action === 'publish') {
        if (late !== undefined) await tellLate(ctx, tx, post, late, now)
        await publishToAudience(ctx, tx, post, now)
      }
      return action
    })
    if (done === undefined) posts.add(id)
    else ctx.log.info(done === 'publish' ? 'post.published' : 'post.unpublished', { post_id: id, due_at })
    return true
  } catch (error) {
    if (isDatabaseGone(error) && !isStatementTimeout(error)) throw error
    posts.add(id)
    if (!isLockTimeout(error)) {
      ctx.log.error('post.schedule_failed', { post_id: id, due_at, error: errorField(error) })
    } else if (!accounts.has(account_id)) {
      accounts.add(account_id)
      ctx.log.warn('posts.held_up', { account_id, error: errorField(error) })
    }
    return false
  }
}

/** What is due for a post, if anything. Nothing is published whose end has come already. */
function dueAction({ status, scheduled_at, unpublish_at }: PostRow, now: Date): 'publish' | 'unpublish' | undefined {
  if (status !== 'draft' && unpublish_at !== null && unpublish_at <= now) return 'unpublish'
  return status === 'scheduled' && scheduled_at !== null && scheduled_at <= now ? 'publish' : undefined
}

/** Posts whose time has come, in the order in which they have their turn: the first of every account, the second of every account, … */
async function readDue(db: Db, now: Date, { posts, accounts }: PassedOver): Promise<DuePost[]> {
  const { rows } = await sql<DuePost>`
    select id, account_id, due_at from (
      select *, row_number() over (partition by account_id order by due_at, id) as turn from (
        select id, account_id, unpublish_at as due_at from posts where unpublish_at <= ${now} and status <> 'draft'
        union all
        select id, account_id, scheduled_at from posts
        where status = 'scheduled' and scheduled_at <= ${now} and (unpublish_at is null or unpublish_at > ${now})
      ) as all_due
      where id <> all(${plainArray([...posts])}::uuid[]) and account_id <> all(${plainArray([...accounts])}::uuid[])
    ) as due
    order by turn, due_at, id limit ${READ_AT_ONCE}
  `.execute(db)
  return rows
}

/** Locks the post unless another transaction has. */
async function lockDue(tx: Tx, id: string): Promise<PostRow | undefined> {
  return tx
    .selectFrom('posts')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('status', '<>', 'trash')
    .$narrowType<{ status: PostStatus }>()
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
}

/** When something is next due; undefined when nothing is planned. */
async function nextDueAt(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date | null }>`
    select least(
      (select scheduled_at from posts where status = 'scheduled' order by scheduled_at limit 1),
      (select unpublish_at from posts where unpublish_at is not null and status <> 'draft' order by unpublish_at limit 1)
    ) as at
  `.execute(db)
  return rows[0]?.at ?? undefined
}
