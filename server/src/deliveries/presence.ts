import { sql } from 'kysely'
import type { Clock } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { errorField } from '../platform/log.ts'

/** The advisory lock that every worker shares for as long as it lives (an arbitrary number, the same for all). */
const WORKERS_LOCK = 7_301_946_112

/** How often a worker looks whether it is still a member, and how long it waits before it joins again. */
const LOOK_MS = 250
const REJOIN_MS = 250
/** A living worker that has lost its connection is a member again within this time, unless it cannot reach the database. */
const MISSED_MS = 1_000
/**
 * A worker counts as a member for so long after it has sent a look that was answered. Less than `MISSED_MS`: so one whose server is gone
 * without a word has stopped before another, which starts on a new server, takes over its lanes.
 */
const KNOWN_MS = 950

/** What the membership decides about. */
export type Membership = {
  /** Whether somebody seems to work under leases. */
  isWorkHeld(db: Db): Promise<boolean>
  /** No other worker lives, and none can join yet: what is held was left by dead ones. */
  abandon(db: Db): Promise<unknown>
  /** Others may take this worker for dead: it must lease nothing, and begin nothing more under the leases that it has. */
  onLost(): void
  /** They may not any more: it may lease again. */
  onRegained(): void
}

/**
 * Joins the workers of this database. When no other worker lives, every lease left behind is a dead worker's, and is abandoned
 * before any other worker can join. On PostgreSQL the proof is an advisory lock, which the server releases with the
 * connection that held it; the embedded database admits one process anyway. A living worker, too, loses the lock when the server
 * is restarted or ends its connection, so leases are taken for abandoned only if nobody has joined again a moment later. `leave`
 * ends the membership.
 */
export async function joinWorkers(ctx: Needs, about: Membership): Promise<{ alone: boolean; leave(): Promise<void> }> {
  if (ctx.db.kind === 'embedded') {
    await about.abandon(ctx.db.root)
    return { alone: true, leave: async () => {} }
  }
  const leaving = new AbortController()
  const joined = Promise.withResolvers<boolean>()
  const membership = keepMembership(ctx, leaving.signal, joined, about)
  return {
    alone: await joined.promise,
    async leave() {
      leaving.abort()
      await membership
    },
  }
}

type Needs = Pick<Context, 'db' | 'clock' | 'log'>

/** Whether no worker lives; if so, none can join until the transaction ends. Processes that only answer requests do not count. */
export async function claimFromWorkers(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ alone: boolean }>`select pg_try_advisory_xact_lock(${WORKERS_LOCK}) as alone`.execute(tx)
  return rows[0]?.alone === true
}

/** Whether a worker lives. */
export async function doWorkersLive(db: Db): Promise<boolean> {
  const { rows } = await sql<{ live: boolean }>`
    select exists (
      select from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted and objsubid = 1
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32) + objid::bigint = ${WORKERS_LOCK}
    ) as live
  `.execute(db)
  return rows[0]?.live === true
}

type Joined = { resolve(alone: boolean): void; reject(error: unknown): void }

/** Holds the shared lock on a connection of its own, and takes it again should the connection break. */
async function keepMembership(ctx: Needs, leaving: AbortSignal, joined: Joined, about: Membership): Promise<void> {
  let isMember = false
  /** When this worker was last a member for certain (monotonic): when it sent the last look that was answered. */
  let knownAtMs = 0
  let first = true
  const lose = (error: unknown) => {
    if (isMember) about.onLost()
    isMember = false
    ctx.log.warn('workers.membership_lost', { error: errorField(error) })
  }
  const begin = (alone: boolean) => {
    isMember = true
    if (first) joined.resolve(alone)
    else about.onRegained()
    first = false
  }
  /**
   * Asks whether the server still knows the connection, and returns whether it has answered in time. While there is no answer, this
   * worker may be missed; a late one says what was, not what is.
   */
  const look = async (connection: Db): Promise<boolean> => {
    const sentAtMs = ctx.clock.monotonicMs()
    const answered = new AbortController()
    const answer = sql`select 1`.execute(connection).finally(() => answered.abort())
    if (isMember) {
      await ctx.clock.sleep(knownAtMs + KNOWN_MS - sentAtMs, answered.signal)
      if (!answered.signal.aborted) lose(new Error(`The database has not answered for ${KNOWN_MS} ms.`))
    }
    await answer
    knownAtMs = sentAtMs
    return ctx.clock.monotonicMs() - sentAtMs < KNOWN_MS
  }
  while (!leaving.aborted) {
    try {
      await ctx.db.root.connection().execute(async (connection) => {
        const alone = first && (await takeOverIfAlone(ctx.clock, connection, about))
        await sql`select pg_advisory_lock_shared(${WORKERS_LOCK})`.execute(connection)
        if (alone) await unlock(connection)
        while (!leaving.aborted) {
          const inTime = await look(connection)
          if (inTime && !isMember) begin(alone)
          await ctx.clock.sleep(knownAtMs + LOOK_MS - ctx.clock.monotonicMs(), leaving)
        }
        await sql`select pg_advisory_unlock_shared(${WORKERS_LOCK})`.execute(connection)
      })
    } catch (error) {
      joined.reject(error)
      lose(error)
      await ctx.clock.sleep(REJOIN_MS, leaving)
    }
  }
}

/**
 * Whether no other worker lives; if so, none can join until `unlock`. Leases are abandoned only after the wait: before it, a living worker
 * that has just lost its connection may not know that yet, and lease again.
 */
async function takeOverIfAlone(clock: Clock, connection: Db, about: Membership): Promise<boolean> {
  if (!(await tryExclusive(connection))) return false
  if (!(await about.isWorkHeld(connection))) return true
  await unlock(connection)
  await clock.sleep(MISSED_MS)
  const alone = await tryExclusive(connection)
  if (alone) await about.abandon(connection)
  return alone
}

async function tryExclusive(connection: Db): Promise<boolean> {
  const { rows } = await sql<{ alone: boolean }>`select pg_try_advisory_lock(${WORKERS_LOCK}) as alone`.execute(
    connection,
  )
  return rows[0]?.alone === true
}

async function unlock(connection: Db): Promise<void> {
  await sql`select pg_advisory_unlock(${WORKERS_LOCK})`.execute(connection)
}
