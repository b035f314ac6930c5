/**
 * Keeps connections ready. A request that finds none free waits until one is made, even if another becomes free meanwhile; that takes a
 * process of the server's and several round trips: a tenth of a second when many posts come due and both processes are busy. The
 * pool's `min` only keeps it from closing idle ones; here they are opened, at the start and after they were lost.
 */
import type pg from 'pg'

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
  const { min = 0 } = pool.options
  if (pool.totalCount >= min) return
  // The idle ones are taken too, and all are kept until the last is there: one given back would be taken again instead of a new one.
  const taken = await Promise.allSettled(
    Array.from({ length: min - pool.totalCount + pool.idleCount }, () => pool.connect()),
  )
  for (const one of taken) if (one.status === 'fulfilled') one.value.release()
}
