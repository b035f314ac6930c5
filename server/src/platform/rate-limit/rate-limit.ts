/**
 * Counting requests. One row per bucket and one statement per request, so the count is exact however many processes
 * count at once, and outlives them all.
 */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import './tables.ts'

/** How many requests per window; `off` counts nothing. */
export type RateLimit = { requests: number; windowMs: number } | 'off'

/** What a request is counted under. */
export type Bucket = { name: string; limit: RateLimit }

/** The count after a request. `resetSeconds`: until the window ends, rounded up. */
export type Usage = { limit: number; remaining: number; resetSeconds: number; refused: boolean }

/**
 * Counts one request. A window begins with the first request after the last one ended. A refused request is not counted
 * beyond the limit and does not move the window. Undefined when the bucket has no limit.
 */
export async function countRequest(db: Db, { name, limit }: Bucket, now: Date): Promise<Usage | undefined> {
  if (limit === 'off') return undefined
  const { rows } = await sql<{ used: number; window_ends_at: Date }>`
    insert into rate_limits as r (bucket, window_ends_at, used)
    values (${name}, ${new Date(now.getTime() + limit.windowMs)}, 1)
    on conflict (bucket) do update set
      used = case when r.window_ends_at <= ${now} then 1 else least(r.used, ${limit.requests}) + 1 end,
      window_ends_at = case when r.window_ends_at <= ${now} then excluded.window_ends_at else r.window_ends_at end
    returning used, window_ends_at
  `.execute(db)
  return usageOf(rows[0], limit, now)
}

/** The use of a bucket so far, without counting. */
export async function currentUsage(db: Db, { name, limit }: Bucket, now: Date): Promise<Usage | undefined> {
  if (limit === 'off') return undefined
  const row = await db
    .selectFrom('rate_limits')
    .select(['used', 'window_ends_at'])
    .where('bucket', '=', name)
    .where('window_ends_at', '>', now)
    .executeTakeFirst()
  return usageOf(row, limit, now)
}

/** Removes counts whose window has ended. */
export async function removeEndedWindows(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('rate_limits').where('window_ends_at', '<=', now).execute()
}

function usageOf(
  row: { used: number; window_ends_at: Date } | undefined,
  limit: { requests: number; windowMs: number },
  now: Date,
): Usage {
  const used = row?.used ?? 0
  const endsAt = row?.window_ends_at.getTime() ?? now.getTime() + limit.windowMs
  return {
    limit: limit.requests,
    remaining: Math.max(0, limit.requests - used),
    resetSeconds: Math.max(1, Math.ceil((endsAt - now.getTime()) / 1000)),
    refused: used > limit.requests,
  }
}
