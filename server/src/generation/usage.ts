/** What the work on drafts has paid for: the model's answers, until the job is finished, and the tokens used. */
import { sql } from 'kysely'
import type { Db, Tx } from '../platform/db/database.ts'
import { type LeasedJob, recordProgress } from '../platform/jobs/queue.ts'
import type { Tokens } from './model/model.ts'

/** The saved answers of a job, by name. */
export async function savedAnswers(db: Db, jobId: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('generation_answers')
    .select(['name', 'answer'])
    .where('job_id', '=', jobId)
    .execute()
  return new Map(rows.map(({ name, answer }) => [name, answer]))
}

/** What one question used. */
export type Spent = { tokens: Tokens; tookMs: number; now: Date }

/** An answer; `name` is that of the job's question. */
export type NamedAnswer = { name: string; answer: string }

/**
 * Saves an answer with what it used, and counts `tries` anew for the next question. Returns false when the lease is lost. An answer that
 * is saved already is left: the first commit may have succeeded unnoticed.
 */
export async function saveAnswer(
  tx: Tx,
  job: LeasedJob,
  { name, answer }: NamedAnswer,
  spent: Spent,
): Promise<boolean> {
  const saved = await tx
    .selectFrom('generation_answers')
    .select('answer')
    .where('job_id', '=', job.key)
    .where('name', '=', name)
    .executeTakeFirst()
  if (saved?.answer === answer) return true
  await recordSpent(tx, job, spent)
  if (!(await recordProgress(tx, job, { tries: 1 }))) return false
  await tx.insertInto('generation_answers').values({ job_id: job.key, name, answer }).execute()
  return true
}

/** Records what a question used, for the account and for the job: it is spent even if the lease is lost. */
export async function recordSpent(
  tx: Tx,
  { key, accountId }: LeasedJob,
  { tokens: { input, output }, tookMs, now }: Spent,
): Promise<void> {
  await sql`
    insert into generation_usage as u (account_id, day, tokens)
    values (${accountId}, ${dayOf(now)}::date, ${input + output})
    on conflict (account_id, day) do update set tokens = u.tokens + excluded.tokens
  `.execute(tx)
  await tx
    .updateTable('generation_jobs')
    .set((eb) => ({
      input_tokens: eb('input_tokens', '+', input),
      output_tokens: eb('output_tokens', '+', output),
      worked_ms: eb('worked_ms', '+', Math.round(tookMs)),
    }))
    .where('id', '=', key)
    .execute()
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
