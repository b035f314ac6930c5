import { type Kysely, sql } from 'kysely'

/** Who is told of what (`notifications/`), sites that are in trouble (`incidents/`), and forgotten passwords (`accounts/`). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
create table notification_channels (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  kind text not null,
  sealed bytea not null,
  events text[] not null,
  status text not null,
  last_error text,
  verify_hash bytea,
  created_at timestamptz not null
);
create index notification_channels_of_account on notification_channels (account_id, id);
create unique index notification_channels_verify on notification_channels (verify_hash) where verify_hash is not null;

create table incidents (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  site_id uuid not null,
  opened_at timestamptz not null,
  reason text,
  failures integer not null default 0,
  told_failures integer not null default 0,
  next_summary_at timestamptz not null,
  reopened boolean not null default false,
  accepting_since timestamptz,
  closed_at timestamptz
);
create unique index incidents_open on incidents (site_id) where closed_at is null;
create index incidents_of_account on incidents (account_id, opened_at desc);

alter table lanes add column unseen_failures integer not null default 0;
create index lanes_failing on lanes (site_id) where failing or unseen_failures > 0;

create table password_resets (
  token_hash bytea primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  expires_at timestamptz not null
);
create index password_resets_of_account on password_resets (account_id);
`)
    .execute(db)
}
