/**
 * The table of background work that is not a lane. A job is a row from the transaction that asks for it until the transaction that
 * records its result, which removes it. `run_at` says when it is due, and a lease which worker works on it. A job that is taken over
 * gets a higher fence, so its former holder can record nothing more.
 */
import { type RawBuilder, sql } from 'kysely'
import { type Clock, endIn, nextFence } from '../clock.ts'
import { plainArray } from '../db/arrays.ts'
import type { Db, Tx } from '../db/database.ts'
import type { SignalSender } from '../signals.ts'
import './tables.ts'

/** Which job: `key` says what it is about, and each kind has one job per key at most. */
export type JobRef = { kind: string; key: string }

/** A job to be done; `payload` and `progress` are stored as JSON. */
export type NewJob = JobRef & { accountId: string; payload: object; progress?: object }

/** A job as its worker holds it. What it records counts only while `fence` is the job's latest. */
export type LeasedJob<Payload = unknown> = JobRef & {
  accountId: string
  payload: Payload
  progress: unknown
  fence: number
  /** Leases since the last sign of progress, this one included. */
  tries: number
}

/** The job's lease expired and another worker took it, or the job was cancelled. */
export class LeaseLost extends Error {
  constructor() {
    super('this worker no longer holds the job')
    this.name = 'LeaseLost'
  }
}

/** Advisory locks held while leasing (an arbitrary number), so that two workers never count an account's jobs at once. */
const LEASING_LOCK = 7_301_946_113

function isDue(clock: Clock): RawBuilder<boolean> {
  return sql`(run_at <= ${clock.inDatabase()} and (leased_until is null or leased_until <= ${clock.inDatabase()}))`
}

/**
 * Adds a job that is due at once, in the transaction that needs it done. An unfinished one of the same kind and key is replaced, and
 * whoever works on that can record nothing more.
 */
export async function enqueueJob(
  ctx: { clock: Clock; signals: SignalSender },
  tx: Tx,
  { kind, key, accountId, payload, progress }: NewJob,
): Promise<void> {
  const values = [payload, progress ?? null].map((value) => JSON.stringify(value))
  await sql`
    insert into jobs as j (kind, key, account_id, payload, progress, run_at)
    values (${kind}, ${key}, ${accountId}, ${values[0]}, ${values[1]}, ${ctx.clock.inDatabase()})
    on conflict (kind, key) do update set payload = excluded.payload, progress = excluded.progress, run_at = excluded.run_at,
      tries = 0, fence = ${nextFence(ctx.clock, sql`j.fence`)}, leased_until = null, leased_by = null
  `.execute(tx)
  await ctx.signals.send(tx, 'jobs')
}

/** The same for many jobs of a kind at once, which begin in `inMs` and from their beginning. */
export async function enqueueJobs(
  ctx: { clock: Clock },
  tx: Tx,
  kind: string,
  jobs: ReadonlyArray<{ key: string; accountId: string }>,
  inMs: number,
): Promise<void> {
  const each = [...new Map(jobs.map((job) => [job.key, job])).values()].sort((a, b) => (a.key < b.key ? -1 : 1))
  await sql`
    insert into jobs as j (kind, key, account_id, payload, run_at)
    select ${kind}, key, account_id, '{}', ${endIn(ctx.clock, inMs)}
    from unnest(${plainArray(each.map(({ key }) => key))}::text[], ${plainArray(each.map(({ accountId }) => accountId))}::uuid[])
      as job (key, account_id)
    on conflict (kind, key) do update set payload = excluded.payload, progress = null, run_at = excluded.run_at,
      tries = 0, fence = ${nextFence(ctx.clock, sql`j.fence`)}, leased_until = null, leased_by = null
  `.execute(tx)
}

