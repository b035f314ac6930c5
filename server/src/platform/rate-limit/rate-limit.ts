/**
 * Counts requests. Each bucket is one row, updated by one statement for a batch of concurrent requests, so the count is exact
 * however many processes count, and outlives them all. A request of a batch sees the count as if it had come alone, in its
 * turn: with 3 left, the first three of a batch pass and the others are refused.
 */
import { type RawBuilder, sql } from 'kysely'
import { type BatchItem, type BatchResult, batched } from '../batching.ts'
import { type Clock, plusMs } from '../clock.ts'
import { plainArray } from '../db/arrays.ts'
import type { Db } from '../db/database.ts'
import { prepared } from '../db/statements.ts'
import { type Failure, fail } from '../errors.ts'
import './tables.ts'

type Limit = { requests: number; windowMs: number }

/** How many requests per window; `off` counts nothing. */
export type RateLimit = Limit | 'off'

/** What a request is counted under. */
export type Bucket = { name: string; limit: RateLimit }

/** The count after a request. `resetSeconds`: until the window ends, rounded up. */
export type Usage = { limit: number; remaining: number; resetSeconds: number; refused: boolean }

/** Counts requests; concurrent ones share a statement. Undefined when the bucket has no limit. */
export type RequestCounter = (bucket: Bucket) => Promise<Usage | undefined>

/** A counter of requests in the database. */
export function createRequestCounter(db: Db, clock: Clock): RequestCounter {
  const count = batched(
    ({ name }: LimitedBucket) => name,
    async (asked) => countTogether(db, asked, clock.now()),
  )
  return async ({ name, limit }) => {
    if (limit === 'off') return undefined
    return usageOf(limit, await count({ name, limit }))
  }
}

type LimitedBucket = { name: string; limit: Limit }

async function countTogether(db: Db, asked: ReadonlyArray<BatchItem<LimitedBucket>>, now: Date): Promise<Counted[]> {
  const { rows } = await prepared(sql<Counted & { bucket: string }>`
    with hits as materialized (
      select * from unnest(
        ${asked.map(({ item }) => item.name)}::text[], ${plainArray(asked.map(({ callers }) => callers))}::int[],
        ${plainArray(asked.map(({ item }) => item.limit.requests))}::int[], ${plainArray(asked.map(({ item }) => item.limit.windowMs))}::float8[]
      ) as h (bucket, hits, requests, window_ms)
    )
    ${countHits(sql`hits`, now, sql`(select h.requests from hits h where h.bucket = r.bucket)`)}
  `).execute(db)
  const counted = new Map(rows.map((row) => [row.bucket, row]))
  return asked.map(({ item }) => counted.get(item.name) as Counted) // the statement returns every bucket
}

/** Processes' clocks may differ a little: a window that begins up to this much from now is not in the future. */
const CLOCKS_DIFFER = sql`interval '1 minute'`

/** A bucket after a statement has counted its hits; `leftMs`: until the window ends. */
export type Counted = { used: number; leftMs: number }

/**
 * The statement that counts. `hits` is a relation of (bucket, hits, window_ms), each bucket once; `requests` is an expression for
 * the limit, which may refer to `r`, the bucket's row. The result has bucket and `Counted`. A window begins with the first request
 * after the last window ended, or if that lies in the future (the clock has been set back). Requests refused earlier are not counted,
 * and never move the window. Buckets are locked in one order, so that processes that count several of them at once do not deadlock.
 *
 * The commit does not wait for the disk, because all requests that come meanwhile would wait too. A crash of the database server
 * loses the counts of about the last half second. If the process of the embedded database is killed, the counts since the last
 * commit that waited for the disk, or the last maintenance, are lost.
 */
export function countHits(hits: RawBuilder<unknown>, now: Date, requests: RawBuilder<number>): RawBuilder<unknown> {
  const at = sql`${now.toISOString()}::timestamptz` // it is used several times, and the driver is slow to write a Date
  const over = sql`(r.window_ends_at <= ${at} or r.window_ends_at > excluded.window_ends_at + ${CLOCKS_DIFFER})`
  return sql`
    insert into rate_limits as r (bucket, window_ends_at, used)
    select bucket, ${at} + window_ms * interval '1 millisecond', hits
    from ${hits} cross join (select set_config('synchronous_commit', 'off', true)) as unsynced order by bucket
    on conflict (bucket) do update set
      used = case when ${over} then excluded.used else least(r.used, ${requests}) + excluded.used end,
      window_ends_at = case when ${over} then excluded.window_ends_at else r.window_ends_at end
    returning bucket, used, (extract(epoch from window_ends_at - ${at}) * 1000)::float8 as "leftMs"`
}

/** The usage that one request of a batch sees, without the requests after it. */
export function usageOf(limit: Limit, { result, index, callers }: BatchResult<Counted>): Usage {
  return usage(limit, result.used - (callers - 1 - index), result.leftMs)
}

/** The usage of a bucket so far, without counting a request. */
export async function currentUsage(db: Db, { name, limit }: Bucket, now: Date): Promise<Usage | undefined> {
  if (limit === 'off') return undefined
  const row = await db
    .selectFrom('rate_limits')
    .select(['used', 'window_ends_at'])
    .where('bucket', '=', name)
    .where('window_ends_at', '>', now)
    .where(sql<boolean>`window_ends_at <= ${plusMs(now, limit.windowMs)}::timestamptz + ${CLOCKS_DIFFER}`)
    .executeTakeFirst()
  const leftMs = row === undefined ? limit.windowMs : row.window_ends_at.getTime() - now.getTime()
  return usage(limit, row?.used ?? 0, leftMs)
}

/** Takes back one request that was counted, passed, and shall not count after all. */
export async function uncount(db: Db, { name, limit }: Bucket, now: Date): Promise<void> {
  if (limit === 'off') return
  await sql`
    update rate_limits set used = least(used, ${limit.requests}::int) - 1
    where bucket = ${name} and window_ends_at > ${now} and used > 0
  `.execute(db)
}

/** The refusal of a request that is over its limit. `what` is used up: "The limit of 5 requests". */
export function overLimit({ limit, resetSeconds }: Usage, what = `The limit of ${limit} requests`): Failure {
  return fail('rate_limited', `${what} is used up. Try again in ${resetSeconds} seconds.`, {
    retryAfter: resetSeconds,
    headers: { 'Retry-After': String(resetSeconds) },
  })
}

/** How many counts are removed at once: one statement for any number of them might never end in the time that it has. */
const REMOVED_AT_ONCE = 5_000

/**
 * Removes some of the counts whose window has ended; returns whether there may be more. Skips rows that another statement has locked,
 * instead of waiting for them.
 */
export async function removeEndedWindows(db: Db, now: Date): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from rate_limits where bucket = any(array(
      select bucket from rate_limits where window_ends_at <= ${now} limit ${REMOVED_AT_ONCE} for update skip locked
    ))
  `.execute(db)
  return numAffectedRows === BigInt(REMOVED_AT_ONCE)
}

function usage(limit: Limit, used: number, leftMs: number): Usage {
  return {
    limit: limit.requests,
    remaining: Math.max(0, limit.requests - used),
    resetSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
    refused: used > limit.requests,
  }
}
