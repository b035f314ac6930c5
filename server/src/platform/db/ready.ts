/**
 * Keeps connections ready. A request that finds none free waits until one is made, even if another becomes free meanwhile. Making one
 * takes a new server process and several round trips: a tenth of a second when many posts come due and both sides are busy. The
 * pool's `min` only keeps it from closing idle ones; here they are opened, at the start and after some were lost.
 */
import { setImmediate as turn } from 'node:timers/promises'
import pg from 'pg'

const LOOK_EVERY_MS = 5_000

/** Opens connections of a pool until it has as many as its `min`, now and again after some were lost, until it ends. */
export function keepReady(pool: pg.Pool): void {
  void fill(pool)
  const timer = setInterval(() => {
    if (pool.ending) clearInterval(timer)
    else void fill(pool)
  }, LOOK_EVERY_MS).unref()
}

async function fill(pool: pg.Pool): Promise<void> {
  const missing = (pool.options.min ?? 0) - pool.totalCount
  if (missing <= 0 || !canMakeClients(pool)) return
  // Idle ones are taken before new ones are made.
  const wanted = missing + pool.idleCount
  await Promise.allSettled(Array.from({ length: wanted }, () => borrow(pool)))
}

/** Takes a connection and gives it back one turn of the event loop later: by then the others are taken, or being made. */
async function borrow(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  await turn()
  client.release()
}

/** Whether the driver can make a client. If not (a certificate's file is gone), the pool throws uncatchably. */
function canMakeClients(pool: pg.Pool): boolean {
  try {
    void new pg.Client(pool.options)
    return true
  } catch {
    return false // whoever needs a connection is told
  }
}
