/** Leases jobs, and records their results under the lease. */
import { type RawBuilder, sql } from 'kysely'
import { type Clock, endIn, nextFence } from '../platform/clock.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import type { Brief } from './brief.ts'
import type { Tokens } from './model/model.ts'
import type { JobError, JobReport } from './tables.ts'
import type { Progress } from './writing/desk.ts'

/** A job leased by this process. It can record only while `fence` is the job's latest. */
export type JobLease = { id: string; accountId: string; brief: Brief; fence: number; tries: number; tokens: number }

/** The job's lease expired and another process took it, or the job was cancelled. */
export class LeaseLost extends Error {
  constructor() {
    super('the job is no longer held by this process')
    this.name = 'LeaseLost'
  }
}

/** An advisory lock (an arbitrary number) held while leasing jobs, so that two processes never count an account's jobs at once. */
const LEASING_LOCK = 7_301_946_113

/**
 * How many jobs to lease, for `ms` by the database's clock: at most `limit`, and so that no account has more than `perAccount` leased.
 * `held` are this process's.
 */
export type Wanted = { limit: number; perAccount: number; held: readonly string[]; ms: number }

/** Whether no process holds a job now. */
function isFree(clock: Clock): RawBuilder<boolean> {
  return sql`(leased_until is null or leased_until <= ${clock.inDatabase()})`
}