/** Adds a job that is due in `inMs`, in the transaction that needs it done; an unfinished one of the same kind and key stays as it is. */
export async function addJob(
  ctx: { clock: Clock; signals: SignalSender },
  tx: Tx,
  { kind, key, accountId, payload, progress }: NewJob,
  inMs = 0,
): Promise<void> {
  const values = [payload, progress ?? null].map((value) => JSON.stringify(value))
  await sql`
    insert into jobs (kind, key, account_id, payload, progress, run_at)
    values (${kind}, ${key}, ${accountId}, ${values[0]}, ${values[1]}, ${endIn(ctx.clock, inMs)})
    on conflict (kind, key) do nothing
  `.execute(tx)
  if (inMs === 0) await ctx.signals.send(tx, 'jobs')
}

/** Makes the jobs of a kind due now that wait, of those whose keys begin so. */
export async function hurryJobs(
  ctx: { clock: Clock; signals: SignalSender },
  tx: Tx,
  kind: string,
  keysBeginWith: string,
): Promise<void> {
  await sql`
    update jobs set run_at = least(run_at, ${ctx.clock.inDatabase()})
    where kind = ${kind} and starts_with(key, ${keysBeginWith}) and leased_until is null
  `.execute(tx)
  await ctx.signals.send(tx, 'jobs')
}

/**
 * Has the jobs of a kind begin anew in `inMs`, with this progress, of those whose keys begin so: those that would be due later, and those under
 * way, which record nothing more.
 */
export async function restartJobs(
  { clock }: { clock: Clock },
  db: Db,
  { kind, keysBeginWith, progress }: { kind: string; keysBeginWith: string; progress: object },
  inMs: number,
): Promise<void> {
  await sql`
    update jobs j set progress = ${JSON.stringify(progress)}, tries = 0, run_at = ${endIn(clock, inMs)},
      fence = ${nextFence(clock, sql`j.fence`)}, leased_until = null, leased_by = null
    where kind = ${kind} and starts_with(key, ${keysBeginWith}) and (leased_until is not null or run_at > ${endIn(clock, inMs)})
  `.execute(db)
}

/** Removes a job if it is unfinished; the work on it is ended, and can record nothing more. */
export async function cancelJob(ctx: { signals: SignalSender }, tx: Tx, { kind, key }: JobRef): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('jobs')
    .where('kind', '=', kind)
    .where('key', '=', key)
    .executeTakeFirst()
  if (numDeletedRows > 0n) await ctx.signals.send(tx, 'job-cancelled', nameOf({ kind, key }))
}

/** Cancels every job of an account. */
export async function cancelJobsOf(ctx: { signals: SignalSender }, tx: Tx, accountId: string): Promise<void> {
  const jobs = await tx.deleteFrom('jobs').where('account_id', '=', accountId).returning(['kind', 'key']).execute()
  for (const job of jobs) await ctx.signals.send(tx, 'job-cancelled', nameOf(job))
}

/** A job in one word. */
export function nameOf({ kind, key }: JobRef): string {
  return `${kind}/${key}`
}

/** The state of an unfinished job: when it is due, how far it is, and whether a worker has ever begun it. */
export type JobState = { runAt: Date; progress: unknown; begun: boolean }

/** A job's state; undefined when it is finished, or was never enqueued. */
export async function jobState(db: Db, { kind, key }: JobRef): Promise<JobState | undefined> {
  const { rows } = await sql<JobState>`
    select run_at as "runAt", progress, fence > 0 as begun from jobs where kind = ${kind} and key = ${key}
  `.execute(db)
  return rows[0]
}

/** The kinds of which jobs are due and free. */
export async function dueKinds(db: Db, clock: Clock): Promise<string[]> {
  const { rows } = await sql<{ kind: string }>`select distinct kind from jobs where ${isDue(clock)}`.execute(db)
  return rows.map(({ kind }) => kind)
}

/**
 * Which jobs to lease: at most `limit` of this kind, so that no account has more than `perAccount` leased, and none of `held`, which
 * this worker still works on. The leases last `ms`, by the database's clock.
 */
export type Wanted = { kind: string; limit: number; perAccount: number; held: readonly string[]; ms: number }

/**
 * Leases jobs that are due, accounts taking turns: each account's job that has been due longest comes before any account's second. A job
 * whose holder died is due again when its lease ends.
 */
