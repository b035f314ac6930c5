import { type Kysely, sql } from 'kysely'

/** One table for all background work that is not a lane: drafts under way, and sites whose platform is to be detected. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
-- A job is leased by one worker at a time; what that worker records counts only while the fence is its own. It refers to no account, so
-- that somebody who has locked a site can add a job while the account is being removed.
create table jobs (
  kind text not null,
  key text not null,
  account_id uuid not null,
  payload jsonb not null,
  progress jsonb,
  run_at timestamptz not null,
  tries integer not null default 0,
  fence bigint not null default 0,
  leased_until timestamptz,
  leased_by text,
  primary key (kind, key)
) with (fillfactor = 70);
create index jobs_due on jobs (kind, run_at);
create index jobs_of_account on jobs (account_id);

insert into jobs (kind, key, account_id, payload, progress, run_at, tries)
  select 'write-draft', id::text, account_id, '{}', progress, run_at, tries from generation_jobs where status = 'processing';
insert into jobs (kind, key, account_id, payload, run_at, tries)
  select 'detect-platform', id::text, account_id, jsonb_build_object('url', url), detect_at, detect_tries
  from sites where detect_at is not null;

alter table generation_jobs drop column run_at, drop column started_at, drop column leased_until, drop column fence, drop column tries;
alter table generation_jobs alter column progress drop not null;
alter table sites drop column detect_at, drop column detect_tries;
`)
    .execute(db)
}