/** Whether any job is due and not leased. */
export async function anyJobDue(db: Db, clock: Clock): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    select exists (
      select from generation_jobs where status = 'processing' and run_at <= ${clock.now()} and ${isFree(clock)}
    ) as due
  `.execute(db)
  return rows[0]?.due === true
}

/**
 * Leases jobs that are due, longest due first. A job whose holder died is due again when its lease expires. Because of `held`
 * a process never takes a job from itself, even if the clock jumps.
 */
export async function leaseJobs(tx: Tx, clock: Clock, { limit, perAccount, held, ms }: Wanted): Promise<JobLease[]> {
  const now = clock.now()
  await sql`select pg_advisory_xact_lock(${LEASING_LOCK})`.execute(tx)
  const { rows } = await sql<JobLease>`
    with at_work as (
      select account_id, count(*) as jobs from generation_jobs
      where status = 'processing' and not ${isFree(clock)} group by account_id
    ), due as (
      select id, account_id, run_at, row_number() over (partition by account_id order by run_at, id) as place
      from generation_jobs
      where status = 'processing' and run_at <= ${now} and ${isFree(clock)}
        and id <> all(${held}::uuid[])
    ), taken as (
      select due.id from due left join at_work using (account_id)
      where due.place + coalesce(at_work.jobs, 0) <= ${perAccount}
      order by due.run_at, due.id limit ${limit}
    )
    update generation_jobs j
    set leased_until = ${endIn(clock, ms)}, fence = ${nextFence(clock, sql`j.fence`)}, tries = j.tries + 1, started_at = coalesce(j.started_at, ${now})
    from taken where j.id = taken.id and j.status = 'processing' and ${isFree(clock)}
    returning j.id, j.account_id as "accountId", j.brief, j.fence, j.tries, j.input_tokens + j.output_tokens as tokens
  `.execute(tx)
  return rows
}

type Held = Pick<JobLease, 'id' | 'fence'>

/** Makes a lease last `ms` from now. Returns whether it was still held: one that was given back is not, although its fence stands. */
export async function renewLease(db: Db, clock: Clock, lease: Held, ms: number): Promise<boolean> {
  const { numUpdatedRows } = await stillHeld(db, lease)
    .where('leased_until', 'is not', null)
    .set({ leased_until: endIn(clock, ms) })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The saved answers, by name. */
export async function savedAnswers(db: Db, jobId: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('generation_answers')
    .select(['name', 'answer'])
    .where('job_id', '=', jobId)
    .execute()
  return new Map(rows.map(({ name, answer }) => [name, answer]))
}

/** What one try used. */
export type Spent = { tokens: Tokens; tookMs: number; now: Date }

/** An answer; `name` is that of the job's question. */
export type NamedAnswer = { name: string; answer: string }

/**
 * Saves an answer with what it used, and resets `tries` for the next question. Returns false when the lease is lost. An answer that is
 * saved already is left: the first commit may have succeeded unnoticed.
 */
export async function saveAnswer(
  tx: Tx,
  lease: JobLease,
  { name, answer }: NamedAnswer,
  spent: Spent,
): Promise<boolean> {
  const saved = await tx
    .selectFrom('generation_answers')
    .select('answer')
    .where('job_id', '=', lease.id)
    .where('name', '=', name)
    .executeTakeFirst()
  if (saved?.answer === answer) return true
  if (!(await recordSpent(tx, lease, spent, { tries: 1 }))) return false
  await tx.insertInto('generation_answers').values({ job_id: lease.id, name, answer }).execute()
  return true
}

/** Records what a try used: always for the account, and for the job if the lease still holds. Returns whether it does. */
export async function recordSpent(
  tx: Tx,
  lease: Held & Pick<JobLease, 'accountId'>,
  { tokens: { input, output }, tookMs, now }: Spent,
  more: { tries?: number } = {},
): Promise<boolean> {
  await sql`
    insert into generation_usage as u (account_id, day, tokens)
    values (${lease.accountId}, ${dayOf(now)}::date, ${input + output})
    on conflict (account_id, day) do update set tokens = u.tokens + excluded.tokens
  `.execute(tx)
  const { numUpdatedRows } = await stillHeld(tx, lease)
    .set((eb) => ({
      input_tokens: eb('input_tokens', '+', input),
      output_tokens: eb('output_tokens', '+', output),
      worked_ms: eb('worked_ms', '+', Math.round(tookMs)),
      ...more,
    }))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The tokens an account has used since midnight, UTC. */
export async function tokensToday(db: Db, accountId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ tokens: number }>`
    select tokens from generation_usage where account_id = ${accountId} and day = ${dayOf(now)}::date
  `.execute(db)
  return rows[0]?.tokens ?? 0
}

function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}

/** Records the job's progress. */
export async function noteProgress(db: Db, lease: Held, progress: Progress): Promise<void> {
  await stillHeld(db, lease)
    .set({ progress: JSON.stringify(progress) })
    .execute()
}

/** What a completed job stores. */
export type Finished = { postId: string; words: number; report: JobReport; generator: string; now: Date }

/** Completes a job with its draft. Throws LeaseLost. */
export async function completeJob(tx: Tx, lease: Held, finished: Finished): Promise<void> {
  const { postId, words, report, generator, now } = finished
  const progress: Progress = { step: 'saving', done: 1 }
  await finishJob(tx, lease, now, {
    status: 'complete',
    post_id: postId,
    actual_words: words,
    report: JSON.stringify(report),
    progress: JSON.stringify(progress),
    generator,
  })
}

/** Fails a job. Throws LeaseLost. */
export async function failJob(tx: Tx, lease: Held, error: JobError, now: Date): Promise<void> {
  await finishJob(tx, lease, now, { status: 'failed', error: JSON.stringify(error) })
}

type Ending =
  | { status: 'complete'; post_id: string; actual_words: number; report: string; progress: string; generator: string }
  | { status: 'failed'; error: string }

async function finishJob(tx: Tx, lease: Held, now: Date, ending: Ending): Promise<void> {
  const { numUpdatedRows } = await stillHeld(tx, lease)
    .set({ ...ending, finished_at: now, run_at: null, leased_until: null })
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new LeaseLost()
  await tx.deleteFrom('generation_answers').where('job_id', '=', lease.id).execute()
}

/** Returns a job, due again at `at`. */
export async function postponeJob(db: Db, lease: Held, at: Date): Promise<void> {
  await stillHeld(db, lease).set({ run_at: at, leased_until: null }).execute()
}

/** Returns a job as if it had not been leased, because the process ends. */
export async function returnJob(db: Db, lease: Held): Promise<void> {
  await stillHeld(db, lease)
    .set((eb) => ({ leased_until: null, tries: eb('tries', '-', 1) }))
    .execute()
}

/** Whether some process seems to hold jobs. */
export async function areJobsHeld(db: Db): Promise<boolean> {
  const held = await db
    .selectFrom('generation_jobs')
    .select('id')
    .where('leased_until', 'is not', null)
    .limit(1)
    .execute()
  return held.length > 0
}

/** Frees the jobs of processes that are known to be dead. */
export async function abandonJobs(db: Db): Promise<void> {
  await db.updateTable('generation_jobs').set({ leased_until: null }).where('leased_until', 'is not', null).execute()
}

function stillHeld(db: Db, { id, fence }: Held) {
  return db
    .updateTable('generation_jobs')
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('status', '=', 'processing')
}
