import { type InsertObject, sql } from 'kysely'
import type { Db, Tx } from '../platform/db/database.ts'
import type { Tables } from '../platform/db/tables.ts'
import { jobState } from '../platform/jobs/queue.ts'
import { DRAFT_JOB, type JobRow } from './tables.ts'
import type { Progress } from './writing/structured-output.ts'

/** How far a job is before it is begun. */
export const NOT_BEGUN: Progress = { step: 'outline', done: 0 }

/** Stores a new job. */
export async function insertJob(tx: Tx, job: InsertObject<Tables, 'generation_jobs'>): Promise<void> {
  await tx.insertInto('generation_jobs').values(job).execute()
}

/** One job of the account. */
export async function findJob(db: Db, accountId: string, id: string): Promise<JobRow | undefined> {
  // In this order: a job that ends in between is shown as it ended.
  const state = await jobState(db, { kind: DRAFT_JOB, key: id.toLowerCase() })
  const row = await db
    .selectFrom('generation_jobs')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const work = row.status === 'processing' ? state : undefined
  // The table's progress is written by `recordProgress` alone, and by `startJob`.
  return { ...row, work, progress: row.progress ?? (work?.progress as Progress | undefined) ?? NOT_BEGUN }
}

/** How a job ended. */
export type Ending = { progress: string; finished_at: Date } & (
  | { status: 'complete'; post_id: string; actual_words: number; report: string; generator: string }
  | { status: 'failed'; error: string }
)

/** Records the end of a job and forgets its answers. */
export async function endJob(tx: Tx, id: string, ending: Ending): Promise<void> {
  await tx.updateTable('generation_jobs').set(ending).where('id', '=', id).execute()
  await tx.deleteFrom('generation_answers').where('job_id', '=', id).execute()
}

/** Removes a job of the account with its answers. Returns whether there was one. */
export async function deleteJob(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('generation_jobs')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** How many jobs of the account are unfinished. A lock keeps others from adding one until the transaction ends. */
export async function countUnfinished(tx: Tx, accountId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`generation/${accountId}`}, 0))`.execute(tx)
  const { rows } = await sql<{ jobs: number }>`
    select count(*) as jobs from generation_jobs where account_id = ${accountId} and status = 'processing'
  `.execute(tx)
  return rows[0]?.jobs ?? 0
}

/** How many unfinished jobs, of all accounts, were created before this one. */
export async function jobsAhead(
  db: Db,
  { id, created_at: createdAt }: Pick<JobRow, 'id' | 'created_at'>,
): Promise<number> {
  const { rows } = await sql<{ jobs: number }>`
    select count(*) as jobs from generation_jobs
    where status = 'processing' and (created_at, id) < (${createdAt}::timestamptz, ${id}::uuid)
  `.execute(db)
  return rows[0]?.jobs ?? 0
}

/** How many of the latest jobs the estimate learns from. */
const LEARNED_FROM = 20

/** The median time per word of the latest drafts by this generator, in milliseconds; undefined before the first. */
export async function learnedMsPerWord(db: Db, generator: string): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null }>`
    select percentile_cont(0.5) within group (order by worked_ms::float / actual_words) as ms
    from (
      select worked_ms, actual_words from generation_jobs
      where status = 'complete' and generator = ${generator} and actual_words > 0
      order by finished_at desc limit ${LEARNED_FROM}
    ) as latest
  `.execute(db)
  return rows[0]?.ms ?? undefined
}

/** Deletes all jobs of the account, with what it has used. */
export async function deleteJobs(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('generation_jobs').where('account_id', '=', accountId).execute()
  await tx.deleteFrom('generation_usage').where('account_id', '=', accountId).execute()
}

/** How many jobs are removed at once: each has its answers. */
const REMOVED_AT_ONCE = 500

/** Removes some of the jobs from before `finishedBefore`, and the token counts of earlier days; returns whether more jobs may be left. */
export async function removeOldJobs(db: Db, finishedBefore: Date): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from generation_jobs where id in (
      select id from generation_jobs where finished_at < ${finishedBefore} limit ${REMOVED_AT_ONCE} for update skip locked
    )
  `.execute(db)
  await sql`delete from generation_usage where day < ${finishedBefore.toISOString().slice(0, 10)}::date`.execute(db)
  return numAffectedRows === BigInt(REMOVED_AT_ONCE)
}
