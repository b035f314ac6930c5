import { type Kysely, sql } from 'kysely'

/** Jobs that write drafts, the answers they have paid for, and what they have used. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
-- A job is leased by one process at a time; what that process records counts only while the fence is its own.
create table generation_jobs (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  status text not null check (status in ('processing', 'complete', 'failed')),
  brief jsonb not null,
  generator text not null,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  run_at timestamptz,
  leased_until timestamptz,
  fence integer not null default 0,
  tries integer not null default 0,
  progress jsonb not null,
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  worked_ms integer not null default 0,
  post_id uuid,
  actual_words integer,
  report jsonb,
  error jsonb,
  check ((status = 'processing') = (run_at is not null)),
  check ((status = 'processing') = (finished_at is null))
) with (fillfactor = 70);
create index generation_jobs_due on generation_jobs (run_at) where status = 'processing';
create index generation_jobs_of_account on generation_jobs (account_id) where status = 'processing';
create index generation_jobs_finished on generation_jobs (finished_at) where status <> 'processing';

-- Kept until the job is finished: a question that was answered is not asked again.
create table generation_answers (
  job_id uuid not null references generation_jobs (id) on delete cascade,
  name text not null,
  answer text not null,
  primary key (job_id, name)
);

-- Tokens per account and day (UTC); outlives the jobs.
create table generation_usage (
  account_id uuid not null references accounts (id),
  day date not null,
  tokens bigint not null,
  primary key (account_id, day)
);
`)
    .execute(db)
}
