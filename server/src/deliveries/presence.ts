import { sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import { errorField } from '../platform/log.ts'

/** The advisory lock that every worker shares for as long as it lives (an arbitrary number, the same for all). */
const WORKERS_LOCK = 7_301_946_112

const LOOK_MS = 5_000

/**
 * Joins the workers of this database. `alone` says that no other worker lives, so every lease left behind is a dead
 * one's. On PostgreSQL the proof is an advisory lock, which the server gives up with the connection that held it; the
 * embedded database admits one process anyway. `leave` ends the membership.
 */
export async function joinWorkers(
  ctx: Pick<Context, 'db' | 'clock' | 'log'>,
): Promise<{ alone: boolean; leave(): Promise<void> }> {
  if (ctx.db.kind === 'embedded') return { alone: true, leave: async () => {} }
  const leaving = new AbortController()
  const joined = Promise.withResolvers<boolean>()
  const membership = keepMembership(ctx, leaving.signal, joined)
  return {
    alone: await joined.promise,
    async leave() {
      leaving.abort()
      await membership
    },
  }
}

type Joined = { resolve(alone: boolean): void; reject(error: unknown): void }

/** Holds the shared lock on a connection of its own, and takes it again should the connection break. */
async function keepMembership(
  ctx: Pick<Context, 'db' | 'clock' | 'log'>,
  leaving: AbortSignal,
  joined: Joined,
): Promise<void> {
  while (!leaving.aborted) {
    try {
      await ctx.db.root.connection().execute(async (connection) => {
        const { rows } = await sql<{ alone: boolean }>`select pg_try_advisory_lock(${WORKERS_LOCK}) as alone`.execute(
          connection,
        )
        await sql`select pg_advisory_lock_shared(${WORKERS_LOCK})`.execute(connection)
        if (rows[0]?.alone === true) await sql`select pg_advisory_unlock(${WORKERS_LOCK})`.execute(connection)
        joined.resolve(rows[0]?.alone === true)
        while (!leaving.aborted) {
          await ctx.clock.sleep(LOOK_MS, leaving)
          await sql`select 1`.execute(connection)
        }
        await sql`select pg_advisory_unlock_shared(${WORKERS_LOCK})`.execute(connection)
      })
    } catch (error) {
      joined.reject(error)
      ctx.log.warn('workers.membership_lost', { error: errorField(error) })
      await ctx.clock.sleep(LOOK_MS, leaving)
    }
  }
}
