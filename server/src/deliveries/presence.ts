import { sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { errorField } from '../platform/log.ts'

/** The advisory lock that every worker shares for as long as it lives (an arbitrary number, the same for all). */
const WORKERS_LOCK = 7_301_946_112

const LOOK_MS = 5_000
/** Short: until this worker has joined again, one that starts cannot know that it lives. */
const REJOIN_MS = 250

/**
 * Joins the workers of this database. When no other worker lives, every lease left behind is a dead worker's, and `whenAlone`
 * runs before any other worker can join. On PostgreSQL the proof is an advisory lock, which the server releases with the
 * connection that held it; the embedded database admits one process anyway. `leave` ends the membership.
 */
export async function joinWorkers(
  ctx: Needs,
  whenAlone: (db: Db) => Promise<unknown>,
): Promise<{ alone: boolean; leave(): Promise<void> }> {
  if (ctx.db.kind === 'embedded') {
    await whenAlone(ctx.db.root)
    return { alone: true, leave: async () => {} }
  }
  const leaving = new AbortController()
  const joined = Promise.withResolvers<boolean>()
  const membership = keepMembership(ctx, leaving.signal, joined, whenAlone)
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

type Joined = { resolve(alone: boolean): void; reject(error: unknown): void }

/** Holds the shared lock on a connection of its own, and takes it again should the connection break. */
async function keepMembership(
  ctx: Needs,
  leaving: AbortSignal,
  joined: Joined,
  whenAlone: (db: Db) => Promise<unknown>,
): Promise<void> {
  let first = true
  while (!leaving.aborted) {
    try {
      await ctx.db.root.connection().execute(async (connection) => {
        const alone = first && (await tryExclusive(connection))
        if (alone) await whenAlone(connection)
        await sql`select pg_advisory_lock_shared(${WORKERS_LOCK})`.execute(connection)
        if (alone) await sql`select pg_advisory_unlock(${WORKERS_LOCK})`.execute(connection)
        first = false
        joined.resolve(alone)
        while (!leaving.aborted) {
          await ctx.clock.sleep(LOOK_MS, leaving)
          await sql`select 1`.execute(connection)
        }
        await sql`select pg_advisory_unlock_shared(${WORKERS_LOCK})`.execute(connection)
      })
    } catch (error) {
      joined.reject(error)
      ctx.log.warn('workers.membership_lost', { error: errorField(error) })
      await ctx.clock.sleep(REJOIN_MS, leaving)
    }
  }
}

async function tryExclusive(connection: Db): Promise<boolean> {
  const { rows } = await sql<{ alone: boolean }>`select pg_try_advisory_lock(${WORKERS_LOCK}) as alone`.execute(
    connection,
  )
  return rows[0]?.alone === true
}