export async function leaseJobs<Payload>(
  tx: Tx,
  { clock, workerId }: { clock: Clock; workerId: string },
  { kind, limit, perAccount, held, ms }: Wanted,
): Promise<LeasedJob<Payload>[]> {
  await sql`select pg_advisory_xact_lock(${LEASING_LOCK})`.execute(tx)
  const { rows } = await sql<LeasedJob<Payload>>`
    with leased as (
      select account_id, count(*) as jobs from jobs
      where kind = ${kind} and leased_until > ${clock.inDatabase()} group by account_id
    ), due as (
      select key, row_number() over (partition by account_id order by run_at, key) + coalesce(leased.jobs, 0) as turn
      from jobs left join leased using (account_id)
      where kind = ${kind} and ${isDue(clock)} and key <> all(${held}::text[])
    ), taken as (
      select j.key from jobs j join due using (key)
      where j.kind = ${kind} and turn <= ${perAccount} and ${isDue(clock)}
      order by turn, run_at, key limit ${limit} for update of j skip locked
    )
    update jobs j
    set leased_until = ${endIn(clock, ms)}, leased_by = ${workerId}, fence = ${nextFence(clock, sql`j.fence`)}, tries = j.tries + 1
    from taken where j.kind = ${kind} and j.key = taken.key
    returning j.kind, j.key, j.account_id as "accountId", j.payload, j.progress, j.fence, j.tries
  `.execute(tx)
  return rows
}

type Held = Pick<LeasedJob, 'kind' | 'key' | 'fence'>

function heldJob(db: Db, { kind, key, fence }: Held) {
  return db.updateTable('jobs').where('kind', '=', kind).where('key', '=', key).where('fence', '=', fence)
}

/** Makes a lease last `ms` from now. Returns whether it was still held: one that was given back is not, although its fence stands. */
export async function renewLease(db: Db, clock: Clock, job: Held, ms: number): Promise<boolean> {
  const { numUpdatedRows } = await heldJob(db, job)
    .where('leased_until', 'is not', null)
    .set({ leased_until: endIn(clock, ms) })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Records that the work goes on, if the lease is still held, and returns whether it is. In a transaction, the job stays held until that
 * ends. `tries` counts from here; `progress` is stored as JSON.
 */
export async function recordProgress(
  db: Db,
  job: Held,
  { tries, progress }: { tries?: number; progress?: object },
): Promise<boolean> {
  const { numUpdatedRows } = await heldJob(db, job)
    .set({
      fence: job.fence,
      ...(tries === undefined ? {} : { tries }),
      ...(progress === undefined ? {} : { progress: JSON.stringify(progress) }),
    })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Removes a job in the transaction that records its result. Throws LeaseLost, which undoes the transaction. */
export async function finishJob(tx: Tx, { kind, key, fence }: Held): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('jobs')
    .where('kind', '=', kind)
    .where('key', '=', key)
    .where('fence', '=', fence)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw new LeaseLost()
}

/** Returns a job, due again in `ms`. */
export async function postponeJob(db: Db, clock: Clock, job: Held, ms: number): Promise<void> {
  await heldJob(db, job)
    .set({ run_at: sql<Date>`${endIn(clock, ms)}`, leased_until: null, leased_by: null })
    .execute()
}

/** Returns a job as if it had not been leased, because the process ends. */
export async function returnJob(db: Db, job: Held): Promise<void> {
  await heldJob(db, job)
    .set((eb) => ({ leased_until: null, leased_by: null, tries: eb('tries', '-', 1) }))
    .execute()
}

/** Frees the jobs of workers that are known to be dead: of these, or of all. */
export async function abandonJobsOf(db: Db, workerIds: readonly string[] | 'all'): Promise<void> {
  const whose = workerIds === 'all' ? sql`is not null` : sql`= any(${workerIds}::text[])`
  await sql`update jobs set leased_until = null, leased_by = null where leased_by ${whose}`.execute(db)
}
